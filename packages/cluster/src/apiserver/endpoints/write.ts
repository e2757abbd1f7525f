import { stringifyExact } from 'kubewright/base'
import type { UnknownObject } from 'kubewright/machinery'
import { badRequest, internalError } from 'kubewright/machinery'
import type { OutputType } from '../codec/negotiate.ts'
import type { Answer } from '../http/message.ts'
import type { Draft, Strategy } from '../registry/strategy.ts'
import { ordered } from '../resources/ordered-storage.ts'
import { objectAnswer, type Shown } from './answers.ts'
import { type Call, contextOf, strategyOf } from './call.ts'
import { type Attempt, CREATE, type Outcome, run, type Step } from './pipeline.ts'
import { managerOf, type WriteOptions } from './write-options.ts'

/** How often a write that keeps losing its race is tried before it is given up. */
const MAX_CONFLICTS = 500

/** What a verb brings to a write. */
export interface Writing {
  readonly options: WriteOptions
  readonly bring: Attempt['bring']
  readonly tracked?: boolean
  readonly uid?: string
}

/** Makes a fresh attempt at a write. */
export function attemptOf(call: Call, { options, bring, tracked, uid }: Writing): Attempt {
  const { request } = call.exchange
  return {
    call,
    strategy: strategyOf(call),
    context: contextOf(call, options.dryRun),
    options,
    manager: managerOf(options, request.header('user-agent')),
    optionsObject: optionsObject(options, request.query),
    bring,
    tracked: tracked ?? false,
    uid: uid ?? '',
    current: undefined,
    old: undefined,
    draft: undefined as unknown as Draft,
    shown: undefined as unknown as Draft,
    outcome: undefined,
  }
}

/** The options of a create as admission sees them: what was given in the query. Those of an update, even by a patch, differ in their kind. */
export function optionsObject(options: WriteOptions, query: URLSearchParams): UnknownObject {
  const validation = query.get('fieldValidation')
  return {
    kind: 'CreateOptions',
    apiVersion: 'meta.k8s.io/v1',
    metadata: {},
    ...(options.dryRun ? { dryRun: ['All'] } : {}),
    ...(options.fieldManager ? { fieldManager: options.fieldManager } : {}),
    ...(validation ? { fieldValidation: validation } : {}),
  }
}

/** Runs a pipeline until it ends otherwise than by a lost race; each run starts from what is stored then. */
export async function settle(
  steps: (attempt: Attempt) => Promise<readonly Step[]> | readonly Step[],
  call: Call,
  writing: Writing,
): Promise<Exclude<Outcome, { kind: 'conflict' }>> {
  const { warnings } = call.exchange
  const before = warnings.length
  for (let tries = 0; tries < MAX_CONFLICTS; tries++) {
    warnings.length = before
    const attempt = attemptOf(call, writing)
    const chosen = await steps(attempt)
    // What is made is made by the rules of the whole, whatever part of it was sent.
    const whole = chosen === CREATE ? { ...attempt, strategy: creating(call) } : attempt
    const outcome = await run(chosen, whole)
    if (outcome.kind !== 'conflict') return outcome
  }
  throw internalError(`${call.served.info.plural} "${call.name}" changed too often to be written`)
}

/** A status makes an object by the rules of the whole; but nothing is allotted to a service that is made so. */
function creating({ served: { strategy }, subresource }: Call): Strategy {
  if (subresource === '' || !strategy.allowCreateOnUpdate) return strategy
  return { ...strategy, prepareForCreate: (draft) => void (draft['status'] = { loadBalancer: {} }) }
}

/** The answer of a write. */
export async function writtenAnswer(
  call: Call,
  output: OutputType,
  outcome: Exclude<Outcome, { kind: 'conflict' }>,
): Promise<Answer> {
  if (outcome.kind === 'stored') await call.views.prepare([outcome.stored])
  const view =
    outcome.kind === 'stored' ? call.views.shown(outcome.stored) : unstored(outcome.object)
  return objectAnswer(
    call.exchange,
    outcome.created ? 201 : 200,
    output,
    view,
    call.served.table,
    call.parts.clock.now(),
  )
}

/** What a dry run made, or an object that is gone. */
function unstored(made: UnknownObject): Shown {
  const object = ordered(made)
  return { object, json: stringifyExact(object) }
}

/** The name of a body must be the one in the URL (handlers/rest.go checkName). Throws the 400. */
export function checkName(draft: Draft, name: string): void {
  const own = draft.metadata.name ?? ''
  if (own === '') {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    )
  }
  if (own === name) return
  throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`)
}
