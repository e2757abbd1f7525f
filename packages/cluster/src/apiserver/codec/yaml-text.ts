import { goNumber } from 'kubewright/machinery'
import { styleOf } from './yaml-style.ts'

/** Lines are broken at the first space after this column. */
const WIDTH = 80
const KEY_LENGTH = 128

/**
 * A JSON value as YAML, byte for byte as Kubernetes writes it (sigs.k8s.io/yaml over go-yaml v2): keys in their natural order, two
 * spaces, lists as far out as their key, long texts broken at spaces.
 */
export function yamlText(value: unknown): string {
  const writer = new Writer()
  writer.node(value, 0)
  return writer.text.endsWith('\n') ? writer.text : `${writer.text}\n`
}

type Tree = Readonly<Record<string, unknown>>

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null

class Writer {
  text = ''
  #column = 0

  /** Writes a value where the pen stands; what it holds stands at `indent`, and texts go on two further in. */
  node(value: unknown, indent: number): void {
    if (Array.isArray(value)) this.#list(value, indent)
    else if (isTree(value)) this.#map(value, indent)
    else if (typeof value === 'string') this.#string(value, indent + 2, false)
    else this.#put(scalarText(value))
  }

  #put(text: string): void {
    this.text += text
    this.#column += text.length
  }

  #line(indent: number): void {
    this.text += `\n${' '.repeat(indent)}`
    this.#column = indent
  }

  #list(items: readonly unknown[], indent: number): void {
    if (items.length === 0) return this.#put('[]')
    for (const [i, item] of items.entries()) {
      if (i > 0) this.#line(indent)
      this.#put('- ')
      // A text goes on where the list's own content would be; what has members has them there too.
      this.node(item, isTree(item) ? indent + 2 : indent)
    }
  }

  #map(members: Tree, indent: number): void {
    const keys = Object.keys(members).sort(naturally)
    if (keys.length === 0) return this.#put('{}')
    for (const [i, key] of keys.entries()) {
      if (i > 0) this.#line(indent)
      this.#member(key, members[key], indent)
    }
  }

  #member(key: string, value: unknown, indent: number): void {
    const isSimple = Buffer.byteLength(key) <= KEY_LENGTH && !key.includes('\n')
    if (!isSimple) this.#put('? ')
    this.#string(key, indent + 2, isSimple)
    if (!isSimple) this.#line(indent)
    this.#put(':')
    if (Array.isArray(value) && value.length > 0) {
      // A list that is a member stands as far out as its key.
      if (isSimple) this.#line(indent)
      else this.#put(' ')
      return this.#list(value, isSimple ? indent : indent + 2)
    }
    if (isTree(value) && Object.keys(value).length > 0) {
      if (isSimple) this.#line(indent + 2)
      else this.#put(' ')
      return this.node(value, indent + 2)
    }
    this.#put(' ')
    this.node(value, indent)
  }

  #string(text: string, indent: number, isKey: boolean): void {
    const style = styleOf(text, isKey)
    switch (style) {
      case 'plain':
        return this.#folded([...text], indent, !isKey, 'plain')
      case 'single':
        this.#put("'")
        this.#folded(
          [...text].map((it) => (it === "'" ? "''" : it)),
          indent,
          !isKey,
          'single',
        )
        return this.#put("'")
      case 'double':
        this.#put('"')
        this.#folded([...text].map(escaped), indent, !isKey, 'double')
        return this.#put('"')
      case 'literal':
        return this.#literal(text, indent)
    }
  }

  /** Characters on one line, or on several: broken at a lone space beyond the width. */
  #folded(
    characters: readonly string[],
    indent: number,
    breaks: boolean,
    style: 'plain' | 'single' | 'double',
  ): void {
    let afterSpace = false
    for (const [i, char] of characters.entries()) {
      const inside = style === 'plain' || (i > 0 && i < characters.length - 1)
      const lone = style === 'double' || characters[i + 1] !== ' '
      if (char === ' ' && breaks && !afterSpace && this.#column > WIDTH && inside && lone) {
        this.#line(indent)
        if (style === 'double' && characters[i + 1] === ' ') this.#put('\\')
      } else this.#put(char)
      afterSpace = char === ' '
    }
  }

  #literal(text: string, indent: number): void {
    this.#put('|')
    if (/^[ \n]/.test(text)) this.#put('2')
    if (!text.endsWith('\n')) this.#put('-')
    else if (text === '\n' || text.endsWith('\n\n')) this.#put('+')
    const lines = text.split('\n')
    const kept = text.endsWith('\n') ? lines.slice(0, -1) : lines
    for (const line of kept) {
      if (line === '') this.text += '\n'
      else {
        this.#line(indent)
        this.#put(line)
      }
    }
  }
}

function scalarText(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  return typeof value === 'number' ? goNumber(value) : String(value)
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\x85': '\\N',
  '\xa0': '\\_',
  '\u2028': '\\L',
  '\u2029': '\\P',
}

function escaped(char: string): string {
  const known = ESCAPES[char]
  if (known !== undefined) return known
  if (/[\x20-\x7e\xa1-\ud7ff\ue000-\ufefe\uff00-\ufffd]/.test(char) && char.length === 1)
    return char
  const code = char.codePointAt(0)!
  const hex = code.toString(16).toUpperCase()
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

const LETTER = /\p{L}/u
const DIGIT = /\d/

/** The order of keys: letters by code, numbers by value, and what is neither before letters (go-yaml v2 sorter.go). */
function naturally(left: string, right: string): number {
  const [a, b] = [[...left], [...right]]
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (a[i] === b[i]) continue
    const [isLetter, isOtherLetter] = [LETTER.test(a[i]!), LETTER.test(b[i]!)]
    if (isLetter && isOtherLetter) return a[i]! < b[i]! ? -1 : 1
    if (isLetter || isOtherLetter) return isOtherLetter ? -1 : 1
    return byNumber(a, b, i)
  }
  return a.length - b.length
}

function byNumber(a: readonly string[], b: readonly string[], at: number): number {
  const [[an, ai], [bn, bi]] = [numberAt(a, at), numberAt(b, at)]
  const within = (a[at] === '0' || b[at] === '0') && followsNumber(a, at)
  const [x, y] = within ? [Number(`1${an}`), Number(`1${bn}`)] : [Number(an), Number(bn)]
  if (x !== y) return x - y
  if (ai !== bi) return ai - bi
  return a[at]! < b[at]! ? -1 : 1
}

/** The digits that begin at a place, and where they end. */
function numberAt(characters: readonly string[], at: number): readonly [string, number] {
  let end = at
  while (end < characters.length && DIGIT.test(characters[end]!)) end++
  return [characters.slice(at, end).join(''), end]
}

/** Whether digits that are not all zeros stand right before a place. */
function followsNumber(characters: readonly string[], at: number): boolean {
  for (let j = at - 1; j >= 0 && DIGIT.test(characters[j]!); j--)
    if (characters[j] !== '0') return true
  return false
}
