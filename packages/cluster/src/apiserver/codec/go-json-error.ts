import { WrittenNumber } from '../resources/written-number.ts'

/** What Go's JSON decoder says of a text that is not JSON (encoding/json scanner). */
export function goSyntaxError(text: string): string {
  const scanner = new Scanner(text)
  return scanner.run() ?? 'unexpected end of JSON input'
}

/** What Go says of a JSON value that is not an object where one must be: `json: cannot unmarshal array into Go value of type …`. */
export function goKindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (value === null) return 'null'
  if (value instanceof WrittenNumber) return 'number'
  return (
    { boolean: 'bool', number: 'number', bigint: 'number', string: 'string' }[
      typeof value as string
    ] ?? 'object'
  )
}

const LITERALS: readonly string[] = ['true', 'false', 'null']

class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The first error, or undefined where the text ends too early. */
  run(): string | undefined {
    return this.#value('looking for beginning of value') ?? this.#after()
  }

  #char(): string | undefined {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? '')) this.#at++
    return this.#text[this.#at]
  }

  #invalid(context: string): string {
    return `invalid character ${quote(this.#text[this.#at]!)} ${context}`
  }

  #after(): string | undefined {
    return this.#char() === undefined ? undefined : this.#invalid('after top-level value')
  }

  #value(context: string): string | undefined {
    const char = this.#char()
    if (char === undefined) return undefined
    if (char === '{') return this.#members()
    if (char === '[') return this.#items()
    if (char === '"') return this.#string()
    if (/[-\d]/.test(char)) return this.#number()
    const literal = LITERALS.find((it) => it[0] === char)
    return literal ? this.#literal(literal) : this.#invalid(context)
  }

  #members(): string | undefined {
    this.#at++
    if (this.#char() === '}') return void this.#at++
    for (;;) {
      const start = this.#char()
      if (start === undefined) return undefined
      if (start !== '"') return this.#invalid('looking for beginning of object key string')
      const wrong = this.#string()
      if (wrong !== undefined || this.#char() === undefined) return wrong
      if (this.#char() !== ':') return this.#invalid('after object key')
      this.#at++
      const inside = this.#value('looking for beginning of value')
      const next = this.#char()
      if (inside !== undefined || next === undefined) return inside
      if (next !== ',' && next !== '}') return this.#invalid('after object key:value pair')
      this.#at++
      if (next === '}') return undefined
    }
  }

  #items(): string | undefined {
    this.#at++
    if (this.#char() === ']') return void this.#at++
    for (;;) {
      const inside = this.#value('looking for beginning of value')
      const next = this.#char()
      if (inside !== undefined || next === undefined) return inside
      if (next !== ',' && next !== ']') return this.#invalid('after array element')
      this.#at++
      if (next === ']') return undefined
    }
  }

  #string(): string | undefined {
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at]!
      if (char === '"') return void this.#at++
      if (char < ' ') return this.#invalid('in string literal')
      if (char !== '\\') continue
      this.#at++
      const escape = this.#text[this.#at]
      if (escape !== undefined && !'"\\/bfnrtu'.includes(escape))
        return this.#invalid('in string escape code')
    }
    return undefined
  }

  #number(): string | undefined {
    if (this.#text[this.#at] === '-') this.#at++
    if (this.#at >= this.#text.length) return undefined
    if (!/\d/.test(this.#text[this.#at]!)) return this.#invalid('in numeric literal')
    const rest = /^(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/.exec(this.#text.slice(this.#at))
    this.#at += rest![0].length
    return undefined
  }

  #literal(word: string): string | undefined {
    for (let i = 1; i < word.length; i++) {
      const char = this.#text[this.#at + i]
      if (char === undefined) {
        this.#at = this.#text.length
        return undefined
      }
      if (char !== word[i]) {
        this.#at += i
        return this.#invalid(`in literal ${word} (expecting ${quote(word[i]!)})`)
      }
    }
    this.#at += word.length
    return undefined
  }
}

/** A character as Go quotes it, which it takes for a byte (encoding/json quoteChar). */
function quote(char: string): string {
  if (char === "'") return "'\\''"
  if (char === '"') return "'\"'"
  const byte = Buffer.from(char)[0]!
  if (byte >= 0xa1 && byte !== 0xad) return `'${String.fromCharCode(byte)}'`
  return `'${ESCAPES[char] ?? escaped(byte)}'`
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
}

function escaped(byte: number): string {
  if (byte >= 0x20 && byte < 0x7f) return String.fromCharCode(byte)
  const hex = byte.toString(16).padStart(2, '0')
  return byte < 0x80 ? `\\x${hex}` : `\\u00${hex}`
}
