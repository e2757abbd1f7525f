/** Tokens → syntax tree, by recursive descent over the grammar of cel-go's CEL.g4. */
import type { EntryExpr, Expr, FieldExpr } from './ast.ts'
import { OPERATORS, PRODUCTS, RELATIONS, SUMS } from './ast.ts'
import { RESERVED_WORDS } from './escape.ts'
import type { Token } from './lexer.ts'
import { tokenize } from './lexer.ts'
import { literalValue } from './literals.ts'
import type { Macro } from './macro.ts'
import { NodeMaker } from './node-maker.ts'
import type { Issue } from './program.ts'
import { TokenCursor, expressionStart, startsExpression } from './token-cursor.ts'
import { EvalError, codePointCount } from './value.ts'

/** A parsed source. `expr` is meaningless when there are issues. */
export interface Parsed {
  readonly expr: Expr
  /** The UTF-16 offset of each node, by id. */
  readonly offsets: readonly number[]
  readonly issues: readonly Issue[]
}

const MAX_SOURCE = 100_000
/** How deep expressions may nest (cel-go). */
export const MAX_DEPTH: number = 250

const RELATION_SYMBOLS = Object.keys(RELATIONS)
const CALC_SYMBOLS = [...Object.keys(PRODUCTS), ...Object.keys(SUMS)]
const SUFFIXES = ['.', '[']
const FIELD_START = "{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}"

/** Parses a source; macros are looked up by their key (see `macroKey`). Reports every mistake that ANTLR's recovery finds. */
export function parse(text: string, macros: ReadonlyMap<string, Macro>): Parsed {
  const size = codePointCount(text)
  const tooLarge = size > MAX_SOURCE
  const { tokens, errors } = tokenize(tooLarge ? '0' : text)
  const cursor = new TokenCursor(text, tokens)
  if (tooLarge) {
    cursor.report(
      undefined,
      `expression code point size exceeds limit: size: ${size}, limit ${MAX_SOURCE}`,
    )
  }
  for (const error of errors) cursor.report(error.offset, `Syntax error: ${error.message}`)
  const make = new NodeMaker(macros, (offset, message) => cursor.report(offset, message))
  const expr = new Grammar(cursor, make).start()
  return { expr, offsets: make.offsets, issues: cursor.issues }
}

/** Stops the descent into an expression that is too deep; never leaves this file. */
class TooDeep extends Error {}

/** One method per rule. A rule that fails has reported it, moved on to where its caller can continue, and returns what it has. */
class Grammar {
  readonly #cursor: TokenCursor
  readonly #make: NodeMaker
  #depth = 0

  constructor(cursor: TokenCursor, make: NodeMaker) {
    this.#cursor = cursor
    this.#make = make
  }

  start(): Expr {
    try {
      const expr = this.#cursor.within(['<EOF>'], () => this.#expr())
      this.#cursor.end()
      return expr
    } catch (error) {
      if (!(error instanceof TooDeep || error instanceof RangeError)) throw error
      this.#cursor.report(undefined, `expression recursion limit exceeded: ${MAX_DEPTH}`)
      return this.#failed(0)
    }
  }

  /** Stands for what could not be read. */
  #failed(offset = this.#cursor.peek.start): Expr {
    return this.#make.literal(null, offset)
  }

  #expr(...alsoFits: readonly string[]): Expr {
    if (++this.#depth > MAX_DEPTH) throw new TooDeep()
    const expr = this.#conditional(alsoFits)
    this.#depth--
    return expr
  }

  #conditional(alsoFits: readonly string[]): Expr {
    const cursor = this.#cursor
    const condition = cursor.within(['?'], () => this.#or(alsoFits))
    const mark = cursor.accept('?')
    if (mark === undefined) return condition
    const whenTrue = cursor.within([':'], () => this.#or([]))
    if (cursor.expect(':') === undefined) return this.#failed(mark.start)
    const whenFalse = this.#expr()
    const args = [condition, whenTrue, whenFalse]
    return this.#make.call(OPERATORS.conditional, mark.start, undefined, args)
  }

  #or(alsoFits: readonly string[]): Expr {
    return this.#logic('||', OPERATORS.or, alsoFits, (fits) => this.#and(fits))
  }

  #and(alsoFits: readonly string[]): Expr {
    return this.#logic('&&', OPERATORS.and, alsoFits, (fits) => this.#relation(fits))
  }

  /** A chain of one logical operator becomes a balanced tree, so that long chains stay shallow. */
  #logic(
    symbol: string,
    fn: string,
    alsoFits: readonly string[],
    operand: (alsoFits: readonly string[]) => Expr,
  ): Expr {
    const cursor = this.#cursor
    const terms = [cursor.within([symbol], () => operand(alsoFits))]
    const operators: number[] = []
    for (let token = cursor.accept(symbol); token !== undefined; token = cursor.accept(symbol)) {
      operators.push(token.start)
      terms.push(cursor.within([symbol], () => operand([])))
    }
    const tree = (low: number, high: number): Expr => {
      const middle = Math.floor((low + high + 1) / 2)
      const left = middle === low ? (terms[middle] as Expr) : tree(low, middle - 1)
      const right = middle === high ? (terms[middle + 1] as Expr) : tree(middle + 1, high)
      return this.#make.call(fn, operators[middle] as number, undefined, [left, right])
    }
    return operators.length === 0 ? (terms[0] as Expr) : tree(0, operators.length - 1)
  }

  #relation(alsoFits: readonly string[]): Expr {
    return this.#cursor.within(RELATION_SYMBOLS, () =>
      this.#binary(RELATIONS, alsoFits, (fits) =>
        this.#cursor.within(CALC_SYMBOLS, () => this.#calc(fits)),
      ),
    )
  }

  #calc(alsoFits: readonly string[]): Expr {
    return this.#binary(SUMS, alsoFits, (sumFits) =>
      this.#binary(PRODUCTS, sumFits, (fits) => this.#unary(fits)),
    )
  }

  #binary(
    operators: Readonly<Record<string, string>>,
    alsoFits: readonly string[],
    operand: (alsoFits: readonly string[]) => Expr,
  ): Expr {
    let left = operand(alsoFits)
    for (;;) {
      const token = this.#cursor.peek
      const fn = token.kind === 'symbol' ? operators[token.text] : undefined
      if (fn === undefined) return left
      this.#cursor.next()
      left = this.#make.call(fn, token.start, undefined, [left, operand([])])
    }
  }

  #unary(alsoFits: readonly string[]): Expr {
    const cursor = this.#cursor
    const first = cursor.peek
    if (!startsExpression(first)) return this.#notAnExpression(alsoFits)
    const isSigned = first.text === '-' && !this.#isNumber(1)
    if (first.kind !== 'symbol' || !(first.text === '!' || isSigned)) return this.#member()
    let count = 0
    while (cursor.accept(first.text)) count++
    const operand = startsExpression(cursor.peek) ? this.#member() : this.#notAnExpression([])
    if (count % 2 === 0) return operand
    const fn = first.text === '!' ? OPERATORS.not : OPERATORS.negate
    return this.#make.call(fn, first.start, undefined, [operand])
  }

  /** At a token no expression starts with: skip it if one starts right after, else give up the operand. */
  #notAnExpression(alsoFits: readonly string[]): Expr {
    const cursor = this.#cursor
    const set = expressionStart(alsoFits)
    if (cursor.skipUnwanted(set)) return this.#unary([])
    const { start, text } = cursor.peek
    cursor.syntaxError(`mismatched input '${text}' expecting ${set}`)
    cursor.recover()
    return this.#failed(start)
  }

  #isNumber(ahead: number): boolean {
    const { kind } = this.#cursor.ahead(ahead)
    return kind === 'int' || kind === 'double'
  }

  #member(): Expr {
    const cursor = this.#cursor
    let expr: Expr = cursor.within(SUFFIXES, () => this.#primary())
    for (;;) {
      const token = cursor.peek
      const next = cursor.accept('.')
        ? this.#afterDot(expr, token)
        : cursor.accept('[')
          ? this.#afterBracket(expr, token)
          : { expr, done: true }
      expr = next.expr
      if (next.done) return expr
    }
  }

  #afterDot(operand: Expr, dot: Token): Suffix {
    const cursor = this.#cursor
    if (cursor.accept('?')) return { expr: this.#optionalField(operand, dot), done: false }
    const name = this.#fieldName(dot)
    if (name === undefined) {
      cursor.recover()
      return { expr: operand, done: true }
    }
    const open = name.kind === 'identifier' ? cursor.accept('(') : undefined
    if (open === undefined) {
      const id = this.#make.id(dot.start)
      const expr: Expr = { kind: 'select', id, operand, field: name.text, testOnly: false }
      return { expr, done: false }
    }
    const args = this.#arguments()
    const closed = cursor.expect(')') !== undefined
    return { expr: this.#make.call(name.text, open.start, operand, args), done: !closed }
  }

  #optionalField(operand: Expr, dot: Token): Expr {
    const cursor = this.#cursor
    const { kind, start, text } = cursor.peek
    const name = kind === 'identifier' || kind === 'escaped' ? this.#fieldName(dot) : undefined
    if (name === undefined) {
      cursor.syntaxError(`mismatched input '${text}' expecting {IDENTIFIER, ESC_IDENTIFIER}`)
      cursor.within(SUFFIXES, () => cursor.recover())
      cursor.report(start, 'unsupported ident kind')
    }
    const field = this.#make.literal(name?.text ?? '', name?.start ?? start)
    return this.#make.call(OPERATORS.optSelect, dot.start, undefined, [operand, field])
  }

  /** A name after a dot; undefined, and reported, if there is none. */
  #fieldName(dot: Token): Token | undefined {
    const cursor = this.#cursor
    const token = cursor.peek
    if (token.kind === 'identifier') return cursor.next()
    if (token.kind === 'escaped') {
      cursor.report(token.start, "unsupported syntax: '`'")
      return { ...cursor.next(), text: token.text.slice(1, -1) }
    }
    const isKeyword = token.text === 'true' || token.text === 'false' || token.text === 'null'
    const shown = cursor.textOf(dot, token)
    cursor.syntaxError(
      isKeyword && shown === `.${token.text}`
        ? `mismatched input '${token.text}' expecting IDENTIFIER`
        : `no viable alternative at input '${shown}'`,
    )
    return undefined
  }

  #afterBracket(operand: Expr, bracket: Token): Suffix {
    const cursor = this.#cursor
    const isOptional = cursor.accept('?') !== undefined
    const index = cursor.within([']'], () => this.#expr(...(isOptional ? [] : ['?'])))
    const closed = cursor.expect(']') !== undefined
    const fn = isOptional ? OPERATORS.optIndex : OPERATORS.index
    const expr = this.#make.call(fn, bracket.start, undefined, [operand, index])
    return { expr, done: !closed }
  }

  /** What is between parentheses; the closing one is left. */
  #arguments(): readonly Expr[] {
    const cursor = this.#cursor
    if (!startsExpression(cursor.peek)) cursor.skipBefore(')', expressionStart([')']))
    if (cursor.is(')')) return []
    return cursor.within([')'], () => {
      const args = [cursor.within([','], () => this.#expr(')'))]
      while (cursor.accept(',')) args.push(cursor.within([','], () => this.#expr()))
      return args
    })
  }

  #primary(): Expr {
    const cursor = this.#cursor
    const token = cursor.peek
    if (token.kind === 'identifier') return this.#nameOrStruct('')
    if (token.kind !== 'symbol') return this.#literal(cursor.next(), '', token.start)
    switch (token.text) {
      case '(': {
        cursor.next()
        const expr = cursor.within([')'], () => this.#expr())
        cursor.expect(')')
        return expr
      }
      case '[':
        return this.#list()
      case '{':
        return this.#map()
      case '.':
        return this.#absolute()
      case '-':
        cursor.next()
        return this.#literal(cursor.next(), '-', token.start)
      case 'null':
        return this.#make.literal(null, cursor.next().start)
      default:
        return this.#make.literal(token.text === 'true', cursor.next().start)
    }
  }

  #absolute(): Expr {
    const cursor = this.#cursor
    if (cursor.ahead(1).kind === 'identifier') {
      cursor.next()
      return this.#nameOrStruct('.')
    }
    const dot = cursor.next()
    this.#fieldName(dot)
    cursor.recover()
    return this.#failed(dot.start)
  }

  #nameOrStruct(prefix: string): Expr {
    const cursor = this.#cursor
    if (this.#isStructAhead()) return this.#struct(prefix)
    const name = cursor.next()
    const start = name.start - prefix.length
    const open = cursor.accept('(')
    const args = open === undefined ? [] : this.#arguments()
    if (open !== undefined) cursor.expect(')')
    if (RESERVED_WORDS.has(name.text)) {
      cursor.report(start, `reserved identifier: ${name.text}`)
      return this.#failed(start)
    }
    if (open !== undefined) {
      return this.#make.call(prefix + name.text, open.start, undefined, args)
    }
    return { kind: 'ident', id: this.#make.id(name.start), name: prefix + name.text }
  }

  /** Whether a dotted name is followed by a brace. */
  #isStructAhead(): boolean {
    const cursor = this.#cursor
    let ahead = 1
    while (cursor.ahead(ahead).text === '.' && cursor.ahead(ahead + 1).kind === 'identifier') {
      ahead += 2
    }
    return cursor.ahead(ahead).kind === 'symbol' && cursor.ahead(ahead).text === '{'
  }

  #struct(prefix: string): Expr {
    const cursor = this.#cursor
    let type = prefix + cursor.next().text
    while (cursor.accept('.')) type += `.${cursor.next().text}`
    const id = this.#make.id(cursor.next().start)
    const starts = (): boolean =>
      cursor.is('?') || cursor.peek.kind === 'identifier' || cursor.peek.kind === 'escaped'
    if (!starts() && !cursor.is('}') && !cursor.is(',')) {
      cursor.syntaxError(`mismatched input '${cursor.peek.text}' expecting ${FIELD_START}`)
      cursor.recover()
      return { kind: 'struct', id, type, fields: [] }
    }
    const fields = this.#items('}', starts, () => this.#field())
    return { kind: 'struct', id, type, fields }
  }

  #field(): FieldExpr | undefined {
    const cursor = this.#cursor
    const optional = cursor.accept('?') !== undefined
    const name = cursor.within([':'], () => this.#fieldName(cursor.peek))
    const colon = cursor.expect(':')
    if (name === undefined || colon === undefined) return undefined
    const id = this.#make.id(colon.start)
    const value = cursor.within([','], () => this.#expr())
    return { id, name: name.text, value, optional }
  }

  #list(): Expr {
    const cursor = this.#cursor
    const id = this.#make.id(cursor.next().start)
    const optional = new Set<number>()
    let index = 0
    const starts = (): boolean => cursor.is('?') || startsExpression(cursor.peek)
    const elements = this.#items(']', starts, () => {
      const isOptional = cursor.accept('?') !== undefined
      if (isOptional) optional.add(index)
      const fits = index++ === 0 && !isOptional ? [']', ',', '?'] : []
      return cursor.within([','], () => this.#expr(...fits))
    })
    return { kind: 'list', id, elements, optional }
  }

  #map(): Expr {
    const cursor = this.#cursor
    const id = this.#make.id(cursor.next().start)
    let count = 0
    const starts = (): boolean => cursor.is('?') || startsExpression(cursor.peek)
    const entries = this.#items('}', starts, () => this.#entry(count++ === 0))
    return { kind: 'map', id, entries }
  }

  #entry(isFirst: boolean): EntryExpr | undefined {
    const cursor = this.#cursor
    const optional = cursor.accept('?') !== undefined
    const fits = isFirst && !optional ? ['}', ',', '?'] : []
    const key = cursor.within([':'], () => this.#expr(...fits))
    const colon = cursor.expect(':')
    if (colon === undefined) return undefined
    const id = this.#make.id(colon.start)
    return { id, key, value: cursor.within([','], () => this.#expr()), optional }
  }

  /** Comma-separated items up to the closing symbol; one comma may follow the last, or stand alone. */
  #items<T>(close: string, starts: () => boolean, item: () => T | undefined): readonly T[] {
    const cursor = this.#cursor
    const items: T[] = []
    if (cursor.accept(close)) return items
    let closing: string | undefined
    if (!cursor.accept(',')) {
      closing = cursor.within([',', close], () => this.#itemList(close, starts, item, items))
    }
    cursor.expect(close, closing)
    return items
  }

  /** Reads items; returns how to name what has to come after them. */
  #itemList<T>(
    close: string,
    starts: () => boolean,
    item: () => T | undefined,
    items: T[],
  ): string | undefined {
    for (;;) {
      const next = item()
      if (next !== undefined) items.push(next)
      else return `{'${close}', ','}`
      if (!this.#cursor.accept(',')) return `{'${close}', ','}`
      if (!starts()) return undefined
    }
  }

  /** The sign is a token of its own; `start` is where it, or the number, is. */
  #literal(token: Token, sign: string, start: number): Expr {
    const value = literalValue(token, sign)
    if (!(value instanceof EvalError)) return this.#make.literal(value, start)
    this.#cursor.report(start, value.message)
    return this.#failed(start)
  }
}

/** An expression with one more suffix; `done` if no other can follow, because this one failed. */
interface Suffix {
  readonly expr: Expr
  readonly done: boolean
}
