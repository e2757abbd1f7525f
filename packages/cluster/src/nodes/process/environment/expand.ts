/**
 * Replaces `$(NAME)` by what `valueOf` knows of it; what it does not know stays as it stands, and `$$` is one dollar (Kubernetes'
 * expansion syntax, third_party/forked/golang/expansion).
 */
export function expand(text: string, valueOf: (name: string) => string | undefined): string {
  return text.replace(/\$(?:\$|\(([^)]*)\))/g, (found, name: string | undefined) => {
    if (name === undefined) return '$'
    return valueOf(name) ?? found
  })
}
