/** What a number must look like to be more than a double can hold: a large exponent, or a great many digits. */
const LARGE = /[eE]\+?\d{3}|\d{309}/
const NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** The first number of a JSON text that is beyond a double, as it is written; undefined where there is none. */
export function unrepresentable(text: string): string | undefined {
  if (!LARGE.test(text)) return undefined
  for (const [token] of text.matchAll(NUMBER)) {
    if (token[0] !== '"' && !Number.isFinite(Number(token))) return token
  }
  return undefined
}
