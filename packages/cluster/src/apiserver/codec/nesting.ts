/**
 * How deep a body may nest. What walks objects recurs, and one that was stored must be readable ever after, beside others; so this
 * is far from where the stack ends (a real server goes to 10,000).
 */
export const MAX_DEPTH = 1000

/** The bracket of a JSON text that opens one level more than {@link MAX_DEPTH}; undefined where none does. The text may be invalid. */
export const tooDeepAt = (text: string): string | undefined =>
  text.length <= MAX_DEPTH ? undefined : survey(text).tooDeep

/** What one look over a JSON text tells, past its strings: they are most of it, and are searched as fast as memory. */
export interface Survey {
  /** The bracket that opens one level more than {@link MAX_DEPTH}; nothing is told of what follows it. */
  readonly tooDeep: string | undefined
  /** Whether no number is anything but an integer of so few digits that a double holds it. */
  readonly plainNumbers: boolean
}

/** Looks over a JSON text, which may be invalid. */
export function survey(text: string): Survey {
  let depth = 0
  let digits = 0
  let plainNumbers = true
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= ZERO && code <= NINE) {
      if (++digits > SAFE_DIGITS) plainNumbers = false
      continue
    }
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (++depth > MAX_DEPTH) return { tooDeep: text[at], plainNumbers }
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth--
    else if (digits > 0 && (code === POINT || (code | 0x20) === SMALL_E)) plainNumbers = false
    digits = 0
  }
  return { tooDeep: undefined, plainNumbers }
}

/** As many digits as every double holds. */
const SAFE_DIGITS = 15
const ZERO = 0x30
const NINE = 0x39
const POINT = 0x2e
const SMALL_E = 0x65

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
