/**
 * How a JSON property name becomes a CEL identifier and back (Kubernetes' apiserver/pkg/cel/escaping.go).
 * `a.b` is `a__dot__b`, `a-b` is `a__dash__b`, `a/b` is `a__slash__b`, `__` is `__underscores__`, and a reserved
 * word `in` is `__in__`.
 */

/** The words that are not identifiers in Kubernetes' expressions. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return ' +
    'var void while'
  ).split(' '),
)

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
}
const UNESCAPES: Readonly<Record<string, string>> = {
  underscores: '__',
  dot: '.',
  dash: '-',
  slash: '/',
}

/** The identifier for a property name; undefined if it has none (empty, starts with a digit, or has other characters). */
export function escapeIdentifier(property: string): string | undefined {
  if (RESERVED_WORDS.has(property)) return `__${property}__`
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(property)) return undefined
  return property.replaceAll(/__|[./-]/g, (match) => ESCAPES[match] as string)
}

/** The property name of an identifier; undefined if it holds an escape that does not exist. */
export function unescapeIdentifier(identifier: string): string | undefined {
  let ok = true
  const property = identifier.replaceAll(/__[^_]+__/g, (match) => {
    const word = match.slice(2, -2)
    const plain = UNESCAPES[word]
    if (plain !== undefined) return plain
    ok &&= RESERVED_WORDS.has(word) && match.length === identifier.length
    return word
  })
  return ok ? property : undefined
}
