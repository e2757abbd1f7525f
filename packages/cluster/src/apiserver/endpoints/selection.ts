import {
  badRequest,
  everything,
  type FieldSelector,
  fieldSelector,
  type LabelSelector,
  nameIsDnsLabel,
  parseFieldSelector,
  parseLabelSelector,
  type UnknownObject,
} from 'kubewright/machinery'
import { ApiError, failure } from 'kubewright/machinery'
import type { Stored } from '../storage/storage.ts'
import type { Call } from './call.ts'
import { parseShardSelector, type ShardSelector } from './shard-selector.ts'

/** Which objects of a collection a request is about. */
export interface Selection {
  readonly labels: LabelSelector
  readonly fields: FieldSelector
  /** Which shard of the collection, where one is asked for. */
  readonly shard: ShardSelector | undefined
  /** True where labels and fields let every object through. */
  readonly unselective: boolean
  /** True where every object matches. */
  readonly all: boolean
  /** Judges by labels and key first: `object`, as the call's version shows it, is asked for only where that does not do. */
  readonly matches: (stored: Stored, object: () => UnknownObject) => boolean
  /** Where in the store everything lies that can match. */
  readonly prefix: string
  /** The key of the one object that can match, where the fields name it. */
  readonly key: string | undefined
}

/**
 * Reads the selectors of a request. Throws the 400 of one that cannot be read, or asks for a field that nobody knows, and the 500 of
 * a wrong shard selector.
 */
export function selectionOf(call: Call): Selection {
  const { query } = call.exchange.request
  const labels = readable(() => labelsOf(query.get('labelSelector') ?? ''))
  const fields = named(
    call,
    readable(() => knownFields(call, parseFieldSelector(query.get('fieldSelector') ?? ''))),
  )
  const shard = shardOf(call, query.get('shardSelector') ?? '')
  const unselective = labels.requirements.length === 0 && fields.terms.length === 0
  const all = unselective && !shard
  return {
    labels,
    fields,
    shard,
    unselective,
    all,
    matches: all ? () => true : matcher(call, { labels, fields, shard }),
    ...placeOf(call, fields),
  }
}

/** Reads the selectors of a query, whatever they select. Throws the 400 of one that cannot be read. */
export function readSelectors(query: URLSearchParams): void {
  readable(() => labelsOf(query.get('labelSelector') ?? ''))
  readable(() => parseFieldSelector(query.get('fieldSelector') ?? ''))
}

function matcher(
  { served }: Call,
  { labels, fields, shard }: Pick<Selection, 'labels' | 'fields' | 'shard'>,
): Selection['matches'] {
  const ofKey = fieldSelector(fields.terms.filter((it) => Object.hasOwn(BY_KEY, it.field)))
  const others = fieldSelector(fields.terms.filter((it) => !Object.hasOwn(BY_KEY, it.field)))
  const readsObject = others.terms.length > 0 || shard !== undefined
  return (stored, object) =>
    labels.matches(stored.labels) &&
    ofKey.matches((it) => BY_KEY[it]!(stored.key)) &&
    (!readsObject ||
      (others.matches((it) => served.selectableFields[it]!(object())) &&
        (!shard || shard.matches(object()))))
}

/** Alpha in v1.36: without its gate, the parameter means nothing. */
function shardOf({ parts }: Call, text: string): ShardSelector | undefined {
  if (text === '' || !parts.features.has('ShardedListAndWatch')) return undefined
  try {
    return parseShardSelector(text)
  } catch (error) {
    const message = `invalid shard selector: ${(error as Error).message}`
    throw new ApiError(failure(500, undefined, message))
  }
}

/** The part of the store that can hold a match (registry/generic/registry/store.go ListPredicate). */
function placeOf(
  { served, namespace: own }: Call,
  fields: FieldSelector,
): Pick<Selection, 'prefix' | 'key'> {
  const { storageKey, scope } = served.info
  const asked = own === '' ? exactly(fields, 'metadata.namespace') : undefined
  const namespace = asked !== undefined && nameIsDnsLabel(asked, false).length === 0 ? asked : own
  const everywhere = scope === 'Namespaced' && namespace === ''
  const prefix = everywhere
    ? `${storageKey}/`
    : `${storageKey}/${scope === 'Namespaced' ? namespace : ''}/`
  const name = exactly(fields, 'metadata.name')
  const isName = name !== undefined && name !== '' && !/^\.\.?$|[%/]/.test(name)
  return { prefix, key: !everywhere && isName ? prefix + name : undefined }
}

/** The value that a field must have. */
const exactly = (fields: FieldSelector, field: string): string | undefined =>
  fields.terms.find((it) => it.field === field && it.equal)?.value

const labelsOf = (text: string): LabelSelector =>
  text === '' ? everything : parseLabelSelector(text)

function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw badRequest((error as Error).message)
  }
}

/** A watch of one object by path selects it by name. */
function named({ name }: Call, fields: FieldSelector): FieldSelector {
  if (name === '') return fields
  if (fields.terms.length === 0)
    return fieldSelector([{ field: 'metadata.name', equal: true, value: name }])
  const own = fields.terms.find((it) => it.field === 'metadata.name' && it.equal)
  if (own?.value === name) return fields
  throw badRequest("fieldSelector metadata.name doesn't match requested name")
}

/** The fields that the key of an object tells: `<storageKey>/<namespace>/<name>`. */
const BY_KEY: Readonly<Record<string, (key: string) => string>> = {
  'metadata.name': (key) => key.slice(key.lastIndexOf('/') + 1),
  'metadata.namespace': (key) => {
    const end = key.lastIndexOf('/')
    return key.slice(key.lastIndexOf('/', end - 1) + 1, end)
  },
}

/** Kinds whose conversion of field names says it in its own words, or knows an older name (pkg/apis, conversion.go of each). */
const UNSUPPORTED: Readonly<Record<string, (field: string) => string>> = {
  'batch/Job': (field) => `field label ${JSON.stringify(field)} not supported for Job`,
  'resource.k8s.io/ResourceSlice': (field) =>
    `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
}
const OLDER_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/Pod': { 'spec.host': 'spec.nodeName' },
}

/** The fields by their newest names. Throws an Error with the sentence of the first that cannot be selected by. */
function knownFields({ served }: Call, fields: FieldSelector): FieldSelector {
  const { info, selectableFields: own } = served
  const kind = `${info.group}/${info.kind}`
  const older = OLDER_NAMES[kind]
  const terms = fields.terms.map((it) => ({ ...it, field: older?.[it.field] ?? it.field }))
  const named = info.custom || Object.keys(own).length > 0
  for (const { field } of terms) {
    // A kind that names its fields itself has no namespaces where it is in none.
    const isPlace = named && info.scope === 'Cluster' && field === 'metadata.namespace'
    if ((Object.hasOwn(BY_KEY, field) && !isPlace) || Object.hasOwn(own, field)) continue
    throw new Error(
      UNSUPPORTED[kind]?.(field) ??
        (named
          ? `field label not supported: ${field}`
          : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`),
    )
  }
  return older ? fieldSelector(terms) : fields
}
