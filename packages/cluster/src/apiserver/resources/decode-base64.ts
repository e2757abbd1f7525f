import { DecodeError } from './decode-state.ts'

const PLAIN = /^(?:[A-Za-z0-9+/]{4})*$/
const LETTER = /[A-Za-z0-9+/]/

/**
 * Bytes in base64 as Go takes and writes them (encoding/base64 StdEncoding): line ends inside are skipped, bits beyond the last byte
 * are cleared. Throws a {@link DecodeError} that says where the text goes wrong.
 */
export function canonicalBase64(text: string): string {
  if (PLAIN.test(text)) return text
  const wrong = corruptAt(text)
  if (wrong !== undefined) throw new DecodeError(`illegal base64 data at input byte ${wrong}`)
  return Buffer.from(text, 'base64').toString('base64')
}

/** The first byte that does not belong, as Go's decodeQuantum counts them. */
function corruptAt(text: string): number | undefined {
  let at = 0
  for (;;) {
    const quantum = readQuantum(text, at)
    if (quantum.wrong !== undefined || quantum.done) return quantum.wrong
    at = quantum.next
  }
}

interface Quantum {
  readonly next: number
  readonly done?: boolean
  readonly wrong?: number
}

function readQuantum(text: string, start: number): Quantum {
  let at = start
  for (let letters = 0; letters < 4; letters++) {
    at = skipLines(text, at)
    if (at >= text.length) {
      return letters === 0 ? { next: at, done: true } : { next: at, wrong: at - letters }
    }
    const char = text[at]!
    at++
    if (LETTER.test(char)) continue
    if (char !== '=' || letters < 2) return { next: at, wrong: at - 1 }
    return readPadding(text, at, letters)
  }
  return { next: at }
}

/** After the first `=`: another one where two letters came before, then nothing. */
function readPadding(text: string, start: number, letters: number): Quantum {
  let at = start
  if (letters === 2) {
    at = skipLines(text, at)
    if (at >= text.length) return { next: at, wrong: text.length }
    if (text[at] !== '=') return { next: at, wrong: at - 1 }
    at++
  }
  at = skipLines(text, at)
  return at < text.length ? { next: at, wrong: at } : { next: at, done: true }
}

function skipLines(text: string, start: number): number {
  let at = start
  while (text[at] === '\n' || text[at] === '\r') at++
  return at
}
