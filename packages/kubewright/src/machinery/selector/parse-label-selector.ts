import { isLabelValue, isQualifiedName } from '../names.ts'
import {
  everything,
  labelSelector,
  type LabelOperator,
  type LabelRequirement,
  type LabelSelector,
} from './label-selector.ts'

type TokenType =
  | 'identifier'
  | 'in'
  | 'notin'
  | 'end'
  | 'error'
  | ','
  | '!'
  | '=='
  | '='
  | '>'
  | '<'
  | '!='
  | '('
  | ')'

interface Token {
  readonly type: TokenType
  readonly text: string
}

const SYMBOLS: readonly TokenType[] = ['!=', '==', '=', '!', ',', '(', ')', '>', '<']
const OPERATORS: Readonly<Partial<Record<TokenType, LabelOperator>>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
}
const BINARY = 'in, notin, =, ==, !=, gt, lt'

function tokens(text: string): Token[] {
  const found: Token[] = []
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at)
    const space = /^[ \t\r\n]+/.exec(rest)
    if (space) {
      at += space[0].length
      continue
    }
    const symbol = SYMBOLS.find((it) => rest.startsWith(it))
    const word = symbol ?? /^[^ \t\r\n=!(),><]+/.exec(rest)![0]
    found.push({
      type: symbol ?? (word === 'in' || word === 'notin' ? word : 'identifier'),
      text: word,
    })
    at += word.length
  }
  return [...found, { type: 'end', text: '' }]
}

/**
 * Reads Kubernetes' label selector syntax: `app=web,tier in (a,b),!gone`. Throws an Error with the real server's sentence, such as
 * `unable to parse requirement: found ',', expected: identifier`. The empty string selects everything.
 */
export function parseLabelSelector(text: string): LabelSelector {
  if (text === '') return everything
  const reader = read(tokens(text))
  const requirements: LabelRequirement[] = []
  for (;;) {
    const next = reader.peekValue()
    if (next.type === 'end') return labelSelector(requirements)
    if (next.type !== 'identifier' && next.type !== '!')
      throw new Error(`found '${next.text}', expected: !, identifier, or 'end of string'`)
    requirements.push(withContext(() => requirement(reader)))
    const after = reader.value()
    if (after.type === 'end') return labelSelector(requirements)
    if (after.type !== ',')
      throw new Error(`found '${after.text}', expected: ',' or 'end of string'`)
    const follows = reader.peekValue()
    if (follows.type !== 'identifier' && follows.type !== '!')
      throw new Error(`found '${follows.text}', expected: identifier after ','`)
  }
}

function withContext<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new Error(`unable to parse requirement: ${(error as Error).message}`, { cause: error })
  }
}

interface Reader {
  /** The next token, where `in` and `notin` are plain words. */
  value(): Token
  peekValue(): Token
  /** The next token, where `in` and `notin` are operators. */
  operator(): Token
}

function read(all: readonly Token[]): Reader {
  let at = 0
  const end = all.at(-1)!
  const plain = (it: Token): Token =>
    it.type === 'in' || it.type === 'notin' ? { ...it, type: 'identifier' } : it
  return {
    value: () => plain(all[at++] ?? end),
    peekValue: () => plain(all[at] ?? end),
    operator: () => all[at++] ?? end,
  }
}

function requirement(reader: Reader): LabelRequirement {
  let token = reader.value()
  const absent = token.type === '!'
  if (absent) token = reader.value()
  if (token.type !== 'identifier') throw new Error(`found '${token.text}', expected: identifier`)
  const key = token.text
  refuse('key', key, isQualifiedName(key))
  const next = reader.peekValue()
  if (absent && (next.type === 'end' || next.type === ','))
    return { key, operator: '!', values: [] }
  if (absent) return { key, operator: '!', values: [] }
  if (next.type === 'end' || next.type === ',') return { key, operator: 'exists', values: [] }
  const sign = reader.operator()
  const operator = OPERATORS[sign.type]
  if (!operator) throw new Error(`found '${sign.text}', expected: ${BINARY}`)
  const values = operator === 'in' || operator === 'notin' ? valueSet(reader) : [exactValue(reader)]
  return checked({ key, operator, values: [...new Set(values)].sort() })
}

function checked(it: LabelRequirement): LabelRequirement {
  if (it.operator === 'gt' || it.operator === 'lt') {
    const [value = ''] = it.values
    if (!/^[+-]?\d+$/.test(value))
      throw new Error(
        `values[0]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
      )
  }
  it.values.forEach((value, index) =>
    refuse(`values[${index}][${it.key}]`, value, isLabelValue(value)),
  )
  return it
}

function refuse(path: string, value: string, problems: readonly string[]): void {
  if (problems.length)
    throw new Error(
      `${path === 'key' ? '<nil>' : path}: Invalid value: ${JSON.stringify(value)}: ${problems.join('; ')}`,
    )
}

function exactValue(reader: Reader): string {
  const next = reader.peekValue()
  if (next.type === 'end' || next.type === ',') return ''
  const token = reader.value()
  if (token.type !== 'identifier') throw new Error(`found '${token.text}', expected: identifier`)
  return token.text
}

function valueSet(reader: Reader): string[] {
  const open = reader.value()
  if (open.type !== '(') throw new Error(`found '${open.text}' expected: '('`)
  const first = reader.peekValue()
  if (first.type === ')') {
    reader.value()
    return ['']
  }
  if (first.type !== 'identifier' && first.type !== ',')
    throw new Error(`found '${first.text}', expected: ',', ')' or identifier`)
  const values = valueList(reader)
  reader.value()
  return values
}

/** Reads up to the closing parenthesis; an empty place between commas is the empty string. */
function valueList(reader: Reader): string[] {
  const values: string[] = []
  for (;;) {
    const token = reader.value()
    const next = reader.peekValue()
    if (token.type === 'identifier') {
      values.push(token.text)
      if (next.type === ')') return values
      if (next.type !== ',') throw new Error(`found '${next.text}', expected: ',' or ')'`)
    } else if (token.type === ',') {
      if (values.length === 0 || next.type === ',') values.push('')
      if (next.type === ')') return [...values, '']
    } else {
      throw new Error(`found '${token.text}', expected: ',', or identifier`)
    }
  }
}
