/** The most characters that the warnings of one answer may take, whole and cut (apiserver/pkg/endpoints/filters/warning.go). */
const TOTAL = 4 * 1024
const EACH_WHEN_CUT = 256

/**
 * Texts as Warning headers (RFC 7234, section 5.5): each once, cut when they are too many. What has control characters in it is no
 * header, and left out. Text beyond ASCII travels as UTF-8, a byte a character, as Node writes headers.
 */
export function warningHeaders(texts: readonly string[]): readonly string[] {
  if (texts.length === 0) return texts
  const unique = [...new Set(texts)].filter((it) => it !== '' && !/\p{Cc}/u.test(it))
  if (unique.length === 0) return unique
  const total = unique.reduce((sum, it) => sum + lengthOf(it), 0)
  const cut = total > TOTAL ? unique.map((it) => [...it].slice(0, EACH_WHEN_CUT).join('')) : unique
  let left = TOTAL
  return cut.filter((it) => (left -= lengthOf(it)) >= 0).map((it) => `299 - "${quoted(it)}"`)
}

/** In code points, as Go counts runes. */
const lengthOf = (text: string): number => [...text].length

const quoted = (text: string): string =>
  Buffer.from(text.replace(/[\\"]/g, '\\$&')).toString('latin1')
