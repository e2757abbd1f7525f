/** Strings, version 2 (cel-go's ext/strings.go). Positions count Unicode code points. */
import type { Library } from '../declaration.ts'
import { fn, overload } from '../declaration.ts'
import { goText } from '../text.ts'
import type { ListValue, Value } from '../value.ts'
import { ArrayList, EvalError, listItems } from '../value.ts'
import { formatString } from './format-string.ts'

function outOfRange(index: bigint): EvalError {
  return new EvalError(`index out of range: ${index}`)
}

function charAt(text: string, index: bigint): Value {
  const characters = Array.from(text)
  if (index < 0n || index > BigInt(characters.length)) return outOfRange(index)
  return characters[Number(index)] ?? ''
}

function indexOf(text: string, part: string, offset = 0n): Value {
  if (part === '') return offset
  if (offset < 0n) return outOfRange(offset)
  const characters = Array.from(text)
  if (offset >= BigInt(characters.length)) return -1n
  return BigInt(search(characters, Array.from(part), Number(offset), 1))
}

function lastIndexOf(text: string, part: string, offset?: bigint): Value {
  const characters = Array.from(text)
  if (part === '') return offset ?? BigInt(characters.length)
  const parts = Array.from(part)
  const from = offset ?? BigInt(characters.length - 1)
  if (offset === undefined && characters.length < parts.length) return -1n
  if (from < 0n) return outOfRange(from)
  if (from >= BigInt(characters.length)) return -1n
  return BigInt(
    search(characters, parts, Math.min(Number(from), characters.length - parts.length), -1),
  )
}

/** The first position, going up or down, where the part is found; -1 if it is nowhere. */
function search(
  characters: readonly string[],
  part: readonly string[],
  from: number,
  step: 1 | -1,
): number {
  for (let i = from; i >= 0 && i + part.length <= characters.length; i += step) {
    if (part.every((character, j) => characters[i + j] === character)) return i
  }
  return -1
}

function replace(text: string, old: string, replacement: string, limit = -1n): Value {
  const pieces = splitText(text, old, limit < 0n ? -1 : Number(limit) + 1)
  if (old !== '') return limit === 0n ? text : pieces.join(replacement)
  // An empty text is found before every character and at the end.
  const characters = Array.from(text)
  const count = limit < 0n ? characters.length + 1 : Number(limit)
  const body = characters.map((character, i) => (i < count ? replacement + character : character))
  return body.join('') + (count > characters.length ? replacement : '')
}

function split(text: string, separator: string, limit = -1n): Value {
  if (limit === 0n) return new ArrayList([])
  return new ArrayList(splitText(text, separator, Number(limit)))
}

/** At most `limit` pieces, the last one with what remains; no limit if it is negative. */
function splitText(text: string, separator: string, limit: number): readonly string[] {
  const pieces = separator === '' ? Array.from(text) : text.split(separator)
  if (limit < 0 || pieces.length <= limit) return pieces
  return [...pieces.slice(0, limit - 1), pieces.slice(limit - 1).join(separator)]
}

function substring(text: string, start: bigint, end?: bigint): Value {
  const characters = Array.from(text)
  const length = BigInt(characters.length)
  const to = end ?? length
  if (end !== undefined && start > to) {
    return new EvalError(`invalid substring range. start: ${start}, end: ${end}`)
  }
  if (start < 0n || start > length) return outOfRange(start)
  if (to < 0n || to > length) return outOfRange(to)
  return characters.slice(Number(start), Number(to)).join('')
}

const lower = (text: string): Value => text.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase())
const upper = (text: string): Value => text.replaceAll(/[a-z]+/g, (part) => part.toUpperCase())

/** Go's unicode.IsSpace: as JavaScript's trim, with U+0085 and without U+FEFF. */
const SPACE = String.raw`[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]`
const EDGES = new RegExp(`^${SPACE}+|(?<!${SPACE})${SPACE}+$`, 'g')

function join(list: ListValue, separator = ''): Value {
  const items = listItems(list)
  const wrong = items.find((item) => typeof item !== 'string')
  if (wrong !== undefined) return new EvalError(`join: invalid input: ${goText(wrong)}`)
  return items.join(separator)
}

const QUOTED: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}

function quote(text: string): Value {
  // oxlint-disable-next-line no-control-regex -- the characters that have an escape
  const escaped = text.toWellFormed().replaceAll(/[\u0007-\r\\"]/g, (c) => QUOTED[c] ?? c)
  return `"${escaped}"`
}

/** See the file. */
export const STRINGS: Library = {
  name: 'strings',
  functions: [
    fn('charAt', overload('string_char_at_int', 'string.(int): string', charAt)),
    fn(
      'indexOf',
      overload('string_index_of_string', 'string.(string): int', indexOf),
      overload('string_index_of_string_int', 'string.(string, int): int', indexOf),
    ),
    fn(
      'lastIndexOf',
      overload('string_last_index_of_string', 'string.(string): int', lastIndexOf),
      overload('string_last_index_of_string_int', 'string.(string, int): int', lastIndexOf),
    ),
    fn('lowerAscii', overload('string_lower_ascii', 'string.(): string', lower)),
    fn('upperAscii', overload('string_upper_ascii', 'string.(): string', upper)),
    fn(
      'replace',
      overload('string_replace_string_string', 'string.(string, string): string', replace),
      overload('string_replace_string_string_int', 'string.(string, string, int): string', replace),
    ),
    fn(
      'split',
      overload('string_split_string', 'string.(string): list<string>', split),
      overload('string_split_string_int', 'string.(string, int): list<string>', split),
    ),
    fn(
      'substring',
      overload('string_substring_int', 'string.(int): string', substring),
      overload('string_substring_int_int', 'string.(int, int): string', substring),
    ),
    fn(
      'trim',
      overload('string_trim', 'string.(): string', (text: string) => text.replaceAll(EDGES, '')),
    ),
    fn('format', overload('string_format', 'string.(list<dyn>): string', formatString)),
    fn('strings.quote', overload('strings_quote', '(string): string', quote)),
    fn(
      'join',
      overload('list_join', 'list<string>.(): string', join),
      overload('list_join_string', 'list<string>.(string): string', join),
    ),
  ],
}
