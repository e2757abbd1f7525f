import { badRequest, type UnknownObject } from 'kubewright/machinery'
import { AuthenticationError, NO_REMARKS } from '../authentication/authenticator.ts'
import { authenticated } from '../authentication/users.ts'
import { OFFERS } from '../codec/negotiate.ts'
import type { Answer, User } from '../http/message.ts'
import type { Draft } from '../registry/strategy.ts'
import { ACCESS_REVIEWS } from './access-reviews.ts'
import { jsonAnswer, outputOf } from './answers.ts'
import { type Call, contextOf } from './call.ts'
import { bodyBytes, bodyType, decodeObject } from './decode.ts'
import { fillSystemFields } from './system-fields.ts'
import { managerOf, writeOptions } from './write-options.ts'

/** POST of a kind that is answered and never stored: what it asks is put into its status. */
export async function review(call: Call): Promise<Answer> {
  const { exchange, served, parts } = call
  const output = outputOf(exchange, OFFERS.plain)
  const mediaType = bodyType(call)
  const bytes = await bodyBytes(exchange.request)
  const options = writeOptions(exchange.request.query, 'CreateOptions')
  const level = options.fieldValidation
  const draft = decodeObject(bytes, mediaType, served.body, level, false, exchange.warnings)
  exchange.audit?.arrived(draft as UnknownObject)
  exchange.audit?.requested(draft)
  // As at every create; nothing is stored, and the answer shows it all the same.
  const manager = managerOf(options, exchange.request.header('user-agent'))
  served.fields.update(undefined, draft, manager, '')
  const own = served.strategy.review
  if (own) {
    const answer = await own(draft, contextOf(call, options.dryRun))
    return jsonAnswer(201, output, JSON.stringify(answer))
  }
  const answer = await REVIEWS[served.info.plural]!(call, draft)
  if (served.info.plural === 'selfsubjectreviews') {
    answer.metadata = {}
    fillSystemFields(answer.metadata, parts.clock, parts.random)
    delete answer.metadata.uid
  }
  return jsonAnswer(201, output, JSON.stringify(answer))
}

/** Fills in the status of a review. */
type Reviewer = (call: Call, draft: Draft) => Promise<Draft> | Draft

const REVIEWS: Readonly<Record<string, Reviewer>> = {
  tokenreviews: tokenReview,
  selfsubjectreviews: ({ exchange }, draft) => ({
    ...draft,
    status: { userInfo: userInfo(exchange.user) },
  }),
  ...ACCESS_REVIEWS,
  selfsubjectrulesreviews: rulesReview,
}

const userInfo = ({ name, uid, groups, extra }: User): object => ({
  username: name,
  ...(uid ? { uid } : {}),
  groups,
  ...(extra ? { extra } : {}),
})

async function tokenReview(call: Call, draft: Draft): Promise<Draft> {
  const spec = (draft['spec'] ?? {}) as { token?: string; audiences?: readonly string[] }
  if (!spec.token) {
    throw badRequest('token is required for TokenReview in authentication')
  }
  try {
    const found = await call.parts.authentication.token(
      spec.token,
      spec.audiences ?? [],
      NO_REMARKS,
    )
    const user = userInfo(authenticated(found.user))
    return { ...draft, status: { authenticated: true, user, audiences: found.audiences } }
  } catch (error) {
    if (!(error instanceof AuthenticationError)) throw error
    return { ...draft, status: { user: {}, error: error.message } }
  }
}

async function rulesReview(call: Call, draft: Draft): Promise<Draft> {
  const { namespace = '' } = (draft['spec'] ?? {}) as { namespace?: string }
  if (namespace === '') throw badRequest('no namespace on request')
  const rules = await call.parts.rulesOf(call.exchange.user, namespace)
  // What it was asked for is not repeated.
  return { ...draft, spec: {}, status: rules }
}
