import { OFFERS } from '../codec/negotiate.ts'
import type { Answer } from '../http/message.ts'
import { matchNamespace } from '../registry/generic/before.ts'
import type { Draft } from '../registry/strategy.ts'
import { outputOf } from './answers.ts'
import { type Call, keyOf } from './call.ts'
import { bodyBytes, bodyType, decodeObject } from './decode.ts'
import { type Attempt, CREATE, type Step, UPDATE } from './pipeline.ts'
import { checkName, settle, writtenAnswer } from './write.ts'
import { writeOptions } from './write-options.ts'

/** PUT of an object, or of a view of it (`status`). */
export async function update(call: Call): Promise<Answer> {
  const { exchange, served } = call
  const output = outputOf(exchange, OFFERS.object)
  const bytes = await bodyBytes(exchange.request)
  const options = writeOptions(exchange.request.query, 'UpdateOptions')
  const mediaType = bodyType(call)
  const { fieldValidation } = options
  const decode = (): Draft => {
    const { warnings } = exchange
    const custom = served.info.custom
    return decodeObject(bytes, mediaType, served.body, fieldValidation, custom, warnings)
  }
  const first = decode()
  // Nothing may be put into what the first attempt takes over.
  matchNamespace({ ...first.metadata }, call.namespace)
  checkName(first, call.name)
  let fresh: Draft | undefined = first
  const bring = (): Draft => {
    const draft = fresh ?? decode()
    fresh = undefined
    return draft
  }
  const uid = first.metadata.uid ?? ''
  const steps = createsAbsent(call) ? updateOrCreate : () => UPDATE
  const outcome = await settle(steps, call, { options, bring, uid })
  return writtenAnswer(call, output, outcome)
}

/** A status is written by rules of its own, but where its kind may be made by an update, it may be made through it too. */
export const createsAbsent = ({ served, subresource }: Call): boolean =>
  (subresource === '' || subresource === 'status') && served.strategy.allowCreateOnUpdate === true

/** An apply makes what is not there; through a subresource, only where that lets it. */
export const appliesAbsent = (call: Call): boolean =>
  call.subresource === '' ||
  createsAbsent(call) ||
  call.served.strategy.subresources?.[call.subresource]?.createsOnApply === true

/** The pipeline for a write that makes the object where there is none. */
export async function updateOrCreate({ call }: Attempt): Promise<readonly Step[]> {
  return (await call.parts.storage.get(keyOf(call))) ? UPDATE : CREATE
}
