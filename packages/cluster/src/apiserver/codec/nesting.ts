/**
 * How deep a body may nest. What walks objects recurs, and one that was stored must be readable ever after, beside others; so this
 * is far from where the stack ends (a real server goes to 10,000).
 */
export const MAX_DEPTH = 1000

/** The bracket of a JSON text that opens one level more than {@link MAX_DEPTH}; undefined where none does. The text may be invalid. */
export function tooDeepAt(text: string): string | undefined {
  if (text.length <= MAX_DEPTH) return undefined
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (++depth > MAX_DEPTH) return text[at]
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth--
  }
  return undefined
}

const QUOTE = 0x22
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}
