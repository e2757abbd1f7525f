import { isList, isObject } from './json.ts'

/** What stood where metadata, or a part of it, should have stood. `message` is the sentence of Go's JSON decoder. */
export class MetadataError extends Error {
  override readonly name = 'MetadataError'
}

/** The types of which metadata is made, as Go decodes them (meta/v1 ObjectMeta). */
type Shape =
  | { readonly is: 'string' | 'int64' | 'bool' | 'time' | 'raw'; readonly go: string }
  | { readonly is: 'map' | 'list'; readonly go: string; readonly of: Shape }
  | {
      readonly is: 'struct'
      readonly go: string
      readonly fields: Readonly<Record<string, Shape>>
      readonly always: readonly string[]
    }

const STRING: Shape = { is: 'string', go: 'string' }
const UID: Shape = { is: 'string', go: 'types.UID' }
const INT64: Shape = { is: 'int64', go: 'int64' }
const BOOL: Shape = { is: 'bool', go: 'bool' }
const TIME: Shape = { is: 'time', go: 'string' }
const STRINGS: Shape = { is: 'map', go: 'map[string]string', of: STRING }

const OWNER_REFERENCE: Shape = {
  is: 'struct',
  go: 'v1.OwnerReference',
  fields: {
    apiVersion: STRING,
    kind: STRING,
    name: STRING,
    uid: UID,
    controller: BOOL,
    blockOwnerDeletion: BOOL,
  },
  always: ['apiVersion', 'kind', 'name', 'uid'],
}

const MANAGED_FIELDS: Shape = {
  is: 'struct',
  go: 'v1.ManagedFieldsEntry',
  fields: {
    manager: STRING,
    operation: { is: 'string', go: 'v1.ManagedFieldsOperationType' },
    apiVersion: STRING,
    time: TIME,
    fieldsType: STRING,
    fieldsV1: { is: 'raw', go: 'v1.FieldsV1' },
    subresource: STRING,
  },
  always: [],
}

const OBJECT_META: Shape = {
  is: 'struct',
  go: 'v1.ObjectMeta',
  fields: {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    selfLink: STRING,
    uid: UID,
    resourceVersion: STRING,
    generation: INT64,
    creationTimestamp: TIME,
    deletionTimestamp: TIME,
    deletionGracePeriodSeconds: INT64,
    labels: STRINGS,
    annotations: STRINGS,
    ownerReferences: { is: 'list', go: '[]v1.OwnerReference', of: OWNER_REFERENCE },
    finalizers: { is: 'list', go: '[]string', of: STRING },
    managedFields: { is: 'list', go: '[]v1.ManagedFieldsEntry', of: MANAGED_FIELDS },
  },
  always: [],
}

/** Pointers in Go: a zero that was given is kept. */
const POINTERS: ReadonlySet<string> = new Set([
  'deletionGracePeriodSeconds',
  'controller',
  'blockOwnerDeletion',
])

/** How metadata is decoded: `unknown` collects the paths of fields that ObjectMeta has not; `lenient` drops what is malformed. */
export interface MetadataOptions {
  readonly unknown?: string[]
  readonly lenient?: boolean
}

/**
 * Metadata as Go reads and writes it: unknown and empty fields dropped, nulls made empty, instants in UTC with whole seconds.
 * Throws {@link MetadataError} where something is of another type, unless `lenient` (apiextensions-apiserver
 * pkg/apiserver/schema/objectmeta/coerce.go). The very same object comes back where nothing needed a change.
 */
export function decodeMetadata(
  metadata: unknown,
  path: string,
  options: MetadataOptions = {},
): Readonly<Record<string, unknown>> {
  if (metadata === null) return {}
  if (!isObject(metadata)) throw mismatch(metadata, OBJECT_META, [], OBJECT_META.go)
  const context: Context = { options, owner: OBJECT_META.go, trail: [] }
  return decodeStruct(metadata, OBJECT_META as StructShape, path, context)
}

type StructShape = Extract<Shape, { is: 'struct' }>

interface Context {
  readonly options: MetadataOptions
  /** The Go struct we are in, and the names of fields from the outermost struct. */
  readonly owner: string
  readonly trail: readonly string[]
}

function decodeStruct(
  value: Readonly<Record<string, unknown>>,
  shape: StructShape,
  path: string,
  context: Context,
): Readonly<Record<string, unknown>> {
  const made: Record<string, unknown> = {}
  let changed = false
  for (const name of Object.keys(value)) {
    const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined
    if (!field) {
      context.options.unknown?.push(`${path}.${name}`)
      changed = true
      continue
    }
    const decoded = decodeField(value[name], field, name, `${path}.${name}`, {
      ...context,
      owner: shape.go,
    })
    if (decoded !== undefined) made[name] = decoded
    if (decoded !== value[name]) changed = true
  }
  for (const name of shape.always)
    if (made[name] === undefined) {
      made[name] = ''
      changed = true
    }
  return changed ? made : value
}

/** A field as it is written again; undefined where it is empty and left out, or malformed and let go. */
function decodeField(
  value: unknown,
  shape: Shape,
  name: string,
  path: string,
  context: Context,
): unknown {
  try {
    const decoded = decode(value, shape, path, { ...context, trail: [...context.trail, name] })
    return POINTERS.has(name) && decoded !== null ? decoded : unlessEmpty(decoded)
  } catch (error) {
    if (context.options.lenient && context.trail.length === 0 && error instanceof MetadataError)
      return undefined
    throw error
  }
}

function unlessEmpty(value: unknown): unknown {
  if (value === '' || value === 0 || value === false || value === null) return undefined
  if (isList(value)) return value.length ? value : undefined
  if (isObject(value)) return Object.keys(value).length ? value : undefined
  return value
}

function decode(value: unknown, shape: Shape, path: string, context: Context): unknown {
  if (value === null) return emptyOf(shape)
  switch (shape.is) {
    case 'raw':
      return value
    case 'string':
      return typeof value === 'string' ? value : fail(value, shape, context)
    case 'bool':
      return typeof value === 'boolean' ? value : fail(value, shape, context)
    case 'int64':
      return Number.isInteger(value) ? value : fail(value, shape, context)
    case 'time':
      return typeof value === 'string' ? decodeTime(value) : fail(value, shape, context)
    case 'list':
      return isList(value)
        ? decodeList(value, shape.of, path, context)
        : fail(value, shape, context)
    case 'map':
      return isObject(value)
        ? decodeMap(value, shape.of, path, context)
        : fail(value, shape, context)
    case 'struct':
      return isObject(value)
        ? decodeStruct(value, shape, path, context)
        : fail(value, shape, context)
  }
}

const emptyOf = (shape: Shape): unknown => {
  if (shape.is === 'string') return ''
  return shape.is === 'struct'
    ? decodeStruct({}, shape, '', { options: {}, owner: '', trail: [] })
    : null
}

function decodeList(
  value: readonly unknown[],
  of: Shape,
  path: string,
  context: Context,
): readonly unknown[] {
  const made = value.map((it, i) => decode(it, of, `${path}[${i}]`, context))
  return made.some((it, i) => it !== value[i]) ? made : value
}

function decodeMap(
  value: Readonly<Record<string, unknown>>,
  of: Shape,
  path: string,
  context: Context,
): Readonly<Record<string, unknown>> {
  let made: Record<string, unknown> | undefined
  for (const name of Object.keys(value)) {
    const decoded = decode(value[name], of, `${path}.${name}`, context)
    if (decoded !== value[name]) (made ??= { ...value })[name] = decoded
  }
  return made ?? value
}

const RFC3339 = '2006-01-02T15:04:05Z07:00'
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/

/** An instant in UTC with whole seconds; an empty one is none. */
function decodeTime(text: string): string {
  const ms = INSTANT.test(text) ? Date.parse(text) : NaN
  if (!Number.isNaN(ms)) return `${new Date(ms).toISOString().slice(0, 19)}Z`
  throw new MetadataError(timeProblem(text))
}

/** The parts of the layout: what each looks like, its name in the layout, and its range by its name in Go. */
const TIME_PARTS: readonly (readonly [RegExp, string, (readonly [number, number, string])?])[] = [
  [/^\d{4}/, '2006'],
  [/^-/, '-'],
  [/^\d{2}/, '01', [1, 12, 'month']],
  [/^-/, '-'],
  [/^\d{2}/, '02'],
  [/^T/, 'T'],
  [/^\d{2}/, '15', [0, 23, 'hour']],
  [/^:/, ':'],
  [/^\d{2}/, '04', [0, 59, 'minute']],
  [/^:/, ':'],
  [/^\d{2}(\.\d+)?/, '05', [0, 59.999999999, 'second']],
  [/^(Z|[+-]\d{2}:\d{2})/, 'Z07:00'],
]

/** Go's sentence: the first part of the layout that does not fit what is left of the text. */
function timeProblem(text: string): string {
  const what = `parsing time ${JSON.stringify(text)}`
  let rest = text
  for (const [pattern, part, range] of TIME_PARTS) {
    const match = pattern.exec(rest)?.[0]
    if (match === undefined)
      return `${what} as "${RFC3339}": cannot parse ${JSON.stringify(rest)} as "${part}"`
    if (range && !(Number(match) >= range[0] && Number(match) <= range[1]))
      return `${what}: ${range[2]} out of range`
    rest = rest.slice(match.length)
  }
  return rest === '' ? `${what}: day out of range` : `${what}: extra text: ${JSON.stringify(rest)}`
}

function fail(value: unknown, shape: Shape, context: Context): never {
  throw mismatch(value, shape, context.trail, context.owner)
}

function mismatch(
  value: unknown,
  shape: Shape,
  trail: readonly string[],
  owner: string,
): MetadataError {
  const found = foundText(value, shape)
  const place = trail.length
    ? `Go struct field ${owner.replace(/^v1\./, '')}.${trail.join('.')}`
    : 'Go value'
  return new MetadataError(`json: cannot unmarshal ${found} into ${place} of type ${shape.go}`)
}

function foundText(value: unknown, shape: Shape): string {
  if (typeof value === 'number') return shape.is === 'int64' ? `number ${value}` : 'number'
  if (typeof value === 'boolean') return 'bool'
  return isList(value) ? 'array' : typeof value === 'object' ? 'object' : 'string'
}
