import type { UnknownObject } from 'kubewright/machinery'
import { keep, same, type Fields, type Readable } from '../fields.ts'
import type { Draft, Strategy } from '../strategy.ts'

/** Whether a change of the object counts as a new generation. */
export type CountsAsChange = (object: Readable, old: Readable) => boolean

/** What is special about a kind that keeps a spec and a status apart, as nearly all do. */
export interface WholeAndStatus {
  /** The status of a new object; absent for a kind without one. */
  readonly emptyStatus?: Readable
  /** Which changes count as a new generation; absent for a kind that counts none. */
  readonly counts?: CountsAsChange
  /** What a write of the status cannot touch beside the spec. Default nothing. */
  readonly statusKeeps?: 'labels' | 'metadata' | 'owners'
}

/** Counts changes of the spec. */
export const specChanged: CountsAsChange = (object, old) => !same(object['spec'], old['spec'])

/** Counts changes of anything but metadata. */
export const contentChanged: CountsAsChange = (object, old) => {
  for (const name of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (!ENVELOPE.has(name) && !same(object[name], old[name])) return true
  }
  return false
}

const ENVELOPE: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status'])

/** Begins the generation of a new object. */
export function firstGeneration(object: Draft): void {
  object.metadata.generation = 1
}

/** Counts one more generation when `counts` says so. */
export function countGeneration(object: Draft, old: UnknownObject, counts: CountsAsChange): void {
  if (counts(object, old)) object.metadata.generation = (old.metadata.generation ?? 0) + 1
}

/** The hooks of a kind's main resource: a new object begins with an empty status; an update keeps the status that is there. */
export function whole(
  about: WholeAndStatus,
): Required<
  Pick<Strategy, 'prepareForCreate' | 'prepareForUpdate' | 'generation' | 'resetFields'>
> {
  const { emptyStatus, counts } = about
  return {
    generation: counts ? 'spec' : 'none',
    resetFields: emptyStatus ? STATUS_FIELD : NO_FIELDS,
    prepareForCreate: (object) => {
      if (emptyStatus) object['status'] = structuredClone(emptyStatus)
      if (counts) firstGeneration(object)
    },
    prepareForUpdate: (object, old) => {
      if (emptyStatus) keep(object, old, 'status')
      if (counts) countGeneration(object, old, counts)
    },
  }
}

const NO_FIELDS: readonly (readonly string[])[] = Object.freeze([])
const STATUS_FIELD = Object.freeze([Object.freeze(['f:status'])])
const SPEC_FIELD = Object.freeze([Object.freeze(['f:spec'])])
const SPEC_AND_METADATA = Object.freeze([Object.freeze(['f:spec']), Object.freeze(['f:metadata'])])
const SPEC_AND_LABELS = Object.freeze([
  Object.freeze(['f:spec']),
  Object.freeze(['f:metadata', 'f:labels']),
])
const SPEC_AND_OWNERS = Object.freeze([
  Object.freeze(['f:spec']),
  Object.freeze(['f:metadata', 'f:deletionTimestamp']),
  Object.freeze(['f:metadata', 'f:ownerReferences']),
])

/** The hooks of a kind's status subresource: only the status moves. */
export function statusOnly(
  about: WholeAndStatus = {},
): Required<Pick<Strategy, 'prepareForUpdate' | 'resetFields'>> {
  return {
    resetFields: RESETS[about.statusKeeps ?? 'nothing'],
    prepareForUpdate: (object, old) => {
      keepContent(object, old)
      KEEPS[about.statusKeeps ?? 'nothing'](object.metadata as Fields, old.metadata as Readable)
    },
  }
}

type Kept = NonNullable<WholeAndStatus['statusKeeps']> | 'nothing'

const RESETS: Readonly<Record<Kept, readonly (readonly string[])[]>> = {
  nothing: SPEC_FIELD,
  labels: SPEC_AND_LABELS,
  metadata: SPEC_AND_METADATA,
  owners: SPEC_AND_OWNERS,
}

const KEEPS: Readonly<Record<Kept, (meta: Fields, old: Readable) => void>> = {
  nothing: () => {},
  labels: (meta, old) => keep(meta, old, 'labels'),
  owners: (meta, old) => keep(meta, old, 'ownerReferences'),
  metadata: keepMetadata,
}

/** What meta/v1 ResetObjectMetaForStatus keeps. */
export function keepMetadata(meta: Fields, old: Readable): void {
  for (const name of STATUS_KEEPS) keep(meta, old, name)
}

const STATUS_KEEPS = [
  'deletionTimestamp',
  'generation',
  'selfLink',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
]

/** Makes everything but metadata and status what it was. */
function keepContent(object: Draft, old: UnknownObject): void {
  for (const name in object) {
    if (!ENVELOPE.has(name) && old[name] === undefined) delete object[name]
  }
  for (const name in old) if (!ENVELOPE.has(name)) object[name] = old[name]
}
