import type { UnknownObject } from 'kubewright/machinery'
import { badRequest, internalError } from 'kubewright/machinery'
import type { OutputType } from '../codec/negotiate.ts'
import type { Answer } from '../http/message.ts'
import type { Draft } from '../registry/strategy.ts'
import { objectAnswer } from './answers.ts'
import { type Call, contextOf, strategyOf } from './call.ts'
import { type Attempt, type Outcome, run, type Step } from './pipeline.ts'
import { managerOf, type WriteOptions } from './write-options.ts'

/** How often a write that keeps losing its race is tried before it is given up. */
const MAX_CONFLICTS = 500

/** What a verb brings to a write. */
export interface Writing {
  readonly options: WriteOptions
  readonly optionsKind: string
  readonly bring: Attempt['bring']
  readonly tracked?: boolean
  readonly uid?: string
}

/** Makes a fresh attempt at a write. */
export function attemptOf(
  call: Call,
  { options, optionsKind, bring, tracked, uid }: Writing,
): Attempt {
  const { request } = call.exchange
  return {
    call,
    strategy: strategyOf(call),
    context: contextOf(call, options.dryRun),
    options,
    manager: managerOf(options, request.header('user-agent')),
    optionsObject: optionsObject(options, optionsKind),
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

function optionsObject(options: WriteOptions, kind: string): UnknownObject {
  return {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    metadata: {},
    ...(options.dryRun ? { dryRun: ['All'] } : {}),
    ...(options.fieldManager ? { fieldManager: options.fieldManager } : {}),
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
    const outcome = await run(await steps(attempt), attempt)
    if (outcome.kind !== 'conflict') return outcome
  }
  throw internalError(`${call.served.info.plural} "${call.name}" changed too often to be written`)
}

/** The answer of a write. */
export async function writtenAnswer(
  call: Call,
  output: OutputType,
  outcome: Exclude<Outcome, { kind: 'conflict' }>,
): Promise<Answer> {
  if (outcome.kind === 'stored') await call.views.prepare([outcome.stored])
  const view =
    outcome.kind === 'stored'
      ? call.views.of(outcome.stored)
      : { object: outcome.object, json: JSON.stringify(outcome.object) }
  return objectAnswer(
    call.exchange,
    outcome.created ? 201 : 200,
    output,
    view,
    call.served.table,
    call.parts.clock.now(),
  )
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
