/**
 * A flag that cannot be taken, in kube-apiserver's own words. `usage`: the command line cannot be read (it prints `Error: …`);
 * `invalid`: what it says does not fit together (it prints `"command failed" err="…"`).
 */
export class FlagError extends Error {
  readonly kind: 'usage' | 'invalid'

  constructor(kind: 'usage' | 'invalid', message: string) {
    super(message)
    this.name = 'FlagError'
    this.kind = kind
  }
}

/** Several sentences as one error, each once (apimachinery/pkg/util/errors Aggregate). */
export function aggregate(messages: readonly string[]): FlagError {
  const unique = [...new Set(messages)]
  return new FlagError('invalid', unique.length === 1 ? unique[0]! : `[${unique.join(', ')}]`)
}
