/** Source text → tokens (the lexer rules of cel-go's CEL.g4). */

/** What a token is: punctuation and keywords under their own text, the rest by class. */
export type TokenKind =
  'int' | 'uint' | 'double' | 'string' | 'bytes' | 'identifier' | 'escaped' | 'symbol' | 'end'

/** One token; `start` and `end` are UTF-16 offsets. */
export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly start: number
  readonly end: number
}

/** A piece of text that is no token. */
export interface LexError {
  readonly offset: number
  readonly message: string
}

const SPACE = /(?:[\t \r\n\f]|\/\/[^\n]*)+/y
const ESCAPE = String.raw`\\(?:[abfnrtv"'\\?${'`'}]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`
const STRING = [
  String.raw`[rR]"""[^]*?"""`,
  String.raw`[rR]'''[^]*?'''`,
  String.raw`[rR]"[^"\n\r]*"`,
  String.raw`[rR]'[^'\n\r]*'`,
  String.raw`"""(?:${ESCAPE}|[^\\])*?"""`,
  String.raw`'''(?:${ESCAPE}|[^\\])*?'''`,
  String.raw`"(?:${ESCAPE}|[^\\"\n\r])*"`,
  String.raw`'(?:${ESCAPE}|[^\\'\n\r])*'`,
].join('|')

/** Tried in this order at each position; of the number rules the longest match is the first that matches. */
const RULES: readonly (readonly [TokenKind, RegExp])[] = [
  ['bytes', new RegExp(`[bB](?:${STRING})`, 'y')],
  ['string', new RegExp(STRING, 'y')],
  ['identifier', /[a-zA-Z_][a-zA-Z0-9_]*/y],
  [
    'double',
    /[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?/y,
  ],
  ['uint', /(?:0x[0-9a-fA-F]+|[0-9]+)[uU]/y],
  ['int', /0x[0-9a-fA-F]+|[0-9]+/y],
  ['escaped', /`[a-zA-Z0-9_.\-/ ]+`/y],
  ['symbol', /==|!=|<=|>=|&&|\|\||[[\]{}().,\-!?:+*/%<>]/y],
]

const KEYWORDS: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null'])

/** All tokens, the last one of kind `end`; and what could not be read, which is skipped. */
export function tokenize(text: string): {
  readonly tokens: readonly Token[]
  readonly errors: readonly LexError[]
} {
  const tokens: Token[] = []
  const errors: LexError[] = []
  let at = skipSpace(text, 0)
  while (at < text.length) {
    const token = readToken(text, at)
    if (token === undefined) {
      const end = unreadableEnd(text, at)
      errors.push({
        offset: at,
        message: `token recognition error at: '${shown(text.slice(at, end))}'`,
      })
      at = skipSpace(text, end)
    } else {
      tokens.push(token)
      at = skipSpace(text, token.end)
    }
  }
  tokens.push({ kind: 'end', text: '<EOF>', start: text.length, end: text.length })
  return { tokens, errors }
}

function readToken(text: string, start: number): Token | undefined {
  for (const [kind, rule] of RULES) {
    rule.lastIndex = start
    const match = rule.exec(text)
    if (match === null) continue
    const isKeyword = kind === 'identifier' && KEYWORDS.has(match[0])
    return { kind: isKeyword ? 'symbol' : kind, text: match[0], start, end: rule.lastIndex }
  }
  return undefined
}

function skipSpace(text: string, start: number): number {
  SPACE.lastIndex = start
  return SPACE.test(text) ? SPACE.lastIndex : start
}

/** An unfinished string runs to where it would have had to end; anything else is one character. */
function unreadableEnd(text: string, start: number): number {
  const unfinished = /[bB]?[rR]?(?:"(?:\\.|[^\\"\n\r])*|'(?:\\.|[^\\'\n\r])*)/y
  unfinished.lastIndex = start
  if (unfinished.test(text)) return Math.max(unfinished.lastIndex, start + 1)
  // The first half of a two-character operator takes the character that was not its other half along.
  if (/[=&|]/.test(text.charAt(start))) return Math.min(start + 2, text.length)
  return start + ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1)
}

function shown(text: string): string {
  return text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')
}
