/** Text in double quotes as Go's %q writes it. */

const ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': String.raw`\a`,
  '\b': String.raw`\b`,
  '\f': String.raw`\f`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
  '\v': String.raw`\v`,
  '\\': String.raw`\\`,
  '"': String.raw`\"`,
}

/** Letters, marks, numbers, punctuation and symbols stay; what has a short escape gets it; the rest is written in hexadecimal. */
export function goQuote(text: string): string {
  return `"${text.replaceAll(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escaped)}"`
}

function escaped(character: string): string {
  const short = ESCAPES[character]
  if (short !== undefined) return short
  const code = character.codePointAt(0) ?? 0
  const hex = (digits: number): string => code.toString(16).padStart(digits, '0')
  if (code < 0x80) return String.raw`\x${hex(2)}`
  return code < 0x10000 ? String.raw`\u${hex(4)}` : String.raw`\U${hex(8)}`
}
