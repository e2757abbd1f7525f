import {
  ApiError,
  badRequest,
  conflict,
  failure,
  invalid,
  type UnknownObject,
} from 'kubewright/machinery'
import type { AdmissionRequest } from '../admission/admission.ts'
import { kindUnder } from '../admission/attributes.ts'
import { mutateAll, validateAll } from '../admission/chain.ts'
import { OFFERS } from '../codec/negotiate.ts'
import type { Answer } from '../http/message.ts'
import type { Action, ActionContext, Draft, Projection } from '../registry/strategy.ts'
import type { DeletionRequest } from '../registry/generic/before.ts'
import type { SubresourceInfo } from '../resources/resource.ts'
import { ordered } from '../resources/ordered-storage.ts'
import { CUSTOM_SCALE, SCALE } from '../table/convertors.ts'
import { jsonAnswer, objectAnswer, outputOf } from './answers.ts'
import { absent, type Call, contextOf, keyOf, timesOf, viewed } from './call.ts'
import { connected } from './connect.ts'
import { bodyBytes, bodyText, bodyType, decodeObject } from './decode.ts'
import { deleteObject } from './delete.ts'
import { get } from './get.ts'
import { disown, owned } from './projected-fields.ts'
import {
  appliedBody,
  converted,
  inconvertible,
  isUnchanged,
  decodePatched,
  dialectOf,
  patch,
  patchBody,
  type Patched,
} from './patch.ts'
import { applyDialect, type Dialect } from './patch-dialects.ts'
import { type Outcome, UPDATE } from './pipeline.ts'
import type { BodyReader, FieldTracker } from './served.ts'
import { update } from './update.ts'
import { checkName, optionsObject, settle, type Writing } from './write.ts'
import { managerOf, type WriteOptions, writeOptions } from './write-options.ts'

/** A request for a subresource: another view of the object, a projection of it, or an action on it. */
export function subresource(call: Call, info: SubresourceInfo): Promise<Answer> {
  const { strategy } = call.served
  const projection = strategy.projections?.[info.name]
  if (projection) return projected(call, projection)
  const action = strategy.actions?.[info.name]
  if (action) return acted(call, action)
  if (strategy.subresources?.[info.name]) return VIEWS[call.exchange.info.verb]!(call)
  return connected(call, info)
}

const VIEWS: Readonly<Record<string, (call: Call) => Promise<Answer>>> = { get, update, patch }

// Projections.

async function projected(call: Call, projection: Projection): Promise<Answer> {
  const { exchange } = call
  const { custom } = call.served.info
  // A custom kind has no route that would look at what is accepted before the handler looks at the patch.
  if (custom && exchange.info.verb === 'patch') dialectOf(call)
  const output = outputOf(exchange, OFFERS.object)
  const table = custom ? CUSTOM_SCALE : SCALE
  const answer = (shown: UnknownObject): Answer => {
    const object = ordered(shown)
    const view = { object, json: JSON.stringify(object) }
    return objectAnswer(exchange, 200, output, view, table, call.parts.clock.now())
  }
  if (exchange.info.verb === 'get') {
    const stored = await call.parts.storage.get(keyOf(call))
    if (!stored) throw absent(call)
    await call.views.prepare([stored])
    return answer(projection.read(viewed(call, stored)))
  }
  const writing =
    exchange.info.verb === 'update'
      ? await replacing(call, projection)
      : await patchingProjection(call, projection)
  const outcome = await settle(() => UPDATE, call, writing)
  if (outcome.kind === 'stored') await call.views.prepare([outcome.stored])
  const object = outcomeObject(call, outcome)
  return answer(projection.read(object))
}

const outcomeObject = (
  call: Call,
  outcome: Exclude<Outcome, { kind: 'conflict' }>,
): UnknownObject => (outcome.kind === 'stored' ? viewed(call, outcome.stored) : outcome.object)

const readerOf = ({ served, subresource: name }: Call): BodyReader => served.bodies[name]!

async function replacing(call: Call, projection: Projection): Promise<Writing> {
  const { exchange, served } = call
  const bytes = await bodyBytes(exchange.request)
  const options = writeOptions(exchange.request.query, 'UpdateOptions')
  const mediaType = bodyType(call)
  const decode = (): Draft => {
    try {
      return decodeObject(
        bytes,
        mediaType,
        readerOf(call),
        options.fieldValidation,
        served.info.custom,
        exchange.warnings,
      )
    } catch (error) {
      throw served.info.custom ? unreadScale(error as Error) : error
    }
  }
  // What cannot be read is refused before anyone looks whether the object is there.
  checkName(decode(), call.name)
  const change = tracked(call, options, () => decode())
  return writingOf(call, projection, options, change)
}

/** Kubernetes cannot name the kind of a Scale that it could not read for a custom resource. */
const unreadScale = (error: Error): Error =>
  error.message.includes('cannot be handled as a Scale: json:')
    ? badRequest(
        'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"',
      )
    : error

/** Makes the body that is to be written of the one that stands there. */
type Change = (shown: UnknownObject) => Draft

async function patchingProjection(call: Call, projection: Projection): Promise<Writing> {
  const dialect = dialectOf(call)
  const { exchange } = call
  const text = await bodyText(exchange.request)
  const options = writeOptions(exchange.request.query, 'PatchOptions', dialect === 'apply')
  const change =
    dialect === 'apply'
      ? applyingBody(call, text, options)
      : tracked(call, options, patchingBody(call, dialect, text, options))
  return writingOf(call, projection, options, change)
}

function patchingBody(
  call: Call,
  dialect: Exclude<Dialect, 'apply'>,
  text: string,
  options: WriteOptions,
): Change {
  const strict = options.fieldValidation !== 'Ignore'
  return (shown) => {
    const make = (): Patched => {
      const { value, problems } = patchBody(text, dialect, strict)
      const object = applyDialect(dialect, shown, value, call.served, readerOf(call))
      return { object, problems, before: shown, patch: value, dialect }
    }
    const { warnings } = call.exchange
    const draft = decodePatched(make, readerOf(call), options, warnings, false)
    checkName(draft, call.name)
    return draft
  }
}

function applyingBody(call: Call, text: string, options: WriteOptions): Change {
  const manager = managerOf(options, call.exchange.request.header('user-agent'))
  return (shown) => {
    const applied = appliedBody(call, text, options)
    const fields = fieldsOf(call)
    const isScale = applied['apiVersion'] === 'autoscaling/v1' && applied['kind'] === 'Scale'
    if (call.served.info.custom && isScale && !shown.metadata.managedFields) throw unmanagedScale()
    const merged = fields.apply(shown, applied, manager, options.force ?? false, call.subresource)
    const { managedFields } = merged.metadata
    const draft =
      call.served.info.custom && !isUnchanged(merged, shown)
        ? inconvertible(applied, readerOf(call))
        : converted(merged, applied, readerOf(call))
    if (managedFields) draft.metadata.managedFields = managedFields
    checkName(draft, call.name)
    return draft
  }
}

/** What nobody owns yet would be given to its first manager, for which Kubernetes takes the Scale for the resource itself. */
const unmanagedScale = (): ApiError =>
  new ApiError(
    failure(
      500,
      undefined,
      'failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1',
    ),
  )

/** A change after which the body's managedFields say who made it. */
function tracked(call: Call, options: WriteOptions, change: Change): Change {
  const manager = managerOf(options, call.exchange.request.header('user-agent'))
  return (shown) => {
    const draft = change(shown)
    fieldsOf(call).update(shown, draft, manager, call.subresource)
    return draft
  }
}

const fieldsOf = ({ served, subresource: name }: Call): FieldTracker => served.bodyFields[name]!

/** Goes from the object to its body, and with the changed body back (registry/apps/deployment/storage scaleUpdatedObjectInfo). */
function writingOf(
  call: Call,
  projection: Projection,
  options: WriteOptions,
  change: Change,
): Writing {
  const context = contextOf(call, options.dryRun)
  const read = projection.readForWrite ?? projection.read
  return {
    options,
    tracked: true,
    bring: (current) => {
      const body = change(owned(read(current!), current!, projection))
      checkName(body, call.name)
      const errors = projection.validate(body, context)
      if (errors.length > 0) throw invalid(readerOf(call), call.name, errors)
      if (projection.checksUid) checkUid(call, body, current!)
      const draft = structuredClone(current!) as unknown as Draft
      projection.write(draft, body)
      const { resourceVersion } = body.metadata
      if (resourceVersion) draft.metadata.resourceVersion = resourceVersion
      // A built-in kind takes over the body's version, even none; a custom one keeps its own then.
      else if (projection.checksUid) delete draft.metadata.resourceVersion
      disown(draft, body, current!, projection)
      return draft
    },
  }
}

function checkUid(call: Call, body: Draft, current: UnknownObject): void {
  const { uid } = body.metadata
  if (!uid || uid === current.metadata.uid) return
  throw conflict(
    call.served.info,
    call.name,
    `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`,
  )
}

// Actions.

async function acted(call: Call, action: Action): Promise<Answer> {
  const { exchange, parts } = call
  const output = outputOf(exchange, OFFERS.plain)
  const mediaType = bodyType(call)
  const bytes = await bodyBytes(exchange.request)
  const options = writeOptions(exchange.request.query, 'CreateOptions')
  const reader = readerOf(call)
  const level = options.fieldValidation
  const body = decodeObject(bytes, mediaType, reader, level, false, exchange.warnings)
  action.check?.(body, call.name)
  const stored = await parts.storage.get(keyOf(call))
  if (!stored) throw absent(call)
  const context = actionContext(call, options)
  const optionsObject = { metadata: {}, ...(options.dryRun ? { dryRun: ['All'] } : {}) }
  action.applyDefaults?.(body)
  body.metadata.namespace ??= call.namespace
  await admitAction(call, body, options, context)
  const answer = await action.run(viewed(call, stored), body, context, optionsObject)
  return jsonAnswer(201, output, JSON.stringify(answer))
}

/** What an action is told to do is a new object of its own kind to admission. */
async function admitAction(
  call: Call,
  body: Draft,
  options: WriteOptions,
  context: ActionContext,
): Promise<void> {
  const request: AdmissionRequest = {
    operation: 'CREATE',
    subresource: call.subresource,
    name: call.name,
    object: body,
    options: optionsObject(options, call.exchange.request.query),
    kind: kindUnder(call.served.info, call.subresource),
    context,
    ...timesOf(call),
  }
  await mutateAll(call.parts.admission, request)
  await validateAll(call.parts.admission, request)
}

function actionContext(call: Call, options: WriteOptions): ActionContext {
  const at = (storageKey: string, namespace: string, name: string): Call => {
    const served = call.parts.catalog.byStorageKey(storageKey)
    if (!served) throw new Error(`nothing is served at ${storageKey}: name a resource's storageKey`)
    return { ...call, served, namespace, name, subresource: '' }
  }
  return {
    ...contextOf(call, options.dryRun),
    tokens: call.parts.tokens,
    manager: managerOf(options, call.exchange.request.header('user-agent')),
    update: async (storageKey, namespace, name, change) => {
      const target = at(storageKey, namespace, name)
      for (;;) {
        const stored = await call.parts.storage.get(keyOf(target))
        if (!stored) throw absent(target)
        const draft = structuredClone(stored.object) as unknown as Draft
        change(draft)
        if (options.dryRun) return draft as UnknownObject
        const { key, revision } = stored
        const swap = await call.parts.storage.compareAndSwap(key, revision, draft)
        if (swap.ok) return swap.stored.object
      }
    },
    remove: async (storageKey, namespace, name, deletion) => {
      const { object } = await deleteObject(
        at(storageKey, namespace, name),
        deletion as unknown as DeletionRequest,
        undefined,
      )
      return object
    },
  }
}
