import { parse as parseYaml } from 'yaml'
import { duplicateFields } from './duplicate-fields.ts'
import { goSyntaxError } from './go-json-error.ts'
import type { OutputType } from './negotiate.ts'
import { tooDeepAt } from './nesting.ts'
import { yamlDuplicates } from './yaml-duplicates.ts'
import { YAML_OPTIONS } from './yaml-options.ts'

/** A body read as JSON: its value, and the strict complaints of its text (`duplicate field "data.a"`). */
export interface ParsedBody {
  readonly value: unknown
  readonly problems: readonly string[]
}

/** A text that cannot be read; the message is the Go decoder's. */
export class SyntaxProblem extends Error {
  override readonly name = 'SyntaxProblem'
}

/** Reads a JSON or YAML text. `strict` also looks for fields given twice. Throws a {@link SyntaxProblem}. */
export function parseBody(
  text: string,
  mediaType: OutputType['mediaType'],
  strict: boolean,
): ParsedBody {
  return mediaType === 'application/yaml'
    ? parseYamlBody(text, strict)
    : parseJsonBody(text, strict)
}

function parseJsonBody(text: string, strict: boolean): ParsedBody {
  refuseDepth(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new SyntaxProblem(goSyntaxError(text))
  }
  const problems = strict ? duplicateFields(text).map((it) => `duplicate field "${it}"`) : []
  return { value, problems }
}

function refuseDepth(text: string): void {
  const bracket = tooDeepAt(text)
  if (bracket) throw new SyntaxProblem(`invalid character '${bracket}' exceeded max depth`)
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
  refuseDepth(JSON.stringify(value) ?? '')
  return { value: value ?? null, problems: strict && twice ? yamlDuplicates(text) : [] }
}

/** The value, and whether something is given twice in it. */
function yamlValue(text: string): { readonly value: unknown; readonly twice: boolean } {
  try {
    const value = parseYaml(text, { ...YAML_OPTIONS, uniqueKeys: true }) as unknown
    return { value, twice: false }
  } catch (error) {
    const message = (error as Error).message
    if (!message.includes('unique')) throw new SyntaxProblem(yamlSentence(error as YamlFailure))
    const value = parseYaml(text, { ...YAML_OPTIONS, uniqueKeys: false }) as unknown
    return { value, twice: true }
  }
}

interface YamlFailure extends Error {
  readonly linePos?: readonly [{ readonly line: number }, ...unknown[]]
}

function yamlSentence(error: YamlFailure): string {
  const line = error.linePos?.[0].line
  const text = error.message.split(' at line ')[0]!
  return line === undefined ? `yaml: ${text}` : `yaml: line ${line}: ${text}`
}
