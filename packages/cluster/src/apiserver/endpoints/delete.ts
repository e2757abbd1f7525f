import { stringifyExact } from 'kubewright/base'
import { conflict, type Status, type UnknownObject, timeText } from 'kubewright/machinery'
import type { AdmissionRequest } from '../admission/admission.ts'
import { mutateAll, validateAll } from '../admission/chain.ts'
import { OFFERS } from '../codec/negotiate.ts'
import type { Answer } from '../http/message.ts'
import {
  checkDeletionPreconditions,
  type DeletionRequest,
  markForDeletion,
} from '../registry/generic/before.ts'
import type { Draft, Strategy } from '../registry/strategy.ts'
import { ordered } from '../resources/ordered-storage.ts'
import type { Stored } from '../storage/storage.ts'
import { objectAnswer, outputOf } from './answers.ts'
import { absent, type Call, contextOf, keyOf, timesOf, viewed } from './call.ts'
import { sameJson } from './same-json.ts'
import { storedForm } from './pipeline.ts'
import { deleteOptions } from './delete-options.ts'

/** DELETE of one object: it goes at once, or is marked and waits for its grace and its finalizers. */
export async function remove(call: Call): Promise<Answer> {
  const { exchange, parts, served } = call
  const output = outputOf(exchange, OFFERS.object)
  const options = await deleteOptions(exchange)
  warnOfDelete(call, options)
  const { object, gone } = await deleteObject(call, options, call.name)
  const accepted = !gone && options.orphanDependents === false
  const shown = gone && !served.strategy.returnsDeleted ? success(call, object) : ordered(object)
  const view = { object: shown, json: stringifyExact(shown) }
  return objectAnswer(exchange, accepted ? 202 : 200, output, view, served.table, parts.clock.now())
}

/** Warns of what a delete does that does not say what is to become of dependents. */
export function warnOfDelete({ served, exchange }: Call, options: DeletionRequest): void {
  const { warningOnDelete } = served.strategy
  const said = options.propagationPolicy !== undefined || options.orphanDependents !== undefined
  if (warningOnDelete !== undefined && !said) exchange.warnings.push(warningOnDelete)
}

function success({ served }: Call, object: UnknownObject): UnknownObject {
  const { name, uid } = object.metadata
  const { group, plural } = served.info
  const details = { name, ...(group === '' ? {} : { group }), kind: plural, uid }
  const status: Omit<Status, 'details'> & { readonly details: object } = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details,
  }
  return status as unknown as UnknownObject
}

/** What became of an object: `gone`, or as it stands, marked. In the call's version. */
export interface Deleted {
  readonly object: UnknownObject
  readonly gone: boolean
}

/**
 * Deletes the object that a call names; again from what is stored, when it changed meanwhile. Admission knows it as `admitted`, and is
 * not asked where that is undefined. Throws an ApiError.
 */
export async function deleteObject(
  call: Call,
  options: DeletionRequest,
  admitted: string | undefined,
): Promise<Deleted> {
  for (;;) {
    const stored = await call.parts.storage.get(keyOf(call))
    if (!stored) throw absent(call)
    await call.views.prepare([stored])
    const old = viewed(call, stored)
    if (isNamespace(call)) checkNamespacePreconditions(options, old, call)
    else checkDeletionPreconditions(options, old, insideKind(call))
    if (admitted !== undefined) await admitDelete(call, admitted, old, options)
    const done = await deleteOnce(call, stored, old, options)
    if (done) return done
    if (options.preconditions?.resourceVersion !== undefined) {
      throw conflict(call.served.info, call.name, 'the object has been modified')
    }
  }
}

/** Both faces of an event are core's inside. */
const insideKind = ({
  served: { info },
}: Call): { readonly group: string; readonly kind: string } => ({
  group: info.storageKey === '/events' ? '' : info.group,
  kind: info.kind,
})

const isNamespace = ({ served: { info } }: Call): boolean =>
  info.group === '' && info.plural === 'namespaces'

/** A namespace's own store checks them, in its own words (kubernetes/pkg/registry/core/namespace/storage). */
function checkNamespacePreconditions(
  { preconditions = {} }: DeletionRequest,
  { metadata: { uid, resourceVersion } }: UnknownObject,
  { served, name }: Call,
): void {
  const refuse = (what: string, asked: string, own: string | undefined): never => {
    const why = `Precondition failed: ${what} in precondition: ${asked}, ${what} in object meta: ${own}`
    throw conflict(served.info, name, why)
  }
  if (preconditions.uid !== undefined && preconditions.uid !== uid)
    refuse('UID', preconditions.uid, uid)
  const asked = preconditions.resourceVersion
  if (asked !== undefined && asked !== resourceVersion)
    refuse('ResourceVersion', asked, resourceVersion)
}

/** One attempt; undefined when another write came first. */
async function deleteOnce(
  call: Call,
  stored: Stored,
  old: UnknownObject,
  options: DeletionRequest,
): Promise<Deleted | undefined> {
  const { strategy } = call.served
  const draft = structuredClone(old) as unknown as Draft
  const grace = markForDeletion(
    draft,
    strategy.gracePeriod?.(old, options.gracePeriodSeconds),
    options,
    call.parts.clock.now(),
  )
  if (grace === 'pending') return { object: old, gone: false }
  setPropagation(draft, strategy, options)
  const waits = grace === 'marked' && (draft.metadata.deletionGracePeriodSeconds ?? 0) > 0
  if (!waits && !isHeld(draft, strategy)) {
    const written = grace === 'marked' || finalizersOf(draft) !== finalizersOf(old)
    if (!written || isDryRun(options)) return erase(call, stored, draft, grace, options)
    return eraseMarked(call, stored, draft, options)
  }
  if (grace === 'remove') markHeld(draft, strategy, call.parts.clock.now())
  return put(call, stored, draft, options)
}

const finalizersOf = ({ metadata: { finalizers = [] } }: Draft | UnknownObject): string =>
  finalizers.join()

/**
 * What may go at once is marked all the same where its kind knows a grace, and watchers see that first; after that it goes, whoever
 * else writes it (store.go Delete).
 */
async function eraseMarked(
  call: Call,
  stored: Stored,
  draft: Draft,
  options: DeletionRequest,
): Promise<Deleted | undefined> {
  const { storage } = call.parts
  const next = await storedForm(call.served, structuredClone(draft))
  const swap = await storage.compareAndSwap(stored.key, stored.revision, next)
  if (!swap.ok) return undefined
  let latest: Stored | undefined = swap.stored
  while (latest) {
    const done = await erase(call, latest, draft, 'marked', options)
    if (done) return done
    latest = await storage.get(stored.key)
  }
  return { object: draft as UnknownObject, gone: true }
}

function isHeld(draft: Draft, strategy: Strategy): boolean {
  if ((draft.metadata.finalizers ?? []).length > 0) return true
  return strategy.finalized?.(draft as UnknownObject) === false
}

/** Marks an object that only its finalizers hold (registry/generic/registry/store.go markAsDeleting). */
function markHeld(draft: Draft, strategy: Strategy, now: number): void {
  const meta = draft.metadata
  const first = !meta.deletionTimestamp
  if (strategy.terminate) {
    // A namespace is marked once, without a grace period.
    if (first) meta.deletionTimestamp = timeText(now)
    strategy.terminate(draft)
    return
  }
  if (first && (meta.generation ?? 0) > 0) meta.generation = (meta.generation ?? 0) + 1
  if (first || Date.parse(meta.deletionTimestamp ?? '') > now)
    meta.deletionTimestamp = timeText(now)
  meta.deletionGracePeriodSeconds = 0
}

const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'

/** The finalizers that the garbage collector honours, by what this delete asks for (store.go deletionFinalizersForGarbageCollection). */
function setPropagation(draft: Draft, strategy: Strategy, options: DeletionRequest): void {
  if (strategy.ignoresPropagation) return
  const before = draft.metadata.finalizers ?? []
  const policy = propagationOf(before, strategy, options)
  const others = before.filter((it) => it !== ORPHAN && it !== FOREGROUND)
  const wanted = { Background: [], Orphan: [ORPHAN], Foreground: [FOREGROUND] }[policy]
  const after = [...others, ...wanted]
  if (after.length === before.length && after.every((it) => before.includes(it))) return
  if (after.length > 0) draft.metadata.finalizers = after
  else delete draft.metadata.finalizers
}

type Policy = 'Background' | 'Orphan' | 'Foreground'

function propagationOf(
  finalizers: readonly string[],
  strategy: Strategy,
  options: DeletionRequest,
): Policy {
  if (options.orphanDependents !== undefined)
    return options.orphanDependents ? 'Orphan' : 'Background'
  if (options.propagationPolicy !== undefined) return options.propagationPolicy as Policy
  const first = finalizers.find((it) => it === ORPHAN || it === FOREGROUND)
  if (first) return first === ORPHAN ? 'Orphan' : 'Foreground'
  return strategy.defaultPropagation ?? 'Background'
}

const isDryRun = (options: DeletionRequest): boolean => (options.dryRun?.length ?? 0) > 0

async function erase(
  call: Call,
  stored: Stored,
  draft: Draft,
  grace: string,
  options: DeletionRequest,
): Promise<Deleted | undefined> {
  const object = (grace === 'marked' ? draft : viewed(call, stored)) as UnknownObject
  if (isDryRun(options)) return { object, gone: true }
  const swap = await call.parts.storage.compareAndSwap(stored.key, stored.revision, undefined)
  if (!swap.ok) return undefined
  const { resourceVersion } = swap.stored.object.metadata
  const metadata = { ...object.metadata, ...(resourceVersion ? { resourceVersion } : {}) }
  return { object: { ...object, metadata }, gone: true }
}

async function put(
  call: Call,
  stored: Stored,
  draft: Draft,
  options: DeletionRequest,
): Promise<Deleted | undefined> {
  const { served, parts } = call
  if (isDryRun(options)) return { object: draft as UnknownObject, gone: false }
  const before = viewed(call, stored)
  if (sameJson(draft, before)) return { object: before, gone: false }
  const next = await storedForm(served, draft)
  const swap = await parts.storage.compareAndSwap(stored.key, stored.revision, next)
  if (!swap.ok) return undefined
  await call.views.prepare([swap.stored])
  return { object: viewed(call, swap.stored), gone: false }
}

async function admitDelete(
  call: Call,
  name: string,
  old: UnknownObject,
  options: DeletionRequest,
): Promise<void> {
  const request: AdmissionRequest = {
    operation: 'DELETE',
    subresource: '',
    name,
    old,
    options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', metadata: {}, ...options },
    context: contextOf(call, isDryRun(options)),
    ...timesOf(call),
  }
  await mutateAll(call.parts.admission, request)
  await validateAll(call.parts.admission, request)
}
