import type { Clock } from 'kubewright/base'
import {
  apiVersionOf,
  applyStrategicMergePatch,
  emptyObjectOf,
  type FieldType,
  type JsonObject,
  openApiPatchSchemas,
  schemaTypeReader,
  type UnknownObject,
} from 'kubewright/machinery'
import { fieldTracker, type TrackedKind } from '../endpoints/field-tracker.ts'
import type { BodyReader, FieldTracker, Served } from '../endpoints/served.ts'
import { convertBuiltin } from '../registry/convert.ts'
import type { Draft, Strategy } from '../registry/strategy.ts'
import type { TableConvertor } from '../table/columns.ts'
import {
  builtinResources,
  definitionOf,
  deprecationOf,
  everyBuiltinResource,
  type KindName,
  REF_PREFIX,
  schemaOf,
} from './builtins.ts'
import { decodeBuiltin, restoreBuiltin } from './decode.ts'
import { isObject } from './decode-plan.ts'
import type { ResourceInfo } from './resource.ts'

/** What makes a built-in resource more than its facts. */
export interface BuiltinBehaviour {
  readonly strategyOf: (info: ResourceInfo) => Strategy
  readonly tableOf: (info: ResourceInfo) => TableConvertor
  readonly clock: Clock
}

/** Built-in resources, ready to serve. Schemas are read when a kind is first written. */
export function servedBuiltins(
  behaviour: BuiltinBehaviour,
  infos: readonly ResourceInfo[] = builtinResources(),
): readonly Served[] {
  const readType = schemaTypeReader({ resolveRef })
  const patchSchemaOf = openApiPatchSchemas(resolveRef)
  const scaleFields = scaleTracker(behaviour.clock)
  return infos.map((info) => {
    const strategy = behaviour.strategyOf(info)
    const versions = versionsOf(info)
    const kind: TrackedKind = () => trackedKind(info, readType, versions)
    return {
      info,
      strategy,
      table: behaviour.tableOf(info),
      since: 0,
      deprecation: deprecationOf(info),
      body: reader(info),
      bodies: bodiesOf(info),
      bodyFields: hasScale(info) ? { scale: scaleFields } : {},
      strategicMerge: (document, patch, shown = info) =>
        applyStrategicMergePatch(
          document as JsonObject,
          patch as JsonObject,
          patchSchemaOf(schemaOf(shown) as unknown as JsonObject),
        ),
      ...conversionsOf(info),
      fields: fieldTracker(kind, strategy, converter(versions), behaviour.clock),
      selectableFields: strategy.selectableFields ?? {},
      terminating: false,
    }
  })
}

const resolveRef = (ref: string): JsonObject | undefined =>
  (ref.startsWith(REF_PREFIX) ? definitionOf(ref.slice(REF_PREFIX.length)) : undefined) as
    JsonObject | undefined

const SCALE: KindName = { group: 'autoscaling', version: 'v1', kind: 'Scale' }

const hasScale = (info: ResourceInfo): boolean =>
  info.subresources.some((it) => it.name === 'scale')

/** Keeps who owns which field of a Scale. */
export function scaleTracker(clock: Clock): FieldTracker {
  const readType = schemaTypeReader({ resolveRef })
  return fieldTracker(
    () => trackedKind(SCALE, readType),
    {},
    () => undefined,
    clock,
  )
}

/** The resource at every version that there is: all of them are one object. */
const versionsOf = ({ storageKey }: ResourceInfo): readonly KindName[] =>
  everyBuiltinResource().filter((it) => it.storageKey === storageKey)

/** Brings an object to another of these versions, by way of its struct: fields that are never left out come to what was merged. */
const converter =
  (versions: readonly KindName[]): Parameters<typeof fieldTracker>[2] =>
  ({ value, from, to }) => {
    const kind = versions.find((it) => apiVersionOf(it) === from)
    if (!kind || !versions.some((it) => apiVersionOf(it) === to)) return undefined
    const copy = structuredClone(value) as Record<string, unknown>
    const { object } = decodeBuiltin(restoreBuiltin(copy, kind), kind)
    return convertBuiltin(object as unknown as UnknownObject, from, to) as unknown as JsonObject
  }

function trackedKind(
  info: KindName,
  readType: ReturnType<typeof schemaTypeReader>,
  versions: readonly KindName[] = [info],
): ReturnType<TrackedKind> {
  const apiVersion = apiVersionOf(info)
  const schema = schemaOf(info) as unknown as JsonObject
  const types = new Map<string, FieldType>()
  const typeOf = (version: string): FieldType | undefined => {
    const kind = versions.find((it) => apiVersionOf(it) === version)
    return kind && readType(schemaOf(kind) as unknown as JsonObject)
  }
  return {
    apiVersion,
    kind: info.kind,
    versions: versions.map(apiVersionOf),
    typeOf: (version) => {
      const known = types.get(version)
      if (known) return known
      const found = typeOf(version)
      if (found) types.set(version, found)
      return found
    },
    emptyObject: emptyObjectOf(schema, { apiVersion, kind: info.kind }, resolveRef),
  }
}

/** Reads bodies of a built-in kind. */
export function reader(kind: {
  readonly group: string
  readonly version: string
  readonly kind: string
}): BodyReader {
  return {
    group: kind.group,
    version: kind.version,
    kind: kind.kind,
    restore: (value) => restoreBuiltin(value, kind),
    read: (value) => {
      const disowned = isDisowned(value)
      const { object, problems } = decodeBuiltin(value, kind)
      const draft = object as Draft
      draft.metadata ??= {} as Draft['metadata']
      // An empty list takes all fields from their owners, which no list does not: Go knows the two apart until it writes them.
      if (disowned) draft.metadata.managedFields = []
      return { object: draft, problems }
    },
  }
}

function isDisowned({ metadata }: Readonly<Record<string, unknown>>): boolean {
  const fields = isObject(metadata) ? metadata['managedFields'] : undefined
  return Array.isArray(fields) && fields.length === 0
}

function bodiesOf(info: ResourceInfo): Readonly<Record<string, BodyReader>> {
  const foreign = info.subresources.filter((it) => it.kind !== info.kind)
  return Object.fromEntries(foreign.map((it) => [it.name, reader(it)]))
}

/** The group and version in which objects that other groups share are stored, by storage key. */
const STORED_IN: Readonly<Record<string, string>> = { '/events': 'v1' }

/** How a version that is not the stored one comes from it and goes back; nothing where it is stored in its own version. */
function conversionsOf(info: ResourceInfo): Pick<Served, 'fromStorage' | 'toStorage'> {
  const own = apiVersionOf(info)
  const stored =
    STORED_IN[info.storageKey] ?? apiVersionOf({ group: info.group, version: info.storageVersion })
  if (own === stored) return {}
  return {
    fromStorage: (object) => convertBuiltin(object, stored, own),
    toStorage: (draft) => convertBuiltin(draft as UnknownObject, own, stored) as Draft,
  }
}
