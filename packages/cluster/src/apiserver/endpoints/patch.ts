import {
  ApiError,
  badRequest,
  conflict,
  failure,
  formatGo,
  invalid,
  invalidValue,
  type JsonValue,
} from 'kubewright/machinery'
import { parseBody, SyntaxProblem } from '../codec/body.ts'
import { unsupportedMediaType } from '../codec/negotiate.ts'
import { strictFindings } from '../codec/yaml-duplicates.ts'
import type { Answer } from '../http/message.ts'
import type { Draft } from '../registry/strategy.ts'
import { outputOf, TRANSFORMS } from './answers.ts'
import type { Call } from './call.ts'
import { bodyText, strictSentence } from './decode.ts'
import { UPDATE } from './pipeline.ts'
import { applyDialect, type Dialect, DIALECTS } from './patch-dialects.ts'
import type { BodyReader } from './served.ts'
import { updateOrCreate } from './update.ts'
import { checkName, settle, writtenAnswer, type Writing } from './write.ts'
import { managerOf, writeOptions, type WriteOptions } from './write-options.ts'

/** PATCH of an object, or of a view of it (`status`), in any of the four dialects. */
export async function patch(call: Call): Promise<Answer> {
  const dialect = dialectOf(call)
  const { exchange } = call
  const output = outputOf(exchange, TRANSFORMS.object)
  const text = await bodyText(exchange.request)
  const applies = dialect === 'apply'
  const options = writeOptions(exchange.request.query, 'PatchOptions', applies)
  const bring = applies ? applying(call, text, options) : patching(call, dialect, text, options)
  const steps = applies && call.subresource === '' ? updateOrCreate : () => UPDATE
  const optionsKind = 'PatchOptions'
  const outcome = await settle(steps, call, { options, optionsKind, bring, tracked: applies })
  return writtenAnswer(call, output, outcome)
}

/** The dialect that the Content-Type names. Throws the 415. */
export function dialectOf({ exchange, served }: Call): Dialect {
  const type = (exchange.request.header('content-type') ?? '').split(';')[0]!
  const { custom } = served.info
  const taken = Object.keys(DIALECTS).filter((it) => !custom || DIALECTS[it] !== 'strategic')
  if (taken.includes(type)) return DIALECTS[type]!
  if (custom) throw unsupportedMediaType(taken)
  throw new ApiError(failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {}))
}

/** Patches the current object and decodes what comes out. */
function patching(
  call: Call,
  dialect: Exclude<Dialect, 'apply'>,
  text: string,
  options: WriteOptions,
): Writing['bring'] {
  return (current) => {
    const strict = options.fieldValidation !== 'Ignore'
    const make = (): Patched => {
      const { value, problems } = patchBody(text, dialect, strict)
      const object = applyDialect(dialect, current!, value, call.served)
      return { object, problems, ...(dialect === 'strategic' ? { patch: value } : {}) }
    }
    const draft = decodePatched(make, call.served.body, options, call.exchange.warnings)
    checkName(draft, call.name)
    return draft
  }
}

/** Reads a patch that is not an apply. Throws a 400. */
export function patchBody(
  text: string,
  dialect: Exclude<Dialect, 'apply'>,
  strict: boolean,
): { readonly value: unknown; readonly problems: readonly string[] } {
  try {
    const { value, problems } = parseBody(text, 'application/json', strict)
    const prefix = dialect === 'json' ? 'json patch ' : ''
    return { value, problems: problems.map((it) => prefix + it) }
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error
    const prefix = dialect === 'strategic' ? '' : 'error decoding patch: '
    throw badRequest(prefix + error.message)
  }
}

/** What a patch made, and what strict reading finds wrong with the patch itself; a strategic `patch` is named when it does not fit. */
export interface Patched {
  readonly object: Record<string, unknown>
  readonly problems: readonly string[]
  readonly patch?: unknown
}

/**
 * The object that a patch made; what does not decode is the patch's fault (handlers/patch.go). `make` patches: reading takes the object
 * over, so it is made again for the rare answer that quotes it.
 */
export function decodePatched(
  make: () => Patched,
  reader: BodyReader,
  options: WriteOptions,
  warnings: string[],
): Draft {
  const { object, problems, patch: strategic } = make()
  const wrong = (sentence: string): ApiError =>
    invalid({ group: '', kind: '' }, '', [invalidValue('patch', quoted(make()), sentence)])
  let result: ReturnType<BodyReader['read']>
  try {
    result = reader.read(object)
  } catch (error) {
    if (error instanceof ApiError) throw error
    const { message } = error as Error
    throw wrong(strategic === undefined ? message : conversionSentence(message))
  }
  if (options.fieldValidation === 'Ignore') return result.object
  const all = [...problems, ...result.problems]
  if (all.length > 0 && options.fieldValidation === 'Strict') throw wrong(strictSentence(all))
  warnings.push(...all)
  return result.object
}

const quoted = ({ object, patch }: Patched): string =>
  patch === undefined ? patchedText(object) : formatGo(patch as JsonValue)

/** Go's patchers hold an object whose fields are touched as a map, which is written by key; what lies deeper stays as it was. */
const patchedText = (object: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  )

const UNMARSHAL = /^json: cannot unmarshal (\w+)(?: \S+)? into Go .* of type (\S+)$/

/** A strategic patch is converted from a map, not decoded from text, and says so (apimachinery/pkg/runtime/converter.go). */
function conversionSentence(message: string): string {
  const [, given = '', wanted = ''] = UNMARSHAL.exec(message) ?? []
  if (wanted === '') return message
  if (wanted.startsWith('map[')) return `cannot restore map from ${given}`
  if (wanted.startsWith('[]')) return `cannot restore slice from ${given}`
  return given === 'number' && wanted === 'string'
    ? 'cannot convert int64 to string'
    : `unrecognized type: ${wanted}`
}

/** Server-side apply onto what is there, or onto nothing. */
function applying(call: Call, text: string, options: WriteOptions): Writing['bring'] {
  const { served, exchange } = call
  const manager = managerOf(options, exchange.request.header('user-agent'))
  return (current) => {
    const applied = appliedBody(call, text, options)
    const { fields } = served
    const merged = fields.apply(current, applied, manager, options.force ?? false, call.subresource)
    const { managedFields } = merged.metadata
    const draft = served.fromApply?.(merged) ?? served.body.read(merged).object
    if (managedFields) draft.metadata.managedFields = managedFields
    if (!current) refuseUid(call, draft)
    checkName(draft, call.name)
    return draft
  }
}

function appliedBody(call: Call, text: string, options: WriteOptions): Record<string, unknown> {
  const strict = options.fieldValidation !== 'Ignore'
  let body: { readonly value: unknown; readonly problems: readonly string[] }
  try {
    body = parseBody(text, 'application/yaml', strict)
  } catch (error) {
    throw badRequest(`error decoding YAML: ${(error as Error).message}`)
  }
  const { value, problems } = body
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into Go value of type map[string]interface {}`,
    )
  }
  if (problems.length > 0 && options.fieldValidation === 'Strict') {
    const findings = strictFindings(problems)
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${findings}`)
  }
  call.exchange.warnings.push(...problems)
  return value as Record<string, unknown>
}

/** An apply that names a uid means an object that is there; one that names a resourceVersion does not. */
function refuseUid(call: Call, draft: Draft): void {
  const { uid } = draft.metadata
  delete draft.metadata.resourceVersion
  if (!uid) return
  throw conflict(
    call.served.info,
    call.name,
    `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
  )
}
