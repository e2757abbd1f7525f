import { type ApiError, forbidden, isAlreadyExists } from 'kubewright/machinery'
import { OFFERS } from '../codec/negotiate.ts'
import type { Answer } from '../http/message.ts'
import type { Draft } from '../registry/strategy.ts'
import { outputOf } from './answers.ts'
import type { Call } from './call.ts'
import { bodyBytes, bodyType, decodeObject } from './decode.ts'
import { CREATE, type Outcome } from './pipeline.ts'
import { NAME_ATTEMPTS } from './system-fields.ts'
import { settle, writtenAnswer, type Writing } from './write.ts'
import { writeOptions } from './write-options.ts'

/** POST of an object to its collection. */
export async function create(call: Call): Promise<Answer> {
  const { exchange, served } = call
  const output = outputOf(exchange, OFFERS.object)
  const mediaType = bodyType(call)
  const bytes = await bodyBytes(exchange.request)
  const options = writeOptions(exchange.request.query, 'CreateOptions')
  const level = options.fieldValidation
  const bring: Writing['bring'] = () => {
    const draft = decodeObject(
      bytes,
      mediaType,
      served.body,
      level,
      served.info.custom,
      exchange.warnings,
    )
    if (served.terminating) throw terminating(call, draft.metadata.name ?? '')
    return draft
  }
  const outcome = await createNamed(call, {
    options,
    bring,
  })
  return writtenAnswer(call, output, outcome)
}

/** A generated name that is taken gives way to another, a few times. */
async function createNamed(
  call: Call,
  writing: Writing,
): Promise<Exclude<Outcome, { kind: 'conflict' }>> {
  let generated = false
  const noted = (draft: Draft): Draft => {
    generated = !draft.metadata.name && Boolean(draft.metadata.generateName)
    return draft
  }
  const watching: Writing = {
    ...writing,
    bring: (current) => {
      const brought = writing.bring(current)
      return brought instanceof Promise ? brought.then(noted) : noted(brought)
    },
  }
  for (let tries = 1; ; tries++) {
    try {
      return await settle(() => CREATE, call, watching)
    } catch (error) {
      if (!generated || !isAlreadyExists(error) || tries === NAME_ATTEMPTS) throw error
    }
  }
}

const terminating = (call: Call, name: string): ApiError =>
  forbidden(
    call.served.info,
    name,
    'create not allowed while custom resource definition is terminating',
  )
