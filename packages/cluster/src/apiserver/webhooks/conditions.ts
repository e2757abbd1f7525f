import { AdmissionCompiler, type AdmissionExpression } from 'kubewright/cel'
import type { AdmissionRequest } from '../admission/admission.ts'
import type { MatchedAs, Versioned } from '../admission/matching/versions.ts'
import { bindingsOf } from '../admission/policies/bindings.ts'
import { judgeConditions, type Match } from '../admission/policies/match-conditions.ts'
import { RequestAuthorizer } from '../admission/policies/request-authorizer.ts'
import type { Authorizer } from '../endpoints/authorizer.ts'
import type { Webhook } from './configuration.ts'

const SCOPE = { params: false, authorizer: true }
const NO_VARIABLES: ReadonlyMap<string, AdmissionExpression> = new Map()

/** The match conditions of webhooks (KEP-3716), compiled once for as long as the configuration that they stand in is stored. */
export class WebhookConditions {
  readonly #authorizer: Authorizer
  readonly #compiled = new WeakMap<Webhook, readonly AdmissionExpression[]>()

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer
  }

  /** What the conditions of a webhook come to for a request that it would see as `as`. */
  async judge(
    webhook: Webhook,
    request: AdmissionRequest,
    as: MatchedAs,
    versioned: Versioned,
  ): Promise<Match> {
    const conditions = this.#conditionsOf(webhook)
    const authorizer = new RequestAuthorizer(this.#authorizer, request.context.user)
    const own = { ...as, resource: request.context.resource }
    const bindings = bindingsOf({ request, as: own, versioned, authorizer })
    return authorizer.settle(() =>
      judgeConditions(conditions, NO_VARIABLES, bindings, webhook.failurePolicy),
    )
  }

  #conditionsOf(webhook: Webhook): readonly AdmissionExpression[] {
    let known = this.#compiled.get(webhook)
    if (!known) {
      const compiler = new AdmissionCompiler(false)
      known = (webhook.matchConditions ?? []).map((it) =>
        compiler.compile(it.expression, 'condition', SCOPE),
      )
      this.#compiled.set(webhook, known)
    }
    return known
  }
}
