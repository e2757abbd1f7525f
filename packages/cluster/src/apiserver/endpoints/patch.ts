import { stringifyExact } from 'kubewright/base'
import {
  ApiError,
  apiVersionOf,
  badRequest,
  conflict,
  failure,
  formatGo,
  internalError,
  invalid,
  invalidValue,
  type JsonValue,
  type UnknownObject,
} from 'kubewright/machinery'
import { parseBody, SyntaxProblem } from '../codec/body.ts'
import { goKindOf } from '../codec/go-json-error.ts'
import { OFFERS, unsupportedMediaType } from '../codec/negotiate.ts'
import { strictFindings } from '../codec/yaml-duplicates.ts'
import type { Answer } from '../http/message.ts'
import type { Draft } from '../registry/strategy.ts'
import { outputOf } from './answers.ts'
import type { Call } from './call.ts'
import { bodyText, NO_VERSION, noTypeMeta, strictSentence, typeProblem } from './decode.ts'
import { UPDATE } from './pipeline.ts'
import { applyDialect, type Dialect, DIALECTS } from './patch-dialects.ts'
import { patchedOrder, patchedText, spentPatch } from './patch-text.ts'
import { sameJson } from './same-json.ts'
import { isRegistered } from './registered-kinds.ts'
import type { BodyReader } from './served.ts'
import { appliesAbsent, updateOrCreate } from './update.ts'
import { checkName, settle, writtenAnswer, type Writing } from './write.ts'
import { managerOf, writeOptions, type WriteOptions } from './write-options.ts'

/** PATCH of an object, or of a view of it (`status`), in any of the four dialects. */
export async function patch(call: Call): Promise<Answer> {
  const dialect = dialectOf(call)
  const { exchange } = call
  const output = outputOf(exchange, OFFERS.object)
  const text = await bodyText(exchange.request)
  exchange.audit?.patched(text)
  const applies = dialect === 'apply'
  const options = writeOptions(exchange.request.query, 'PatchOptions', applies)
  const bring = applies ? applying(call, text, options) : patching(call, dialect, text, options)
  const creates = applies && appliesAbsent(call)
  const steps = creates ? updateOrCreate : () => UPDATE
  const outcome = await settle(steps, call, { options, bring, tracked: applies })
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
      return { object, problems, before: current!, patch: value, dialect }
    }
    const { custom } = call.served.info
    const draft = decodePatched(make, call.served.body, options, call.exchange.warnings, custom)
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
    if (value === null && dialect === 'strategic') return { value: {}, problems }
    if (value === null && dialect === 'merge') throw badRequest('Invalid JSON Patch')
    const problem = dialect === 'json' && strict ? operationsProblem(value) : undefined
    if (problem !== undefined) throw badRequest(`error decoding patch: json: ${problem}`)
    if (dialect === 'merge' && !strict) checkMerge(value)
    const prefix = dialect === 'json' ? 'json patch ' : ''
    return { value, problems: problems.map((it) => prefix + it) }
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error
    // Nobody reads a merge patch before it is merged, unless it is read strictly.
    if (dialect === 'merge' && !strict) throw badRequest('Invalid JSON Patch')
    // Nor does anybody read a JSON patch before that which applies it.
    const prefix = dialect === 'strategic' || !strict ? '' : 'error decoding patch: '
    throw badRequest(prefix + error.message)
  }
}

/** What Go says of what is no list of operations; only what reads them strictly knows them by this name. */
function operationsProblem(value: unknown): string | undefined {
  if (value === null) return undefined
  if (!Array.isArray(value))
    return `cannot unmarshal ${goKindOf(value)} into Go value of type []handlers.jsonPatchOp`
  const odd = (value as readonly unknown[]).find(
    (it) => it !== null && (typeof it !== 'object' || Array.isArray(it)),
  )
  return odd === undefined
    ? undefined
    : `cannot unmarshal ${goKindOf(odd)} into Go value of type handlers.jsonPatchOp`
}

/** Unless it is read strictly, a list takes the place of the object, and it is this which is no object. Throws a 400 or the 422. */
function checkMerge(value: unknown): void {
  if (Array.isArray(value))
    throw notPatched(stringifyExact(value.map(withoutNulls)), noTypeMeta(value))
  if (typeof value !== 'object') throw badRequest('Invalid JSON Patch')
}

/** A value without the nulls of its maps, as a merge takes it over. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([, it]) => it !== null)
  return Object.fromEntries(kept.map(([name, it]) => [name, withoutNulls(it)]))
}

/** The 422 of what cannot be read of a patched object. */
const notPatched = (text: string, sentence: string): ApiError =>
  invalid({ group: '', kind: '' }, '', [invalidValue('patch', text, sentence)])

/** What a patch made of what was there before, and what strict reading finds wrong with the patch itself. */
export interface Patched {
  readonly object: Record<string, unknown>
  readonly problems: readonly string[]
  readonly before: UnknownObject
  readonly patch: unknown
  readonly dialect: Exclude<Dialect, 'apply'>
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
  custom: boolean,
): Draft {
  const { object: patched, problems, dialect, patch, before } = make()
  // The order in which a patcher writes is that in which its text is read: of what is wrong, the first counts.
  const object = dialect === 'strategic' ? patched : patchedOrder(patched, dialect, patch, before)
  const wrong = (sentence: string): ApiError => notPatched(quoted(make()), sentence)
  const result = read(object, dialect, reader, custom, wrong, () => quoted(make()))
  if (options.fieldValidation === 'Ignore') return result.object
  const all = [...problems, ...result.problems]
  if (all.length > 0 && options.fieldValidation === 'Strict') throw wrong(strictSentence(all))
  warnings.push(...all)
  return result.object
}

function read(
  object: Record<string, unknown>,
  dialect: Patched['dialect'],
  reader: BodyReader,
  custom: boolean,
  wrong: (sentence: string) => ApiError,
  text: () => string,
): ReturnType<BodyReader['read']> {
  // A strategic patch is converted into the kind's own struct, which takes its name from no one.
  if (dialect !== 'strategic') {
    const problem = patchedTypeProblem(object, reader, custom, text)
    if (problem !== undefined) throw wrong(problem)
    if (!custom && (object['apiVersion'] ?? '') === '') return readVersionless(object)
  }
  try {
    if (dialect === 'strategic') return readRestored(object, reader)
    return reader.read(object)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw wrong((error as Error).message)
  }
}

/** What is strange about a map that became a struct is told by its text. */
function readRestored(
  object: Record<string, unknown>,
  reader: BodyReader,
): ReturnType<BodyReader['read']> {
  const { object: draft, problems } = reader.read(reader.restore?.(object) ?? object)
  return { object: draft, problems: problems.toSorted() }
}

/** Without a version, an object is read as the internal kind, whose fields have no names in JSON. */
const readVersionless = (
  object: Readonly<Record<string, unknown>>,
): ReturnType<BodyReader['read']> => ({
  object: { metadata: {} },
  problems: Object.keys(object)
    .filter((it) => it !== 'apiVersion' && it !== 'kind')
    .sort()
    .map((it) => `unknown field ${JSON.stringify(it)}`),
})

/** What is wrong with what a patched object says that it is. */
function patchedTypeProblem(
  object: Readonly<Record<string, unknown>>,
  reader: BodyReader,
  custom: boolean,
  text: () => string,
): string | undefined {
  for (const field of ['apiVersion', 'kind']) {
    const given = object[field] ?? ''
    if (typeof given !== 'string')
      return `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKindOf(given)} into Go struct field .${field} of type string`
  }
  const [apiVersion, kind] = [object['apiVersion'] ?? '', object['kind'] ?? ''] as string[]
  if (custom) {
    if (kind === '') return `Object 'Kind' is missing in '${text()}'`
    if (apiVersion !== '') return undefined
    if (object['apiVersion'] === null) return NO_VERSION
    throw internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'")
  }
  if (apiVersion !== '') return typeProblem({ apiVersion: apiVersion!, kind: kind! }, reader)
  return kind === '' || isRegistered({ ...reader, kind: kind! })
    ? undefined
    : `no kind "${kind}" is registered for the internal version of group "${reader.group}" in scheme "pkg/runtime/scheme.go:111"`
}

const quoted = ({ object, before, patch, dialect }: Patched): string =>
  dialect === 'strategic'
    ? formatGo(spentPatch(before, patch as JsonValue))
    : patchedText(object, dialect, patch, before)

/** Server-side apply onto what is there, or onto nothing. */
function applying(call: Call, text: string, options: WriteOptions): Writing['bring'] {
  const { served, exchange } = call
  const manager = managerOf(options, exchange.request.header('user-agent'))
  return (current) => {
    const applied = appliedBody(call, text, options)
    const { fields } = served
    const merged = fields.apply(current, applied, manager, options.force ?? false, call.subresource)
    const { managedFields } = merged.metadata
    // What changes nothing is the object as it stands: nothing is filled in, and raw data is in the order in which it came.
    const draft =
      current && isUnchanged(merged, current)
        ? merged
        : (served.fromApply?.(merged) ?? converted(merged, applied, served.body))
    if (managedFields) draft.metadata.managedFields = managedFields
    if (!current) refuseUid(call, draft)
    checkName(draft, call.name)
    return draft
  }
}

/** Whether an apply has changed nothing but who owns what. */
export const isUnchanged = (merged: Draft, before: UnknownObject): boolean =>
  sameJson(withoutOwners(merged), withoutOwners(before))

const withoutOwners = ({ metadata, ...others }: UnknownObject | Draft): object => ({
  ...others,
  metadata: { ...metadata, managedFields: undefined },
})

/** What apply merged, as its kind. Throws the 500 of what does not fit it (managedfields/internal/structuredmerge.go). */
export function converted(
  merged: Draft,
  applied: Readonly<Record<string, unknown>>,
  reader: BodyReader,
): Draft {
  try {
    return readRestored(merged, reader).object
  } catch (error) {
    if (error instanceof ApiError) throw error
    const { message } = error as Error
    throw unconverted(
      applied,
      reader,
      `unable to convert unstructured object to ${kindText(reader)}: ${message}`,
    )
  }
}

/** The scale of a custom resource cannot be applied: Kubernetes takes it for the resource itself when it converts it. */
export function inconvertible(
  applied: Readonly<Record<string, unknown>>,
  reader: BodyReader,
): never {
  const version = apiVersionOf(reader)
  throw unconverted(
    applied,
    reader,
    `request to convert CR to an invalid group/version: ${version}`,
  )
}

const kindText = ({ group, version, kind }: BodyReader): string =>
  `${group}/${version}, Kind=${kind}`

function unconverted(
  applied: Readonly<Record<string, unknown>>,
  reader: BodyReader,
  problem: string,
): ApiError {
  const { name, namespace } = (applied['metadata'] ?? {}) as Readonly<Record<string, unknown>>
  const who = `${textOf(namespace)}/${textOf(name)}; ${kindText(reader)}`
  return new ApiError(
    failure(500, undefined, `failed to convert new object (${who}) to proper version: ${problem}`),
  )
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Reads the body of an apply. Throws a 400. */
export function appliedBody(
  call: Call,
  text: string,
  options: WriteOptions,
): Record<string, unknown> {
  const strict = options.fieldValidation !== 'Ignore'
  let body: { readonly value: unknown; readonly problems: readonly string[] }
  try {
    body = parseBody(text, 'application/yaml', strict)
  } catch (error) {
    throw badRequest(
      `error decoding YAML: error converting YAML to JSON: ${(error as Error).message}`,
    )
  }
  const { value, problems } = body
  if (value === null) throw badRequest('invalid object type: /, Kind=')
  if (typeof value !== 'object' || Array.isArray(value)) {
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
  const { uid, resourceVersion = '' } = draft.metadata
  // What is no version at all is refused once it is read, as in any write.
  if (/^\d*$/.test(resourceVersion)) delete draft.metadata.resourceVersion
  if (!uid) return
  throw conflict(
    call.served.info,
    call.name,
    `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
  )
}
