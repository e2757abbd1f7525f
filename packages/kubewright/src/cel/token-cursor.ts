/**
 * Reading tokens with the error strategy of ANTLR, whose messages users know: one token too many is skipped, a missing
 * one is made up if what follows fits, and else everything is skipped up to a token that some rule in progress can go on with.
 */
import type { Token } from './lexer.ts'
import type { Issue } from './program.ts'
import { NO_LOCATION, locationOf } from './source.ts'

/** The symbols an expression may start with; numbers, strings, bytes and identifiers do as well. */
const EXPRESSION_SYMBOLS: ReadonlySet<string> = new Set([
  '[',
  '{',
  '(',
  '.',
  '-',
  '!',
  'true',
  'false',
  'null',
])
const MEMBER_SUFFIXES: ReadonlySet<string> = new Set(['.', '['])

/** Whether an expression can start with the token. */
export function startsExpression(token: Token): boolean {
  if (token.kind === 'symbol') return EXPRESSION_SYMBOLS.has(token.text)
  return token.kind !== 'end' && token.kind !== 'escaped'
}

/** How ANTLR lists the tokens an expression may start with, and the symbols that would fit as well. */
export function expressionStart(others: readonly string[] = []): string {
  const has = (symbol: string): string => (others.includes(symbol) ? `'${symbol}', ` : '')
  return `{'[', ${has(']')}'{', ${has('}')}'(', ${has(')')}'.', ${has(',')}'-', '!', ${has('?')}'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}`
}

const MAX_ISSUES = 100

/** A position in a token list. */
export class TokenCursor {
  readonly issues: Issue[] = []
  readonly #text: string
  readonly #tokens: readonly Token[]
  /** What can come after each rule in progress, outermost first. */
  readonly #follows: (readonly string[])[] = []
  #at = 0
  /** After an error nothing is reported until a token fits again. */
  #recovering = false

  constructor(text: string, tokens: readonly Token[]) {
    this.#text = text
    this.#tokens = tokens
  }

  get peek(): Token {
    return this.#tokens[this.#at] as Token
  }

  ahead(count: number): Token {
    return this.#tokens[Math.min(this.#at + count, this.#tokens.length - 1)] as Token
  }

  next(): Token {
    const token = this.peek
    this.#recovering = false
    this.#skip()
    return token
  }

  #skip(): void {
    if (this.peek.kind !== 'end') this.#at++
  }

  is(symbol: string): boolean {
    return this.peek.kind === 'symbol' && this.peek.text === symbol
  }

  accept(symbol: string): Token | undefined {
    return this.is(symbol) ? this.next() : undefined
  }

  /** Runs a rule that some of the symbols may follow. */
  within<T>(follow: readonly string[], rule: () => T): T {
    this.#follows.push(follow)
    const result = rule()
    this.#follows.pop()
    return result
  }

  /**
   * The symbol that has to come, made up where it is only missing. Undefined if the rule that wants it has failed; the cursor
   * then stands where an outer rule can go on.
   */
  expect(symbol: string, set = `'${symbol}'`): Token | undefined {
    const token = this.peek
    if (this.is(symbol)) return this.next()
    if (token.kind !== 'end' && this.ahead(1).kind === 'symbol' && this.ahead(1).text === symbol) {
      this.syntaxError(`extraneous input '${token.text}' expecting ${set}`)
      this.#skip()
      return this.next()
    }
    if (set === `'${symbol}'` && this.#mayFollow(symbol)) {
      this.syntaxError(`missing '${symbol}' at '${token.text}'`)
      return token
    }
    this.syntaxError(`mismatched input '${token.text}' expecting ${set}`)
    this.recover()
    return undefined
  }

  /** Whether the next token is one that comes after the symbol: an expression after a colon, an operator or the end after a closer. */
  #mayFollow(symbol: string): boolean {
    const token = this.peek
    if (symbol === ':') return startsExpression(token)
    if (token.kind !== 'end' && token.kind !== 'symbol') return false
    return MEMBER_SUFFIXES.has(token.text) || this.#isFollow(token)
  }

  #isFollow(token: Token): boolean {
    if (token.kind !== 'end' && token.kind !== 'symbol') return false
    return this.#follows.some((follow) => follow.includes(token.text))
  }

  /** Skips to a token that may follow a rule in progress, or to the end. */
  recover(): void {
    while (this.peek.kind !== 'end' && !this.#isFollow(this.peek)) this.#skip()
  }

  /** Skips one token, reported as one too many, if an expression starts right after it. */
  skipUnwanted(set: string): boolean {
    const token = this.peek
    if (token.kind === 'end' || !startsExpression(this.ahead(1))) return false
    this.syntaxError(`extraneous input '${token.text}' expecting ${set}`)
    this.#skip()
    return true
  }

  /** Skips one token, reported as one too many, if the symbol comes right after it. */
  skipBefore(symbol: string, set: string): void {
    const token = this.peek
    const following = this.ahead(1)
    if (this.is(symbol) || following.kind !== 'symbol' || following.text !== symbol) return
    this.syntaxError(`extraneous input '${token.text}' expecting ${set}`)
    this.#skip()
  }

  /** The source from one token to the end of another. */
  textOf(first: Token, last: Token): string {
    return this.#text.slice(first.start, last.kind === 'end' ? first.end : last.end)
  }

  end(): void {
    const token = this.peek
    if (token.kind === 'end') return
    const what = this.ahead(1).kind === 'end' ? 'extraneous' : 'mismatched'
    this.syntaxError(`${what} input '${token.text}' expecting <EOF>`)
  }

  /** A mistake in the grammar at the next token. */
  syntaxError(message: string): void {
    if (!this.#recovering) this.report(this.peek.start, `Syntax error: ${message}`)
    this.#recovering = true
  }

  /** A mistake at an offset; without one, in the source as a whole. */
  report(offset: number | undefined, message: string): void {
    if (this.issues.length >= MAX_ISSUES) return
    const place = offset === undefined ? NO_LOCATION : locationOf(this.#text, offset)
    this.issues.push({ message, ...place })
  }
}
