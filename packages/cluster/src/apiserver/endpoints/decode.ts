import { ApiError, apiVersionOf, badRequest, failure, parseApiVersion } from 'kubewright/machinery'
import { NumberProblem, type ParsedBody, parseBody, SyntaxProblem } from '../codec/body.ts'
import { duplicateAndUnknown } from '../codec/duplicate-fields.ts'
import { goKindOf } from '../codec/go-json-error.ts'
import { BUILTIN_INPUT, CUSTOM_INPUT, type InputType, negotiateInput } from '../codec/negotiate.ts'
import { strictFindings } from '../codec/yaml-duplicates.ts'
import { type Envelope, openEnvelope, PROTOBUF, readEnvelope } from '../codec/protobuf.ts'
import type { ApiRequest } from '../http/message.ts'
import type { Draft } from '../registry/strategy.ts'
import type { KindName } from '../resources/builtins.ts'
import type { Call } from './call.ts'
import { isRegistered } from './registered-kinds.ts'
import type { BodyReader } from './served.ts'
import type { WriteOptions } from './write-options.ts'

/** The longest body that is read, in bytes. */
export const MAX_BODY: number = 3 * 1024 * 1024

/** Reads a body as text. Throws the 413 of the real server. */
export async function bodyText(request: ApiRequest): Promise<string> {
  return (await bodyBytes(request)).toString('utf8')
}

/** Reads a body. Throws the 413 of the real server. */
export async function bodyBytes(request: ApiRequest): Promise<Buffer> {
  const bytes = await request.body(MAX_BODY)
  if (bytes) return bytes
  const message = `Request entity too large: limit is ${MAX_BODY}`
  throw new ApiError(failure(413, 'RequestEntityTooLarge', message))
}

/** In what the body of a write is written. Throws a 415. */
export const bodyType = ({ exchange, served }: Call): InputType =>
  negotiateInput(
    exchange.request.header('content-type'),
    served.info.custom ? CUSTOM_INPUT : BUILTIN_INPUT,
  )

/** What is read of a body before its kind is: where it says what it is. */
interface TypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

/**
 * Decodes the body of a POST or PUT into the kind that an endpoint takes (handlers/create.go, rest.go transformDecodeError). Strict
 * findings become warnings or, when the client asks, a refusal. Throws an ApiError.
 */
export function decodeObject(
  bytes: Buffer,
  mediaType: InputType,
  reader: BodyReader,
  level: WriteOptions['fieldValidation'],
  custom: boolean,
  warnings: string[],
): Draft {
  const strict = level !== 'Ignore'
  if (mediaType === PROTOBUF) return readInto(fromProtobuf(bytes, reader), reader).object
  const text = bytes.toString('utf8')
  const { value, problems } = parsed(bytes, text, mediaType, reader, strict, custom)
  // A custom kind is read before it is looked at in which version it came.
  const early = custom && isOfOtherVersion(value, reader) ? problems : []
  if (level === 'Warn') warnings.push(...early)
  const body = typeMetaChecked(value, bytes, reader, custom ? level : undefined)
  if (level === 'Strict' && early.length > 0)
    throw cannotHandle(givenType(typeMetaOf(body), reader), reader, strictSentence(early))
  if (custom) checkVersion(body, reader)
  const result = readInto(body, reader)
  const all = strict ? strictProblems(problems, result.problems, custom ? undefined : text) : []
  if (all.length === 0) return result.object
  if (level === 'Strict') throw cannotHandle(reader, reader, strictSentence(all))
  warnings.push(...all)
  return result.object
}

/**
 * Duplicate fields, then unknown ones. Built-in kinds are decoded in one go: where there are both, they come in the order of the
 * JSON `text`. YAML is made to JSON first, and says what is twice there before all else.
 */
function strictProblems(
  duplicate: readonly string[],
  unknown: readonly string[],
  text: string | undefined,
): readonly string[] {
  if (text === undefined || !duplicate[0]?.startsWith('duplicate') || unknown.length === 0) {
    return [...duplicate, ...unknown]
  }
  const paths = unknown.map((it) => JSON.parse(it.slice(it.indexOf('"'))) as string)
  return duplicateAndUnknown(text, new Set(paths)).map(
    ({ problem, path }) => `${problem} field ${JSON.stringify(path)}`,
  )
}

/** Protobuf has no unknown fields to complain of, and its envelope says what it is. */
function fromProtobuf(bytes: Buffer, reader: BodyReader): Record<string, unknown> {
  const envelope = opened(bytes, reader)
  checkBuiltinType({ apiVersion: envelope.apiVersion, kind: envelope.kind }, reader)
  try {
    return readEnvelope(envelope)
  } catch (error) {
    throw cannotHandle(reader, reader, (error as Error).message)
  }
}

function opened(bytes: Buffer, reader: BodyReader): Envelope {
  try {
    return openEnvelope(bytes)
  } catch (error) {
    throw unrecognized(reader, (error as Error).message, bytes)
  }
}

/** `strict decoding error: unknown field "a", duplicate field "b"`. */
export const strictSentence = (problems: readonly string[]): string =>
  `strict decoding error: ${strictFindings(problems)}`

function parsed(
  bytes: Buffer,
  text: string,
  mediaType: Exclude<InputType, typeof PROTOBUF>,
  reader: BodyReader,
  strict: boolean,
  custom: boolean,
): ParsedBody {
  try {
    return parseBody(text, mediaType, strict, custom ? 'plain' : 'written')
  } catch (error) {
    if (error instanceof NumberProblem) throw cannotHandle(reader, reader, error.message)
    if (!(error instanceof SyntaxProblem)) throw error
    const sentence = error.of === 'yaml' ? error.message : jsonProblem(error.message)
    throw unrecognized(reader, sentence, bytes)
  }
}

const jsonProblem = (problem: string): string =>
  `couldn't get version/kind; json parse error: ${problem}`

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/** What Go says of a value that is no object, where it looks for what kind it is. */
export const noTypeMeta = (value: unknown): string =>
  jsonProblem(`json: cannot unmarshal ${goKindOf(value)} into Go value of type ${TYPE_META}`)

function typeMetaChecked(
  value: unknown,
  bytes: Buffer,
  reader: BodyReader,
  customLevel: WriteOptions['fieldValidation'] | undefined,
): Record<string, unknown> {
  if (value === null && !customLevel) return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unrecognized(reader, noTypeMeta(value), bytes)
  const body = value as Record<string, unknown>
  for (const field of ['apiVersion', 'kind']) {
    const given = body[field] ?? ''
    if (typeof given === 'string') continue
    const problem = `json: cannot unmarshal ${goKindOf(given)} into Go struct field .${field} of type string`
    throw unrecognized(reader, jsonProblem(problem), bytes)
  }
  if (customLevel) checkCustomType(body, bytes, reader, customLevel)
  else checkBuiltinType(body, reader)
  return body
}

const typeMetaOf = (body: Record<string, unknown>): TypeMeta => ({
  apiVersion: (body['apiVersion'] as string | undefined) ?? '',
  kind: (body['kind'] as string | undefined) ?? '',
})

function isOfOtherVersion(value: unknown, reader: BodyReader): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { apiVersion, kind } = value as Readonly<Record<string, unknown>>
  return (
    typeof kind === 'string' &&
    kind !== '' &&
    (apiVersion === undefined || typeof apiVersion === 'string') &&
    apiVersion !== apiVersionOf(reader)
  )
}

/** What is said of a custom resource whose apiVersion is null. */
export const NO_VERSION: string =
  '.apiVersion accessor error: <nil> is of the type <nil>, expected string'

/** A custom kind must say what it is; who asks for no checks is told so by another decoder. */
function checkCustomType(
  body: Record<string, unknown>,
  bytes: Buffer,
  reader: BodyReader,
  level: WriteOptions['fieldValidation'],
): void {
  const meta = typeMetaOf(body)
  if (meta.kind === '') {
    const sentence = `Object 'Kind' is missing in '${bytes.toString('utf8')}'`
    if (level === 'Ignore') throw cannotHandle(givenType(meta, reader), reader, sentence)
    throw unrecognized(reader, sentence, bytes)
  }
  if (body['apiVersion'] !== null) return
  throw cannotHandle({ version: '', kind: meta.kind }, reader, NO_VERSION)
}

function checkVersion(body: Record<string, unknown>, reader: BodyReader): void {
  const { apiVersion } = typeMetaOf(body)
  const expected = apiVersionOf(reader)
  if (apiVersion !== expected) throw wrongVersion(apiVersion, expected)
}

function checkBuiltinType(body: Record<string, unknown>, reader: BodyReader): void {
  const meta = typeMetaOf(body)
  body['apiVersion'] = apiVersionOf(reader)
  body['kind'] = reader.kind
  const problem = typeProblem(meta, reader)
  if (problem !== undefined) throw cannotHandle(givenType(meta, reader), reader, problem)
}

/** What a body says it is; what it leaves out is the reader's. */
const givenType = ({ apiVersion, kind }: TypeMeta, reader: BodyReader): KindName => ({
  ...(apiVersion === '' ? reader : parseApiVersion(apiVersion)),
  kind: kind === '' ? reader.kind : kind,
})

/** Why an object of a built-in kind cannot be read as what the reader reads; undefined where it can. */
export function typeProblem(meta: TypeMeta, reader: BodyReader): string | undefined {
  const given = givenType(meta, reader)
  if (given.kind === reader.kind && apiVersionOf(given) === apiVersionOf(reader)) return undefined
  return isRegistered(given)
    ? `converting (${given.version}.${given.kind}) to (${packageOf(reader)}.${reader.kind}): unknown conversion`
    : `no kind "${given.kind}" is registered for version "${apiVersionOf(given)}" in scheme "pkg/runtime/scheme.go:111"`
}

const packageOf = ({ group }: BodyReader): string => (group === '' ? 'core' : group.split('.')[0]!)

const wrongVersion = (given: string, expected: string): ApiError =>
  badRequest(
    `the API version in the data (${given}) does not match the expected API version (${expected})`,
  )

function readInto(
  body: Record<string, unknown>,
  reader: BodyReader,
): ReturnType<BodyReader['read']> {
  try {
    return reader.read(body)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw cannotHandle(reader, reader, (error as Error).message)
  }
}

function cannotHandle(
  given: { readonly version: string; readonly kind: string },
  reader: BodyReader,
  sentence: string,
): ApiError {
  return badRequest(
    `${given.kind} in version "${given.version}" cannot be handled as a ${reader.kind}: ${sentence}`,
  )
}

function unrecognized(reader: BodyReader, sentence: string, bytes: Buffer): ApiError {
  return badRequest(
    `the object provided is unrecognized (must be of type ${reader.kind}): ${sentence} (${summary(bytes)})`,
  )
}

const SUMMARY = 30
const BRACE = 0x7b

/** The beginning of a body, in hexadecimal where it does not look like JSON. */
function summary(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>'
  const head = bytes.subarray(0, SUMMARY)
  return `${bytes[0] === BRACE ? head.toString() : head.toString('hex')}${bytes.length > SUMMARY ? ' ...' : ''}`
}
