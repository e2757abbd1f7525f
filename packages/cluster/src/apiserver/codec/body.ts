import { parseExact, stringifyExact } from 'kubewright/base'
import { type Document, isCollection, parseDocument } from 'yaml'
import { duplicateFields } from './duplicate-fields.ts'
import { mayHoldWritten, parseWritten, WrittenNumber } from '../resources/written-number.ts'
import { goSyntaxError } from './go-json-error.ts'
import { survey, tooDeepAt } from './nesting.ts'
import { unrepresentable } from './numbers.ts'
import { refusedByGo } from './yaml-document.ts'
import { yamlDuplicates } from './yaml-duplicates.ts'
import { goYamlError, goYamlFailure, TOO_DEEP } from './yaml-error.ts'
import { YAML_OPTIONS } from './yaml-options.ts'

/** A body read as JSON: its value, and the strict complaints of its text (`duplicate field "data.a"`). */
export interface ParsedBody {
  readonly value: unknown
  readonly problems: readonly string[]
}

/** A text that cannot be read; the message is the Go decoder's. */
export class SyntaxProblem extends Error {
  override readonly name: string = 'SyntaxProblem'
  /** Which decoder complains. */
  readonly of: 'json' | 'yaml'

  constructor(message: string, of: 'json' | 'yaml' = 'json') {
    super(message)
    this.of = of
  }
}

/** A text that says a number that is none of Go's; the message is the Go decoder's. */
export class NumberProblem extends SyntaxProblem {
  override readonly name = 'NumberProblem'
}

/**
 * Reads a JSON or YAML text; integers of 64 bits keep their value. `strict` also looks for fields given twice. `written` numbers of
 * JSON are told apart by how they are written, for who reads them into Go's types. Throws a {@link SyntaxProblem} or a
 * {@link NumberProblem}.
 */
export function parseBody(
  text: string,
  mediaType: 'application/json' | 'application/yaml',
  strict: boolean,
  numbers: 'plain' | 'written' = 'plain',
): ParsedBody {
  return mediaType === 'application/yaml'
    ? parseYamlBody(text, strict)
    : parseJsonBody(text, strict, numbers)
}

function parseJsonBody(
  text: string,
  strict: boolean,
  numbers: 'plain' | 'written' = 'plain',
): ParsedBody {
  const { tooDeep, plainNumbers } = survey(text)
  if (tooDeep) throw new SyntaxProblem(`invalid character '${tooDeep}' exceeded max depth`)
  const read = plainNumbers ? plainValue(text) : numberedValue(text, numbers)
  const value = wellFormed(text, read)
  const problems = strict ? duplicateFields(text).map((it) => `duplicate field "${it}"`) : []
  return { value, problems }
}

function jsonValue(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text)
  } catch {
    throw new SyntaxProblem(goSyntaxError(text))
  }
}

/** The value of a text whose numbers are all small integers: they mean the same to everybody. */
const plainValue = (text: string): unknown => jsonValue(text, (it) => JSON.parse(it) as unknown)

function numberedValue(text: string, numbers: 'plain' | 'written'): unknown {
  const parse = numbers === 'written' && mayHoldWritten(text) ? parseWritten : parseExact
  const value = jsonValue(text, parse)
  const odd = unrepresentable(text)
  if (odd !== undefined) {
    throw new NumberProblem(`json: cannot unmarshal number ${odd} into Go value of type float64`)
  }
  return value
}

/** Half of a surrogate pair is no character: Go puts U+FFFD in its place. */
const wellFormed = (text: string, value: unknown): unknown =>
  text.includes('\\u') && /\\u[dD][89a-fA-F]/.test(text) ? mended(value) : value

function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null || value instanceof WrittenNumber) return value
  if (Array.isArray(value)) return value.map(mended)
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key.toWellFormed(), mended(member)]),
  )
}

function parseYamlBody(text: string, strict: boolean): ParsedBody {
  // JSON is YAML: most apply bodies are JSON, and its parser is far faster.
  if (/^\s*[{[]/.test(text)) {
    try {
      const { value, problems } = parseJsonBody(text, strict)
      return { value, problems: problems.length > 0 ? yamlDuplicates(text) : problems }
    } catch {
      // YAML flow style looks alike.
    }
  }
  const { value, twice } = yamlValue(text)
  if (isTooDeep(value)) throw new SyntaxProblem(TOO_DEEP, 'yaml')
  refuseUnsayable(value)
  return { value: value ?? null, problems: strict && twice ? yamlDuplicates(text) : [] }
}

/** What nests so deep that it cannot be written out is too deep as well. */
function isTooDeep(value: unknown): boolean {
  try {
    return tooDeepAt(stringifyExact(value) ?? '') !== undefined
  } catch (error) {
    if (error instanceof RangeError) return true
    throw error
  }
}

/** What YAML takes for no character of a text: controls, but for tabs and the ends of lines. */
const CONTROL = /[^\P{Cc}\t\n\r\u0085]/u

/** The value of the first document, and whether something is given twice in it. */
function yamlValue(text: string): { readonly value: unknown; readonly twice: boolean } {
  if (CONTROL.test(text))
    throw new SyntaxProblem('yaml: control characters are not allowed', 'yaml')
  try {
    const document = parseDocument(text, { ...YAML_OPTIONS, uniqueKeys: true })
    const wrong = document.errors.find(
      (it) => it.code !== 'DUPLICATE_KEY' && !isBeyond(it, document),
    )
    if (wrong) throw new SyntaxProblem(goYamlError(wrong, text), 'yaml')
    const refused = refusedByGo(document, text)
    if (refused !== undefined) throw new SyntaxProblem(refused, 'yaml')
    const twice = document.errors.some((it) => it.code === 'DUPLICATE_KEY')
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown, twice }
  } catch (error) {
    if (error instanceof SyntaxProblem) throw error
    throw new SyntaxProblem(goYamlFailure(error as Error), 'yaml')
  }
}

/** How much aliases may unfold to before that is taken for an attack: the most that one makes, times how often it stands there. */
const MAX_ALIASES = 10_000

/** Go reads one document, and looks no further. */
function isBeyond(error: Document['errors'][number], { contents }: Document): boolean {
  if (error.code === 'MULTIPLE_DOCS') return true
  const flow = isCollection(contents) && contents.flow === true
  const end = contents?.range?.[1] ?? Infinity
  // What is missing at the end of the text is a bracket or a quote of the document itself.
  const isOpen =
    error.pos[0] === end && /^(?:Flow \S+ .*end with|Missing closing)/.test(error.message)
  return flow && error.pos[0] >= end && !isOpen
}

/** Infinity and what is no number can be said in YAML, and not in JSON. */
function refuseUnsayable(value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const name = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
    throw new SyntaxProblem(`json: unsupported value: ${name}`, 'yaml')
  }
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(refuseUnsayable)
}
