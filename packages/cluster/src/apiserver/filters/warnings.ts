/** The most bytes that the warnings of one answer may take, whole and cut (apiserver/pkg/endpoints/filters/warning.go). */
const TOTAL = 4 * 1024
const EACH_WHEN_CUT = 256

/** Texts as Warning headers (RFC 7234, section 5.5): each once, cut when they are too many. */
export function warningHeaders(texts: readonly string[]): readonly string[] {
  const unique = [...new Set(texts)]
  const total = unique.reduce((sum, it) => sum + it.length, 0)
  const cut = total > TOTAL ? unique.map((it) => it.slice(0, EACH_WHEN_CUT)) : unique
  let left = TOTAL
  return cut.filter((it) => (left -= it.length) >= 0).map((it) => `299 - "${quoted(it)}"`)
}

const quoted = (text: string): string => text.replace(/[\\"]/g, '\\$&').replace(/\p{Cc}/gu, ' ')
