/** What Go's encoder writes as escapes, for texts that might end up in HTML: such characters stand in strings alone. */
const ESCAPED = /[<>&\u2028\u2029]/g

/** JSON as Go writes it (encoding/json HTMLEscape): the very same text where nothing is to be escaped. */
export function goJson(text: string): string {
  if (!hasEscapable(text)) return text
  return text.replace(ESCAPED, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

// One search a character beats a pattern by far, and nearly every text is searched in vain.
const hasEscapable = (text: string): boolean =>
  text.includes('<') ||
  text.includes('>') ||
  text.includes('&') ||
  text.includes('\u2028') ||
  text.includes('\u2029')
