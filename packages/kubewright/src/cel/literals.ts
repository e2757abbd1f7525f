/** The text of a string or bytes literal → its value (cel-go's parser/unescape.go). */
import type { Token } from './lexer.ts'
import { encodeUtf8 } from './utf8.ts'
import type { Value } from './value.ts'
import { EvalError, Uint } from './value.ts'

/** The outcome of {@link unquoteString} and {@link unquoteBytes}: the value, or the message of the mistake. */
type Unquoted<T> = { readonly value: T } | { readonly error: string }

const SIMPLE: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
  "'": 39,
  '"': 34,
  '`': 96,
  '?': 63,
}

/** A string literal with its quotes and prefix. */
function unquoteString(literal: string): Unquoted<string> {
  const { body, raw } = bodyOf(literal)
  if (raw || !body.includes('\\')) return { value: body }
  let value = ''
  for (const piece of pieces(body)) {
    if (typeof piece === 'string') {
      value += piece
      continue
    }
    if (piece.code > 0x10ffff || (piece.code >= 0xd800 && piece.code <= 0xdfff)) {
      return { error: 'invalid unicode code point' }
    }
    value += String.fromCodePoint(piece.code)
  }
  return { value }
}

/** A bytes literal with its quotes and prefixes: `\x` and octal escapes are bytes, other text is UTF-8. */
function unquoteBytes(literal: string): Unquoted<Uint8Array> {
  const { body, raw } = bodyOf(literal.slice(1))
  if (raw) return { value: encodeUtf8(body) }
  const bytes: number[] = []
  for (const piece of pieces(body)) {
    if (typeof piece === 'string') bytes.push(...encodeUtf8(piece))
    else if (piece.unicode) return { error: 'unable to unescape string' }
    else bytes.push(piece.code & 0xff)
  }
  return { value: Uint8Array.from(bytes) }
}

/** What is between the quotes, with line ends as `\n`. */
function bodyOf(literal: string): { readonly body: string; readonly raw: boolean } {
  const text = literal.replaceAll(/\r\n?/g, '\n')
  const raw = /^[rR]/.test(text)
  const quoted = raw ? text.slice(1) : text
  const width = quoted.length >= 6 && (quoted.startsWith('"""') || quoted.startsWith("'''")) ? 3 : 1
  return { body: quoted.slice(width, -width), raw }
}

interface Escape {
  readonly code: number
  readonly unicode: boolean
}

/** Plain runs and escapes, in order. The lexer has already refused escapes that do not exist. */
function* pieces(body: string): Generator<string | Escape> {
  const pattern =
    /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([^]))/g
  let from = 0
  for (const match of body.matchAll(pattern)) {
    if (match.index > from) yield body.slice(from, match.index)
    from = match.index + match[0].length
    const [, hex, short, long, octal, simple] = match
    if (hex !== undefined) yield { code: Number.parseInt(hex, 16), unicode: false }
    else if (octal !== undefined) yield { code: Number.parseInt(octal, 8), unicode: false }
    else if (simple !== undefined) yield { code: SIMPLE[simple] ?? 0, unicode: false }
    else yield { code: Number.parseInt(short ?? long ?? '0', 16), unicode: true }
  }
  if (from < body.length) yield body.slice(from)
}

/** The value of a literal token, or an error if it is out of range. The sign of a number is a token of its own. */
export function literalValue(token: Token, sign: string): Value {
  switch (token.kind) {
    case 'int': {
      const value = sign === '-' ? -BigInt(token.text) : BigInt(token.text)
      return BigInt.asIntN(64, value) === value ? value : new EvalError('invalid int literal')
    }
    case 'uint': {
      const value = BigInt(token.text.slice(0, -1))
      const fits = BigInt.asUintN(64, value) === value
      return fits ? new Uint(value) : new EvalError('invalid uint literal')
    }
    case 'double': {
      const value = Number(sign + token.text)
      return Number.isFinite(value) ? value : new EvalError('invalid double literal')
    }
    case 'bytes':
      return valueOrError(unquoteBytes(token.text))
    default:
      return valueOrError(unquoteString(token.text))
  }
}

function valueOrError(unquoted: Unquoted<string | Uint8Array>): Value {
  return 'value' in unquoted ? unquoted.value : new EvalError(unquoted.error)
}
