import {
  ApiError,
  badRequest,
  conflict,
  failure,
  invalid,
  type UnknownObject,
} from 'kubewright/machinery'
import type { Answer } from '../http/message.ts'
import type { Action, ActionContext, Draft, Projection } from '../registry/strategy.ts'
import type { DeletionRequest } from '../registry/generic/before.ts'
import type { SubresourceInfo } from '../resources/resource.ts'
import { jsonAnswer, outputOf, TRANSFORMS } from './answers.ts'
import { absent, type Call, contextOf, keyOf, viewed } from './call.ts'
import { bodyBytes, bodyText, bodyType, decodeObject } from './decode.ts'
import { deleteObject } from './delete.ts'
import { get } from './get.ts'
import { decodePatched, dialectOf, patch, patchBody, type Patched } from './patch.ts'
import { applyDialect } from './patch-dialects.ts'
import { type Outcome, UPDATE } from './pipeline.ts'
import type { BodyReader } from './served.ts'
import type { Connector } from './server-parts.ts'
import { update } from './update.ts'
import { checkName, settle, type Writing } from './write.ts'
import { type WriteOptions, writeOptions } from './write-options.ts'

/** A request for a subresource: another view of the object, a projection of it, or an action on it. */
export function subresource(call: Call, info: SubresourceInfo): Promise<Answer> {
  const { strategy } = call.served
  const projection = strategy.projections?.[info.name]
  if (projection) return projected(call, projection)
  const action = strategy.actions?.[info.name]
  if (action) return acted(call, action)
  if (strategy.subresources?.[info.name]) return VIEWS[call.exchange.info.verb]!(call)
  return connected(call, info.name)
}

async function connected(call: Call, name: string): Promise<Answer> {
  const stored = await call.parts.storage.get(keyOf(call))
  if (!stored) throw absent(call)
  const object = viewed(call, stored)
  const path = `${call.served.info.plural}/${name}`
  if (POD_STREAMS.has(path) && !(object['spec'] as PodSpec).nodeName) return hostless(call, name)
  const connector: Connector | undefined = call.parts.connectors[path]
  if (connector) return connector(object, call.exchange.request)
  throw new ApiError(
    failure(
      501,
      undefined,
      `${path} is not served here: this server has no nodes that could answer`,
    ),
  )
}

interface PodSpec {
  readonly nodeName?: string
}

const POD_STREAMS: ReadonlySet<string> = new Set([
  'pods/attach',
  'pods/exec',
  'pods/log',
  'pods/portforward',
])

/** A pod that waits for a node has written nothing yet, and runs nothing (registry/core/pod/strategy.go LogLocation, streamLocation). */
function hostless({ name: pod }: Call, name: string): Answer {
  if (name === 'log') return { status: 204, headers: {} }
  throw badRequest(`pod ${pod} does not have a host assigned`)
}

const VIEWS: Readonly<Record<string, (call: Call) => Promise<Answer>>> = { get, update, patch }

// Projections.

async function projected(call: Call, projection: Projection): Promise<Answer> {
  const { exchange } = call
  const output = outputOf(exchange, TRANSFORMS.none)
  if (exchange.info.verb === 'get') {
    const stored = await call.parts.storage.get(keyOf(call))
    if (!stored) throw absent(call)
    await call.views.prepare([stored])
    return jsonAnswer(200, output, JSON.stringify(projection.read(viewed(call, stored))))
  }
  const writing =
    exchange.info.verb === 'update'
      ? await replacing(call, projection)
      : await patchingProjection(call, projection)
  const outcome = await settle(() => UPDATE, call, writing)
  if (outcome.kind === 'stored') await call.views.prepare([outcome.stored])
  const object = outcomeObject(call, outcome)
  return jsonAnswer(200, output, JSON.stringify(projection.read(object)))
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
  const decode = (): Draft =>
    decodeObject(
      bytes,
      mediaType,
      readerOf(call),
      options.fieldValidation,
      served.info.custom,
      exchange.warnings,
    )
  return writingOf(call, projection, options, 'UpdateOptions', () => decode())
}

async function patchingProjection(call: Call, projection: Projection): Promise<Writing> {
  const dialect = dialectOf(call)
  const { exchange } = call
  const text = await bodyText(exchange.request)
  const options = writeOptions(exchange.request.query, 'PatchOptions', dialect === 'apply')
  // An apply through a projection owns what it sets as a merge does: its fields are those of the object.
  const merge = dialect === 'apply' ? 'merge' : dialect
  const strict = options.fieldValidation !== 'Ignore'
  const change = (shown: UnknownObject): Draft => {
    const served = {
      ...call.served,
      ...(merge === 'strategic' ? { strategicMerge: plainMerge } : {}),
    }
    const make = (): Patched => {
      const { value, problems } = patchBody(text, merge, strict)
      return { object: applyDialect(merge, shown, value, served), problems }
    }
    return decodePatched(make, readerOf(call), options, exchange.warnings)
  }
  return writingOf(call, projection, options, 'PatchOptions', change)
}

/** The kinds that projections show have no lists that merge. */
function plainMerge(document: UnknownObject, change: object): unknown {
  const merged: Record<string, unknown> = { ...document }
  for (const [key, value] of Object.entries(change)) {
    const before = merged[key]
    if (value === null) delete merged[key]
    else if (isObject(value) && isObject(before)) merged[key] = plainMerge(before as never, value)
    else merged[key] = value
  }
  return merged
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function writingOf(
  call: Call,
  projection: Projection,
  options: WriteOptions,
  optionsKind: string,
  change: (shown: UnknownObject) => Draft,
): Writing {
  const context = contextOf(call, options.dryRun)
  return {
    options,
    optionsKind,
    bring: (current) => {
      const body = change(projection.read(current!))
      checkName(body, call.name)
      checkUid(call, body, current!)
      const errors = projection.validate(body, context)
      if (errors.length > 0) throw invalid(readerOf(call), call.name, errors)
      const draft = structuredClone(current!) as unknown as Draft
      projection.write(draft, body)
      const { resourceVersion } = body.metadata
      if (resourceVersion) draft.metadata.resourceVersion = resourceVersion
      else delete draft.metadata.resourceVersion
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
  const output = outputOf(exchange, TRANSFORMS.none)
  const mediaType = bodyType(call)
  const bytes = await bodyBytes(exchange.request)
  const options = writeOptions(exchange.request.query, 'CreateOptions')
  const reader = readerOf(call)
  const level = options.fieldValidation
  const body = decodeObject(bytes, mediaType, reader, level, false, exchange.warnings)
  const stored = await parts.storage.get(keyOf(call))
  if (!stored) throw absent(call)
  const context = actionContext(call, options)
  const optionsObject = { metadata: {}, ...(options.dryRun ? { dryRun: ['All'] } : {}) }
  const answer = await action.run(viewed(call, stored), body, context, optionsObject)
  return jsonAnswer(201, output, JSON.stringify(answer))
}

function actionContext(call: Call, options: WriteOptions): ActionContext {
  const at = (storageKey: string, namespace: string, name: string): Call => {
    const served = call.parts.catalog.byStorageKey(storageKey)
    if (!served) throw new Error(`nothing is served at ${storageKey}: name a resource's storageKey`)
    return { ...call, served, namespace, name, subresource: '' }
  }
  return {
    ...contextOf(call, options.dryRun),
    signToken: call.parts.signToken,
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
      )
      return object
    },
  }
}
