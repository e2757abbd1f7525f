import { parseExact, stringifyExact } from '../../base/exact-json.ts'
import { formatGo, goTypeName } from './go-format.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { isJsonArray, isJsonObject, jsonEqual, member, setMember } from './json.ts'
import { parseIndex, pointerTokens } from './json-pointer.ts'
import { PatchError } from './patch-error.ts'

/**
 * JSON Patch (RFC 6902) with the behaviour of gopkg.in/evanphx/json-patch.v4, which kube-apiserver uses:
 * `replace` of a missing member adds it, `copy` of a missing member copies null, negative indices count from
 * the end, and `test` of an absent member passes against null.
 */

/** The most operations that kube-apiserver accepts in one patch. */
export const maxJsonPatchOperations = 10_000

/** How many bytes of JSON the copies of one patch may add (kube-apiserver's JSONPatchMaxCopyBytes): copies can double each time. */
const maxCopyBytes = 3 * 1024 * 1024

/** A patch whose shape has been checked: a list of objects; the members of each are read when it runs. */
export type JsonPatch = readonly (JsonObject | null)[]

type MutableArray = JsonValue[]
type MutableObject = Record<string, JsonValue>
type Container = MutableArray | MutableObject

interface Run {
  root: JsonValue
  /** Containers that this run created, so that they may be changed in place. */
  readonly owned: Set<Container>
  /** Bytes of JSON that were copied so far. */
  copied: number
}

/**
 * Checks that a decoded JSON value is a JSON patch.
 * @throws PatchError BadRequest when it is not a list of objects; TooLarge with more than 10,000 operations.
 */
export function decodeJsonPatch(value: JsonValue): JsonPatch {
  if (value === null) return []
  if (!isJsonArray(value))
    throw new PatchError('BadRequest', cannotUnmarshal(value, 'jsonpatch.Patch'))
  for (const item of value) {
    if (item !== null && !isJsonObject(item))
      throw new PatchError('BadRequest', cannotUnmarshal(item, 'jsonpatch.Operation'))
  }
  if (value.length > maxJsonPatchOperations) throw tooMany(value.length)
  return value as JsonPatch
}

/**
 * Applies a JSON patch and returns the patched document; `document` is left as it is, and unchanged parts are
 * shared between the two.
 * @throws PatchError Unprocessable with json-patch's message at the first operation that fails.
 */
export function applyJsonPatch(document: JsonValue, patch: JsonPatch): JsonValue {
  const run: Run = { root: document, owned: new Set(), copied: 0 }
  for (const operation of patch) runOperation(run, operation ?? {})
  return run.root
}

const operations: Readonly<Record<string, (run: Run, operation: JsonObject) => void>> =
  Object.freeze({ add, remove, replace, move, test, copy })

function runOperation(run: Run, operation: JsonObject): void {
  const op = member(operation, 'op')
  const kind = typeof op === 'string' ? op : 'unknown'
  const apply = Object.hasOwn(operations, kind) ? operations[kind] : undefined
  if (!apply) throw fail(`Unexpected kind: ${kind}`)
  apply(run, operation)
}

function add(run: Run, operation: JsonObject): void {
  const path = pathOf(operation, 'add', false)
  const target = locate(run, path)
  if (!target)
    throw fail(`add operation does not apply: doc is missing path: "${path}": missing value`)
  inContext(`error in add for path: '${path}'`, () => addTo(target, valueOf(operation)))
}

function remove(run: Run, operation: JsonObject): void {
  const path = pathOf(operation, 'remove', false)
  const target = locate(run, path)
  if (!target)
    throw fail(`remove operation does not apply: doc is missing path: "${path}": missing value`)
  inContext(`error in remove for path: '${path}'`, () => removeFrom(target))
}

function replace(run: Run, operation: JsonObject): void {
  const path = pathOf(operation, 'replace', true)
  const value = valueOf(operation)
  if (path === '') return replaceRoot(run, value)
  const target = locate(run, path)
  if (!target)
    throw fail(`replace operation does not apply: doc is missing path: ${path}: missing value`)
  const index = isArray(target.container) ? indexIn(target.container, target.token) : undefined
  if (typeof index === 'string')
    throw fail(`replace operation does not apply: doc is missing key: ${path}: missing value`)
  assign(target, index, value)
}

function replaceRoot(run: Run, value: JsonValue): void {
  if (value === null || typeof value !== 'object')
    throw fail('replace operation value must be object or array: %!w(<nil>)')
  run.root = value
}

function move(run: Run, operation: JsonObject): void {
  const from = fromOf(operation, 'move')
  const source = locate(run, from)
  if (!source)
    throw fail(`move operation does not apply: doc is missing from path: ${from}: missing value`)
  const value = inContext(`error in move for path: '${source.token}'`, () => {
    const found = read(source)
    removeFrom(source)
    return found ?? null
  })
  const path = pathOf(operation, 'move', true)
  const target = locate(run, path)
  if (!target)
    throw fail(
      `move operation does not apply: doc is missing destination path: ${path}: missing value`,
    )
  inContext(`error in move for path: '${path}'`, () => addTo(target, value))
}

function copy(run: Run, operation: JsonObject): void {
  const from = fromOf(operation, 'copy')
  const source = locate(run, from)
  if (!source)
    throw fail(`copy operation does not apply: doc is missing from path: ${from}: missing value`)
  const value = inContext(`error in copy for from: '${from}'`, () => read(source) ?? null)
  const path = pathOf(operation, 'copy', false)
  const target = locate(run, path)
  if (!target)
    throw fail(
      `copy operation does not apply: doc is missing destination path: ${path}: missing value`,
    )
  // The source may be a container that later operations change in place.
  const text = stringifyExact(value)
  run.copied += Buffer.byteLength(text)
  if (run.copied > maxCopyBytes) throw copiesTooLarge(run.copied)
  inContext('error while adding value during copy', () =>
    addTo(target, parseExact(text) as JsonValue),
  )
}

function test(run: Run, operation: JsonObject): void {
  const path = pathOf(operation, 'test', true)
  const value = valueOf(operation)
  const found = path === '' ? run.root : readAt(run, path)
  if (!jsonEqual(found ?? null, value)) throw fail(`testing value ${path} failed: test failed`)
}

function readAt(run: Run, path: string): JsonValue | undefined {
  const target = locate(run, path)
  if (!target) throw fail(`test operation does not apply: is missing path: ${path}: missing value`)
  return inContext(`error in test for path: '${path}'`, () => read(target))
}

interface Target {
  readonly container: Container
  readonly token: string
}

/** Finds the container that a pointer's last token is in, making every container on the way changeable. */
function locate(run: Run, pointer: string): Target | undefined {
  const tokens = pointerTokens(pointer)
  if (!tokens || run.root === null || typeof run.root !== 'object') return undefined
  let container = own(run, run.root)
  run.root = container
  for (const token of tokens.slice(0, -1)) {
    const next = descend(run, container, token)
    if (!next) return undefined
    container = next
  }
  return { container, token: tokens.at(-1) ?? '' }
}

function descend(run: Run, container: Container, token: string): Container | undefined {
  const index = isArray(container) ? indexIn(container, token) : undefined
  if (typeof index === 'string') return undefined
  const child = isArray(container) ? container[index as number] : member(container, token)
  if (child === null || typeof child !== 'object') return undefined
  const owned = own(run, child)
  if (owned !== child) assign({ container, token }, index, owned)
  return owned
}

function own(run: Run, value: JsonObject | readonly JsonValue[]): Container {
  if (run.owned.has(value as Container)) return value as Container
  const copied = isJsonArray(value) ? [...value] : { ...value }
  run.owned.add(copied)
  return copied
}

function isArray(container: Container): container is MutableArray {
  return Array.isArray(container)
}

/** The index that `token` names in `array`, or json-patch's complaint about it. */
function indexIn(array: MutableArray, token: string): number | string {
  const parsed = parseIndex(token)
  if (!parsed.ok) return parsed.message
  const index = parsed.index < 0 ? parsed.index + array.length : parsed.index
  return index >= 0 && index < array.length ? index : invalidIndex(parsed.index)
}

function invalidIndex(index: number): string {
  return `Unable to access invalid index: ${index}: invalid index referenced`
}

function assign(target: Target, index: number | undefined, value: JsonValue): void {
  if (isArray(target.container)) target.container[index as number] = value
  else setMember(target.container, target.token, value)
}

function read({ container, token }: Target): JsonValue | undefined {
  if (!isArray(container)) return member(container, token)
  const index = indexIn(container, token)
  if (typeof index === 'string') throw fail(index)
  return container[index]
}

function addTo({ container, token }: Target, value: JsonValue): void {
  if (!isArray(container)) return setMember(container, token, value)
  if (token === '-') return void container.push(value)
  const parsed = parseIndex(token)
  if (!parsed.ok) throw fail(`value was not a proper array index: '${token}': ${parsed.message}`)
  const size = container.length + 1
  const index = parsed.index < 0 ? parsed.index + size : parsed.index
  if (index < 0 || index >= size) throw fail(invalidIndex(parsed.index))
  container.splice(index, 0, value)
}

function removeFrom({ container, token }: Target): void {
  if (isArray(container)) {
    const index = indexIn(container, token)
    if (typeof index === 'string') throw fail(index)
    container.splice(index, 1)
  } else {
    if (!Object.hasOwn(container, token))
      throw fail(`Unable to remove nonexistent key: ${token}: missing value`)
    delete container[token]
  }
}

function valueOf(operation: JsonObject): JsonValue {
  return member(operation, 'value') ?? null
}

function pathOf(operation: JsonObject, kind: string, printCause: boolean): string {
  const path = member(operation, 'path')
  if (typeof path === 'string') return path
  const cause = printCause ? textProblem(path, 'operation missing path field') : 'missing value'
  throw fail(`${kind} operation failed to decode path: ${cause}`)
}

function fromOf(operation: JsonObject, kind: string): string {
  const from = member(operation, 'from')
  if (typeof from === 'string') return from
  const cause = textProblem(from, 'operation, missing from field')
  throw fail(`${kind} operation failed to decode from: ${cause}`)
}

function textProblem(value: JsonValue | undefined, missing: string): string {
  return value === undefined || value === null
    ? `${missing}: missing value`
    : cannotUnmarshal(value, 'string')
}

function cannotUnmarshal(value: JsonValue, into: string): string {
  return `json: cannot unmarshal ${jsonKind(value)} into Go value of type ${into}`
}

function jsonKind(value: JsonValue): string {
  if (isJsonArray(value)) return 'array'
  if (isJsonObject(value)) return 'object'
  return typeof value === 'boolean'
    ? 'bool'
    : typeof value === 'number'
      ? 'number'
      : goTypeName(value)
}

function inContext<T>(context: string, action: () => T): T {
  try {
    return action()
  } catch (error) {
    if (error instanceof PatchError) throw fail(`${context}: ${error.message}`)
    throw error
  }
}

function fail(message: string): PatchError {
  return new PatchError('Unprocessable', message)
}

function copiesTooLarge(size: number): PatchError {
  return fail(
    `Unable to complete the copy, the accumulated size increase of copy is ${size}, exceeding the limit ${maxCopyBytes}`,
  )
}

function tooMany(count: number): PatchError {
  const text = `The allowed maximum operations in a JSON patch is ${formatGo(maxJsonPatchOperations)}, got ${count}`
  return new PatchError('TooLarge', `Request entity too large: ${text}`)
}
