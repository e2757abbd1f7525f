import { parse as parseYaml, type Tags } from 'yaml'
import { duplicateFields } from './duplicate-fields.ts'
import { goSyntaxError } from './go-json-error.ts'
import type { OutputType } from './negotiate.ts'

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
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new SyntaxProblem(goSyntaxError(text))
  }
  const problems = strict ? duplicateFields(text).map((it) => `duplicate field "${it}"`) : []
  return { value, problems }
}

function parseYamlBody(text: string, strict: boolean): ParsedBody {
  // JSON is YAML: most apply bodies are JSON, and its parser is far faster.
  if (/^\s*[{[]/.test(text)) {
    try {
      return parseJsonBody(text, strict)
    } catch {
      // YAML flow style looks alike.
    }
  }
  const problems: string[] = []
  const value: unknown = yamlValue(text, problems)
  return { value: value ?? null, problems: strict ? problems : [] }
}

/** Go's YAML takes dates and times of day for text, since JSON has neither. */
const jsonTags = (tags: Tags): Tags =>
  tags.filter(
    (it) => typeof it === 'string' || (it.format !== 'TIME' && !it.tag.endsWith(':timestamp')),
  )

function yamlValue(text: string, problems: string[]): unknown {
  const options = {
    version: '1.1',
    merge: true,
    schema: 'yaml-1.1',
    logLevel: 'error',
    customTags: jsonTags,
  } as const
  try {
    return parseYaml(text, { ...options, uniqueKeys: true }) as unknown
  } catch (error) {
    const message = (error as Error).message
    if (!message.includes('unique')) throw new SyntaxProblem(yamlSentence(error as YamlFailure))
    problems.push(yamlSentence(error as YamlFailure))
    return parseYaml(text, { ...options, uniqueKeys: false }) as unknown
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
