import { stringifyExact } from '../base/exact-json.ts'
import { goNumber } from './go-number.ts'

/**
 * Kubernetes' JSONPath (client-go/util/jsonpath): the one of `kubectl -o jsonpath`, of printer columns and of scale paths. It is a
 * template: text, and expressions in braces.
 */
export interface JsonPath {
  readonly text: string
  /**
   * What each expression finds in a value, in order; text between them finds itself. A missing field finds nothing.
   * Throws {@link JsonPathError} where an index lies outside its list, or something is indexed or filtered that is no list.
   */
  results(value: unknown): readonly (readonly unknown[])[]
  /** The results as one text: scalars plain, objects and lists as JSON, several joined by a space. */
  print(value: unknown): string
}

/** A template that is none, or one that a value does not fit. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError'
}

type Node =
  | { readonly is: 'list'; readonly nodes: Node[] }
  | { readonly is: 'value'; readonly value: unknown }
  | { readonly is: 'field'; readonly name: string }
  | { readonly is: 'wildcard' | 'recursive' }
  | {
      readonly is: 'slice'
      readonly from?: number
      readonly to?: number
      readonly single: boolean
      readonly step?: number
    }
  | { readonly is: 'union'; readonly lists: readonly Node[] }
  | {
      readonly is: 'filter'
      readonly left: Node
      readonly right: Node | undefined
      readonly operator: string
    }
  | { readonly is: 'word'; readonly word: string }

type ListNode = Extract<Node, { is: 'list' }>

/** Reads a template such as `{.metadata.name}` or `{range .items[*]}{.metadata.name}{"\n"}{end}`. Throws {@link JsonPathError}. */
export function parseJsonPath(text: string): JsonPath {
  const root = new Parser(text).template()
  const results = (value: unknown): readonly (readonly unknown[])[] => evaluate(root.nodes, value)
  return Object.freeze({
    text,
    results,
    print: (value: unknown) => results(value).map(printResults).join(''),
  })
}

const fail = (message: string): never => {
  throw new JsonPathError(message)
}

const TERMINATORS = ' \t\r\n.,[]$@{}'

class Parser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  template(): ListNode {
    const nodes: Node[] = []
    while (this.#at < this.#text.length) {
      const open = this.#text.indexOf('{', this.#at)
      const end = open < 0 ? this.#text.length : open
      if (end > this.#at) nodes.push({ is: 'value', value: this.#text.slice(this.#at, end) })
      this.#at = end
      if (open >= 0) nodes.push(this.#action())
    }
    return { is: 'list', nodes }
  }

  #startsWith(text: string): boolean {
    return this.#text.startsWith(text, this.#at)
  }

  #action(): ListNode {
    this.#at++
    const nodes: Node[] = []
    while (!this.#startsWith('}')) this.#step(nodes)
    this.#at++
    return { is: 'list', nodes }
  }

  #step(nodes: Node[]): void {
    const next = this.#text[this.#at]
    if (next === undefined || next === '\n' || next === '\r') fail('unclosed action')
    else if (this.#startsWith('[?(')) nodes.push(this.#filter())
    else if (this.#startsWith('..')) this.#recursive(nodes)
    else if (next === ' ' || next === '@' || next === '$') this.#at++
    else if (next === '[') nodes.push(...this.#array())
    else if (next === '"' || next === "'") nodes.push({ is: 'value', value: this.#quoted(next) })
    else if (next === '.') {
      this.#at++
      nodes.push(this.#field())
    } else if (/[-+\d]/.test(next)) nodes.push(this.#number())
    else if (/[\p{L}_]/u.test(next)) nodes.push(this.#identifier())
    else fail(`unrecognized character in action: ${codePoint(next)}`)
  }

  #recursive(nodes: Node[]): void {
    if (nodes.at(-1)?.is === 'recursive') fail('invalid multiple recursive descent')
    this.#at += 2
    nodes.push({ is: 'recursive' })
    if (/[\p{L}\d_]/u.test(this.#text[this.#at] ?? '')) nodes.push(this.#field())
  }

  /** A name up to a terminator; a backslash takes the next character as it is. */
  #field(): Node {
    const start = this.#at
    while (this.#at < this.#text.length && !TERMINATORS.includes(this.#text[this.#at] as string))
      this.#at += this.#text[this.#at] === '\\' ? 2 : 1
    const name = this.#text.slice(start, this.#at)
    return name === '*' ? { is: 'wildcard' } : { is: 'field', name: name.replaceAll('\\', '') }
  }

  #number(): Node {
    const text = /^[-+]?[\d.]*/.exec(this.#text.slice(this.#at))?.[0] ?? ''
    this.#at += text.length
    const value = Number(text)
    return text !== '' && !Number.isNaN(value)
      ? { is: 'value', value }
      : fail(`cannot parse number ${text}`)
  }

  #identifier(): Node {
    const start = this.#at
    while (this.#at < this.#text.length && !TERMINATORS.includes(this.#text[this.#at] as string))
      this.#at++
    const word = this.#text.slice(start, this.#at)
    if (word === 'true' || word === 'false') return { is: 'value', value: word === 'true' }
    return { is: 'word', word }
  }

  #quoted(quote: string): string {
    const start = this.#at++
    for (;;) {
      const next = this.#text[this.#at]
      if (next === undefined || next === '\n') fail('unterminated quoted string')
      this.#at++
      if (next === quote && this.#text[this.#at - 2] !== '\\') break
    }
    return unquote(this.#text.slice(start + 1, this.#at - 1))
  }

  #array(): readonly Node[] {
    const end = this.#text.indexOf(']', this.#at)
    const text = this.#text.slice(this.#at + 1, end < 0 ? undefined : end)
    if (end < 0 || text.includes('\n')) fail('unterminated array')
    this.#at = end + 1
    return arrayNodes(text === '*' ? ':' : text)
  }

  #filter(): Node {
    const start = (this.#at += 3)
    const end = this.#filterEnd()
    if (this.#text[end + 1] !== ']') fail('unclosed array expect ]')
    const text = this.#text.slice(start, end)
    this.#at = end + 2
    const [, left, operator, right] = /^([^!<>=]+)([!<>=]+)(.+?)$/.exec(text) ?? []
    if (left === undefined || operator === undefined || right === undefined)
      return { is: 'filter', left: parseAction(text), right: undefined, operator: 'exists' }
    return { is: 'filter', left: parseAction(left), right: parseAction(right), operator }
  }

  /** The parenthesis that closes a filter: not one inside its one quoted text. */
  #filterEnd(): number {
    let quote = ''
    for (let i = this.#at; i < this.#text.length && this.#text[i] !== '\n'; i++) {
      const next = this.#text[i] as string
      if ((next === '"' || next === "'") && quote === '') quote = next
      else if (next === quote && this.#text[i - 1] !== '\\') quote = 'closed'
      else if (next === ')' && (quote === '' || quote === 'closed')) return i
    }
    return fail('unterminated filter')
  }
}

const codePoint = (it: string): string =>
  `U+${(it.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')} '${it}'`

const parseAction = (text: string): Node => new Parser(`{${text}}`).template().nodes[0] as Node

/** What stands in brackets: a union, a quoted name, or an index or slice. */
function arrayNodes(text: string): readonly Node[] {
  const parts = text.split(',')
  if (parts.length > 1)
    return [{ is: 'union', lists: parts.map((it) => parseAction(`[${it.trim()}]`)) }]
  const name = /^'([^']*)'$/.exec(text)?.[1]
  if (name !== undefined) return (parseAction(`.${name}`) as ListNode).nodes
  const [, from, to, step] =
    /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text) ?? fail(`invalid array index ${text}`)
  const bound = (it: string | undefined): number | undefined => {
    const digits = it?.replace(':', '') ?? ''
    return digits === '' ? undefined : Number(digits)
  }
  const given = { from: bound(from), to: bound(to), step: bound(step) }
  return [
    {
      is: 'slice',
      ...(given.from === undefined ? {} : { from: given.from }),
      ...(given.to === undefined ? {} : { to: given.to }),
      ...(given.step === undefined ? {} : { step: given.step }),
      single: to === undefined,
    },
  ]
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** Go's escapes of a quoted text. */
function unquote(text: string): string {
  return text.replace(/\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|.)/g, (_, it: string) =>
    it.length > 1 ? String.fromCodePoint(parseInt(it.slice(1), 16)) : (ESCAPES[it] ?? it),
  )
}

/** Runs the nodes of a template; `range` repeats what follows, up to its `end`, for each thing found. */
function evaluate(nodes: readonly Node[], value: unknown): readonly (readonly unknown[])[] {
  const found: (readonly unknown[])[] = []
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i] as Node
    const word = wordOf(node)
    if (word === 'end') return fail('not in range, nothing to end')
    if (word !== 'range') {
      found.push(walk([value], node))
      continue
    }
    const end = endOfRange(nodes, i + 1)
    const body = nodes.slice(i + 1, end)
    for (const item of walk([value], node)) found.push(...evaluate(body, item))
    i = end
  }
  return found
}

const wordOf = (node: Node): string | undefined => {
  const first = node.is === 'list' ? node.nodes[0] : undefined
  return first?.is === 'word' ? first.word : undefined
}

function endOfRange(nodes: readonly Node[], start: number): number {
  let depth = 1
  for (let i = start; i < nodes.length; i++) {
    const word = wordOf(nodes[i] as Node)
    if (word === 'range') depth++
    if (word === 'end' && --depth === 0) return i
  }
  return nodes.length
}

function walk(input: readonly unknown[], node: Node): readonly unknown[] {
  switch (node.is) {
    case 'list':
      return node.nodes.reduce(walk, input)
    case 'value':
      return typeof node.value === 'string' ? [node.value] : input.map(() => node.value)
    case 'field':
      return input.flatMap((it) => fieldOf(it, node.name))
    case 'wildcard':
      return input.flatMap(childrenOf)
    case 'recursive':
      return descend(input)
    case 'slice':
      return input.flatMap((it) => sliceOf(it, node))
    case 'union':
      return node.lists.flatMap((it) => walk(input, it))
    case 'filter':
      return input.flatMap((it) => filterOf(it, node))
    case 'word':
      return node.word === 'range' ? input : fail(`unrecognized identifier ${node.word}`)
  }
}

type JsonMap = Readonly<Record<string, unknown>>

const isMap = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const fieldOf = (value: unknown, name: string): readonly unknown[] =>
  isMap(value) && Object.hasOwn(value, name) ? [value[name]] : []

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return isMap(value) ? Object.values(value) : []
}

/** Everything below that has children, each before its own. */
function descend(input: readonly unknown[]): readonly unknown[] {
  return input.flatMap((it) => {
    const children = childrenOf(it)
    return children.length ? [it, ...descend(children)] : []
  })
}

const typeName = (value: unknown): string => {
  if (isMap(value)) return 'map[string]interface {}'
  if (typeof value === 'bigint') return 'int64'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

function sliceOf(value: unknown, node: Extract<Node, { is: 'slice' }>): readonly unknown[] {
  if (value === null || value === undefined) return []
  if (!Array.isArray(value)) return fail(`${typeName(value)} is not array or slice`)
  const length = value.length
  const given = node.from ?? 0
  const from = given < 0 ? given + length : given
  const last = node.single ? given + 1 : (node.to ?? length)
  const to = last < 0 || (last === 0 && node.single) ? last + length : last
  if (from === to) return []
  if (from >= length || from < 0) fail(`array index out of bounds: index ${from}, length ${length}`)
  if (to > length || to < 0) fail(`array index out of bounds: index ${to - 1}, length ${length}`)
  if (from > to) fail(`starting index ${from} is greater than ending index ${to}`)
  const { step = 1 } = node
  if (step <= 0) fail('step must be > 0')
  return value.slice(from, to).filter((_, i) => i % step === 0)
}

function filterOf(value: unknown, node: Extract<Node, { is: 'filter' }>): readonly unknown[] {
  if (!Array.isArray(value))
    return fail(`${printed(value)} is not array or slice and cannot be filtered`)
  return value.filter((item) => {
    const left = walk([item], node.left)
    if (!node.right) return left.length > 0
    const right = walk([item], node.right)
    if (left.length === 0 || right.length === 0) return false
    if (left.length > 1 || right.length > 1) fail('can only compare one element at a time')
    return compare(left[0], right[0], node.operator)
  })
}

/** Numbers compare with numbers and texts with texts; nothing else has an order, and unlike kinds cannot be compared. */
function compare(a: unknown, b: unknown, operator: string): boolean {
  const like = typeof a === typeof b && typeof a !== 'object'
  if (!like) return fail('incompatible types for comparison')
  const [left, right] = [a as string | number, b as string | number]
  switch (operator) {
    case '==':
      return left === right
    case '!=':
      return left !== right
    case '<':
      return ordered(a) && left < right
    case '>':
      return ordered(a) && left > right
    case '<=':
      return ordered(a) && left <= right
    case '>=':
      return ordered(a) && left >= right
    default:
      return fail(`unrecognized filter operator ${operator}`)
  }
}

const ordered = (it: unknown): true =>
  typeof it === 'boolean' ? fail('invalid type for comparison') : true

/** Results as kubectl prints them: joined by spaces. */
export function printResults(results: readonly unknown[]): string {
  return results.map(printed).join(' ')
}

function printed(value: unknown): string {
  if (value === null || value === undefined) return '<no value>'
  if (typeof value === 'object') return goJson(value)
  return typeof value === 'number' ? goNumber(value) : String(value)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isMap(value)) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, it]) => [key, sorted(it)]))
}

/** JSON as Go writes it: names sorted, and `<`, `>` and `&` escaped. */
function goJson(value: unknown): string {
  return stringifyExact(sorted(value)).replace(
    /[<>&\u2028\u2029]/g,
    (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
