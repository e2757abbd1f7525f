import {
  alreadyExists,
  ApiError,
  conflict,
  failure,
  type FieldError,
  invalid,
  invalidValue,
  nameIsDnsSubdomain,
  parseApiVersion,
  OPTIMISTIC_LOCK,
  type UnknownObject,
} from 'kubewright/machinery'
import type { AdmissionRequest } from '../admission/admission.ts'
import { kindUnder } from '../admission/attributes.ts'
import { mutateAll, validateAll } from '../admission/chain.ts'
import {
  keepGeneration,
  keepSystemFields,
  matchNamespace,
  wipeSystemFields,
} from '../registry/generic/before.ts'
import { validateObjectMeta, validateObjectMetaUpdate } from '../registry/generic/object-meta.ts'
import { looksAtMetadata, repeatedMetadataErrors } from '../registry/generic/repeated-metadata.ts'
import type { Draft, Projection, Strategy, StrategyContext } from '../registry/strategy.ts'
import { ordered } from '../resources/ordered-storage.ts'
import type { Stored } from '../storage/storage.ts'
import { absent, type Call, keyOf, timesOf, viewed } from './call.ts'
import { owned } from './projected-fields.ts'
import { sameJson } from './same-json.ts'
import { fillSystemFields } from './system-fields.ts'
import type { WriteOptions } from './write-options.ts'

/** One write, tried once. Steps fill it in, in the order of the arrays below; a conflict starts a new attempt. */
export interface Attempt {
  readonly call: Call
  readonly strategy: Strategy
  readonly context: StrategyContext
  readonly options: WriteOptions
  readonly manager: string
  /** The options as admission sees them. */
  readonly optionsObject: UnknownObject
  /** Makes the wanted object: decodes the body, or patches the current object. Called once per attempt. */
  readonly bring: (current: UnknownObject | undefined) => Draft | Promise<Draft>
  /** The managedFields of what `bring` made are set already (server-side apply). */
  readonly tracked: boolean
  /** A uid that the stored object must have. */
  readonly uid: string
  /** What is stored, and the same in the call's version. */
  current: Stored | undefined
  old: UnknownObject | undefined
  draft: Draft
  /** The draft before it was brought into the stored version. */
  shown: Draft
  outcome: Outcome | undefined
}

/** How a write ended. `object` stands in the call's version where nothing was stored (dry run, removal). */
export type Outcome =
  | { readonly kind: 'stored'; readonly stored: Stored; readonly created: boolean }
  | { readonly kind: 'shown'; readonly object: UnknownObject; readonly created: boolean }
  | { readonly kind: 'conflict' }

export type Step = (attempt: Attempt) => void | Promise<void>

/** Runs steps until one of them sets the outcome. */
export async function run(steps: readonly Step[], attempt: Attempt): Promise<Outcome> {
  for (const step of steps) {
    const pending = step(attempt)
    if (pending) await pending
    if (attempt.outcome) return attempt.outcome
  }
  throw new Error('a pipeline ended without an outcome: its last step must commit')
}

// The steps of a create.

const decode: Step = (attempt) => brought(attempt, attempt.bring(undefined))

/** Nothing waits for what is there already: a step that need not wait costs a write two turns of the queue less. */
function brought(attempt: Attempt, draft: Draft | Promise<Draft>): void | Promise<void> {
  if (draft instanceof Promise) return draft.then((it) => void (attempt.draft = it))
  attempt.draft = draft
}

/** A store refuses an object that has a version already; what is no version at all does not count, and a dry run does not get there. */
const refuseVersion: Step = ({ draft, call, options }) => {
  const { resourceVersion = '' } = draft.metadata
  // A PUT or an apply that creates goes through an update, which looks at the version, and forgets it.
  if (call.name !== '' || options.dryRun) return
  if (!/^0*[1-9]\d*$/.test(resourceVersion)) return
  throw new ApiError(
    failure(500, undefined, 'resourceVersion should not be set on objects to be created'),
  )
}

/** Only a POST drops what it may not set (handlers/create.go); a PUT or an apply that creates takes it along. */
const wipe: Step = ({ draft, call }) => {
  if (call.name === '') wipeSystemFields(draft.metadata)
}

const readVersion: Step = ({ draft, call }) => {
  if (call.name !== '') versionIn(draft)
}

const place: Step = ({ draft, call }) => {
  matchNamespace(draft.metadata, call.namespace)
}

const applyDefaults: Step = ({ draft, strategy, context }) =>
  strategy.applyDefaults?.(draft, context.clock)

const noteArrival: Step = ({ draft, call }) => call.exchange.audit?.arrived(draft as UnknownObject)

const noteRequest: Step = ({ draft, call }) => call.exchange.audit?.requested(draft)

const trackFields: Step = ({ draft, old, call, manager, tracked }) => {
  if (!tracked) call.served.fields.update(old, draft, manager, call.subresource)
}

const mutate: Step = async (attempt) => {
  const projection = projectionOf(attempt.call)
  const request = admissionRequest(
    attempt,
    projection && ((it) => owned((projection.readForWrite ?? projection.read)(it), it, projection)),
  )
  await mutateAll(attempt.call.parts.admission, request)
  projection?.write(attempt.draft, request.object!)
}

/** How a subresource shows the object as one of another kind, which is what admission then sees. */
const projectionOf = ({ served, subresource }: Call): Projection | undefined =>
  served.strategy.projections?.[subresource]

const admit: Step = (attempt) => {
  const projection = projectionOf(attempt.call)
  return validateAll(
    attempt.call.parts.admission,
    // Only who may change a projection sees who owns its fields.
    admissionRequest(attempt, projection?.readForReview ?? projection?.read),
  )
}

/** What admission is asked; `read` makes of the object what the subresource shows of it. */
function admissionRequest(
  attempt: Attempt,
  read: ((object: UnknownObject) => UnknownObject) | undefined,
): AdmissionRequest {
  const { call, draft, old, context, optionsObject } = attempt
  const object = read ? (structuredClone(read(draft as UnknownObject)) as unknown as Draft) : draft
  return {
    operation: old ? 'UPDATE' : 'CREATE',
    subresource: call.subresource,
    name: call.name || (draft.metadata.name ?? ''),
    object,
    ...(old ? { old: read ? read(old) : old } : {}),
    ...(read ? { kind: kindUnder(call.served.info, call.subresource) } : {}),
    options: old ? { ...optionsObject, kind: 'UpdateOptions' } : optionsObject,
    context,
    ...timesOf(call),
    ...(context.dryRun ? {} : { replace: replacing(call) }),
  }
}

const replacing =
  ({ parts }: Call): NonNullable<AdmissionRequest['replace']> =>
  async (storageKey, { metadata }, next) => {
    const key = `${storageKey}/${metadata.namespace ?? ''}/${metadata.name}`
    const revision = Number(metadata.resourceVersion)
    const copy = { ...next, metadata: { ...next.metadata } }
    return (await parts.storage.compareAndSwap(key, revision, copy)).ok
  }

const mintFields: Step = ({ draft, call }) =>
  fillSystemFields(draft.metadata, call.parts.clock, call.parts.random)

const prepareForCreate: Step = ({ draft, strategy, context }) => {
  if (strategy.generation === 'spec') draft.metadata.generation = 1
  return strategy.prepareForCreate?.(draft, context)
}

const validateCreate: Step = async ({ draft, strategy, context, call }) => {
  const { info } = call.served
  const rule = strategy.validateName ?? nameIsDnsSubdomain
  const own = (await strategy.validate?.(draft, context)) ?? []
  // Metadata is looked at last; most kinds have looked at it before, and all else.
  if (!looksAtMetadata(info)) refuse(call, draft, own)
  refuse(call, draft, [...validateObjectMeta(draft.metadata, info.scope, rule), ...own])
  for (const text of strategy.warningsOnCreate?.(draft, context) ?? []) context.warn(text)
}

const canonicalize: Step = ({ draft, strategy }) => strategy.canonicalize?.(draft)

const toStorageVersion: Step = (attempt) => {
  attempt.shown = attempt.draft
  // A dry run converts too: what cannot be stored must be refused.
  const stored = storedForm(attempt.call.served, attempt.draft)
  if (!attempt.options.dryRun) return brought(attempt, stored)
  return stored instanceof Promise ? done(stored) : undefined
}

async function done(pending: Promise<unknown>): Promise<void> {
  await pending
}

/** An object of a served version as it is stored. */
export const storedForm = (
  { toStorage, webhook }: Call['served'],
  draft: Draft,
): Draft | Promise<Draft> => (webhook ? webhook.toStorage(draft) : (toStorage?.(draft) ?? draft))

/** What a store does to an object that it takes: no version is in it, nor, since v1.20, its place on the server. */
function settled({ draft, strategy, options }: Attempt): void {
  strategy.reread?.(draft)
  // A dry run is written and read back too, but by nobody who would look for it.
  if (!options.dryRun) delete draft.metadata.selfLink
}

/** What a dry run made, as it would be read from the store: what the stored version does not know is gone. */
async function asRead({ served }: Call, draft: Draft): Promise<UnknownObject> {
  if (!served.info.custom) return draft as UnknownObject
  const stored = (await storedForm(served, structuredClone(draft))) as UnknownObject
  const read = served.webhook ? (await served.webhook.fromStorage([stored]))[0] : undefined
  return read ?? served.fromStorage?.(stored) ?? stored
}

const commitCreate: Step = async (attempt) => {
  const { call, draft, options } = attempt
  settled(attempt)
  const key = keyOf({ ...call, name: draft.metadata.name ?? '' })
  if (options.dryRun) {
    const current = await call.parts.storage.get(key)
    if (current) throw taken(call, current, draft)
    attempt.outcome = { kind: 'shown', object: await asRead(call, draft), created: true }
    return
  }
  const swap = await call.parts.storage.compareAndSwap(key, 0, draft)
  if (!swap.ok && attempt.call.name === '') throw taken(call, swap.current!, draft)
  attempt.outcome = swap.ok
    ? { kind: 'stored', stored: swap.stored, created: true }
    : { kind: 'conflict' }
}

function taken({ served }: Call, current: Stored, draft: Draft): ApiError {
  const error = alreadyExists(served.info, current.object.metadata.name ?? '')
  const { message = '', details } = error.status
  if (draft.metadata.generateName) {
    // Whether or not this name was generated.
    const why = `${message}, the server was not able to generate a unique name for the object`
    return new ApiError({
      ...error.status,
      message: why,
      details: { ...details, retryAfterSeconds: 1 },
    })
  }
  if (!current.object.metadata.deletionTimestamp) return error
  return new ApiError({ ...error.status, message: `object is being deleted: ${message}` })
}

function refuse({ served }: Call, draft: Draft, errors: readonly FieldError[]): void {
  if (errors.length === 0) return
  throw invalid(kindForErrors(served.info, draft), draft.metadata.name ?? '', errors)
}

/** A custom resource is refused under the kind that it says it is. */
function kindForErrors(
  info: Call['served']['info'],
  draft: Draft,
): { readonly group: string; readonly kind: string } {
  const kind = info.custom && typeof draft['kind'] === 'string' ? draft['kind'] : info.kind
  if (info.custom) {
    const { apiVersion } = draft
    return { group: typeof apiVersion === 'string' ? parseApiVersion(apiVersion).group : '', kind }
  }
  // Both faces of an event are core's inside.
  return { group: info.storageKey === '/events' ? '' : info.group, kind }
}

// The steps of an update.

const readCurrent: Step = async (attempt) => {
  const { call } = attempt
  attempt.current = await call.parts.storage.get(keyOf(call))
  await call.views.prepare([attempt.current])
  attempt.old = attempt.current && viewed(call, attempt.current)
  if (!attempt.old) throw absent(call)
}

const checkPreconditions: Step = ({ uid, old, call }) => {
  const own = old?.metadata.uid ?? ''
  if (uid === '' || uid === own) return
  throw conflict(
    call.served.info,
    call.name,
    `StorageError: invalid object, Code: 4, Key: /registry${registryKey(call)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${own}`,
  )
}

/** Groups whose servers keep their objects apart. */
const OWN_PLACES: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

/** Kinds that etcd has under an older name (kubernetes/pkg/kubeapiserver/default_storage_factory_builder.go). */
const PLACES: Readonly<Record<string, string>> = {
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
}

const registryKey = (call: Call): string => {
  const { group, plural, custom } = call.served.info
  const namespace = call.namespace === '' ? '' : `/${call.namespace}`
  const place = custom || OWN_PLACES.has(group) ? `${group}/${plural}` : (PLACES[plural] ?? plural)
  return `/${place}${namespace}/${call.name}`
}

const merge: Step = (attempt) => brought(attempt, attempt.bring(attempt.old))

const checkVersion: Step = ({ draft, old, strategy, call }) => {
  const asked = versionIn(draft)
  const stands = old!.metadata.resourceVersion
  if (asked === stands) return
  if (asked !== '' && asked !== '0') throw conflict(call.served.info, call.name, OPTIMISTIC_LOCK)
  if (strategy.allowUnconditionalUpdate === false) {
    const { group, plural } = call.served.info
    const error = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update')
    throw invalid({ group, kind: plural }, call.name, [error])
  }
  if (stands !== undefined) draft.metadata.resourceVersion = stands
}

/** The version that a body names. Throws the 500 of Go's strconv. */
function versionIn({ metadata }: Draft): string {
  const text = metadata.resourceVersion ?? ''
  if (/^\d*$/.test(text)) return text
  const quoted = JSON.stringify(text)
  throw new ApiError(
    failure(500, undefined, `strconv.ParseUint: parsing ${quoted}: invalid syntax`),
  )
}

const prepareForUpdate: Step = async ({ draft, old, strategy, context }) => {
  keepGeneration(draft.metadata, old!.metadata)
  await strategy.prepareForUpdate?.(draft, old!, context)
  keepSystemFields(draft.metadata, old!.metadata)
}

const validateUpdate: Step = async ({ draft, old, strategy, context, call }) => {
  const { info } = call.served
  const common = [
    ...validateObjectMeta(draft.metadata, info.scope),
    ...validateObjectMetaUpdate(draft.metadata, old!.metadata),
  ]
  const errors = [
    ...common,
    ...(common.length > 0 || (draft.metadata.finalizers ?? []).length > 0
      ? repeatedMetadataErrors(info, call.subresource, strategy, draft, old!)
      : []),
    ...((await strategy.validateUpdate?.(draft, old!, context)) ?? []),
  ]
  refuse(call, draft, errors)
  for (const text of strategy.warningsOnUpdate?.(draft, old!, context) ?? []) context.warn(text)
}

/** A write that changes nothing but the times of managedFields changes nothing (fieldmanager/equality.go). */
const keepTimes: Step = ({ draft, old }) => {
  const before = old!.metadata.managedFields
  const after = draft.metadata.managedFields
  if (!before || !after || before.length !== after.length) return
  // Most writes change something: where that is neither metadata nor its owners, nothing else need be looked at.
  if (!sameMembers(draft, old!)) return
  const untimed = (entries: readonly object[]): unknown =>
    entries.map((it) => ({ ...it, time: undefined }))
  if (!sameJson(untimed(before), untimed(after))) return
  if (!sameJson(withoutManagedFields(draft), withoutManagedFields(old!))) return
  draft.metadata.managedFields = structuredClone(before) as typeof after
}

/** Whether two objects are the same but for their metadata. */
const sameMembers = (one: Draft | UnknownObject, other: UnknownObject): boolean =>
  sameJson({ ...one, metadata: undefined }, { ...other, metadata: undefined })

const withoutManagedFields = (object: Draft | UnknownObject): object => ({
  ...object,
  metadata: { ...object.metadata, managedFields: undefined },
})

const commitUpdate: Step = async (attempt) => {
  const { draft, call, current, strategy, old, options } = attempt
  if (mayGo(draft, old!, strategy)) {
    if (!options.dryRun && !(await remove(call, current!))) {
      attempt.outcome = { kind: 'conflict' }
      return
    }
    attempt.outcome = { kind: 'shown', object: attempt.shown as UnknownObject, created: false }
    return
  }
  settled(attempt)
  if (options.dryRun) {
    attempt.outcome = { kind: 'shown', object: await asRead(call, draft), created: false }
    return
  }
  // What is stored is in order, and an empty list is no list there.
  const next = ordered(draft)
  if (sameJson(next, current!.object) && !isUnsettled(call, current!)) {
    attempt.outcome = { kind: 'stored', stored: current!, created: false }
    return
  }
  const swap = await call.parts.storage.compareAndSwap(current!.key, current!.revision, next)
  attempt.outcome = swap.ok
    ? { kind: 'stored', stored: swap.stored, created: false }
    : { kind: 'conflict' }
}

const isUnsettled = ({ served }: Call, { isFirst, object }: Stored): boolean =>
  isFirst && (served.strategy.unsettled?.(object) ?? false)

/** The last finalizer of an object that is being deleted has gone (registry/generic/registry/store.go ShouldDeleteDuringUpdate). */
function mayGo(draft: Draft, old: UnknownObject, strategy: Strategy): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = old.metadata
  if (!deletionTimestamp || deletionGracePeriodSeconds !== 0) return false
  if ((draft.metadata.finalizers ?? []).length > 0) return false
  return strategy.finalized?.(draft as UnknownObject) ?? true
}

async function remove({ parts }: Call, current: Stored): Promise<boolean> {
  return (await parts.storage.compareAndSwap(current.key, current.revision, undefined)).ok
}

/** The order of a create (apiserver/pkg/endpoints/handlers/create.go and registry/rest/create.go). */
export const CREATE: readonly Step[] = [
  checkPreconditions,
  decode,
  noteArrival,
  wipe,
  place,
  applyDefaults,
  noteRequest,
  trackFields,
  mutate,
  place,
  mintFields,
  readVersion,
  prepareForCreate,
  validateCreate,
  canonicalize,
  refuseVersion,
  admit,
  toStorageVersion,
  commitCreate,
]

/** The order of an update (handlers/update.go, patch.go and registry/rest/update.go); a conflict runs it again from the start. */
export const UPDATE: readonly Step[] = [
  readCurrent,
  checkPreconditions,
  merge,
  noteArrival,
  place,
  applyDefaults,
  noteRequest,
  trackFields,
  mutate,
  place,
  checkVersion,
  prepareForUpdate,
  validateUpdate,
  canonicalize,
  keepTimes,
  admit,
  toStorageVersion,
  commitUpdate,
]
