import { ApiError, type UnknownObject } from 'kubewright/machinery'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import { namespaceObjectOf } from '../attributes.ts'
import type { MatchedAs, Versioned } from '../matching/versions.ts'
import type { AdmissionObserver } from '../observer.ts'
import { refuse } from '../refusal.ts'
import { type CompiledValidation, compileValidation } from './compile.ts'
import { isExcluded } from './excluded.ts'
import { collectParams, paramResource } from './params.ts'
import type { PolicyParts } from './parts.ts'
import type { Binding, Bound, Policy, ValidatingPolicySpec } from './policy.ts'
import { RequestAuthorizer } from './request-authorizer.ts'
import { type Annotation, type Decision, judge, type Judgement } from './validator.ts'

type ValidatingPolicy = Policy<ValidatingPolicySpec>

interface Denial {
  readonly policy: ValidatingPolicy
  readonly binding: Binding | undefined
  readonly message: string
  readonly reason?: string | undefined
}

/** ValidatingAdmissionPolicy: judges requests by expressions (KEP-3488, admission/plugin/policy/validating). */
export function validatingPolicies(parts: PolicyParts): AdmissionPlugin {
  const compiled = new WeakMap<ValidatingPolicy, CompiledValidation>()
  const compile = (policy: ValidatingPolicy): CompiledValidation => {
    let known = compiled.get(policy)
    if (!known) compiled.set(policy, (known = compileValidation(policy.spec)))
    return known
  }
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: (request) =>
      parts.registrations.current?.validatingPolicies.length !== 0 && !isExcluded(request),
    validate: async (request) => {
      const { validatingPolicies: all } = await parts.registrations.load()
      if (all.length > 0) await new Dispatch(parts, compile, request).run(all)
    },
  }
}

/** One request on its way past all policies. */
class Dispatch {
  readonly #parts: PolicyParts
  readonly #compile: (policy: ValidatingPolicy) => CompiledValidation
  readonly #request: AdmissionRequest
  readonly #authorizer: RequestAuthorizer
  readonly #denials: Denial[] = []

  constructor(
    parts: PolicyParts,
    compile: (policy: ValidatingPolicy) => CompiledValidation,
    request: AdmissionRequest,
  ) {
    this.#parts = parts
    this.#compile = compile
    this.#request = request
    this.#authorizer = new RequestAuthorizer(parts.authorizer, request.context.user)
  }

  async run(all: readonly Bound<ValidatingPolicySpec>[]): Promise<void> {
    for (const bound of all) await this.#policy(bound)
    const [first] = this.#denials
    if (first) throw refusal(this.#request, first)
  }

  async #policy({ policy, bindings }: Bound<ValidatingPolicySpec>): Promise<void> {
    const { matcher, catalog } = this.#parts
    const { matchConstraints, paramKind } = policy.spec
    let as: MatchedAs | undefined
    let params: ReturnType<typeof paramResource> | undefined
    try {
      as = await matcher.match(matchConstraints ?? {}, this.#request)
      if (!as) return
      params = paramKind && paramResource(catalog(), paramKind)
    } catch (error) {
      this.#misconfigured(policy, undefined, error)
      return
    }
    const notes = new Notes()
    for (const binding of bindings) await this.#binding(policy, binding, as, params, notes)
    notes.publish(policy, this.#request)
  }

  async #binding(
    policy: ValidatingPolicy,
    binding: Binding,
    as: MatchedAs,
    resource: ReturnType<typeof paramResource> | undefined,
    notes: Notes,
  ): Promise<void> {
    const { matcher, versions } = this.#parts
    const { matchResources, paramRef } = binding.spec
    let params: readonly (UnknownObject | undefined)[]
    let versioned: Versioned | undefined
    try {
      if (matchResources && !(await matcher.match(matchResources, this.#request))) return
      params = await collectParams(resource, paramRef, this.#request)
      if (params.length > 0) versioned = await converted(versions, this.#request, as)
    } catch (error) {
      this.#misconfigured(policy, binding, error)
      return
    }
    const namespaceObject = await namespaceObjectOf(this.#request)
    for (const param of params) {
      const sight = {
        request: this.#request,
        as,
        versioned: versioned!,
        params: param,
        namespaceObject,
        authorizer: this.#authorizer,
      }
      const compiled = this.#compile(policy)
      const judgement = await this.#authorizer.settle(() => judge(policy.spec, compiled, sight))
      this.#enforce(policy, binding, judgement, notes)
    }
  }

  #enforce(
    policy: ValidatingPolicy,
    binding: Binding,
    { decisions, annotations }: Judgement,
    notes: Notes,
  ): void {
    decisions.forEach((it, i) => this.#act(policy, binding, it, i))
    for (const it of annotations) {
      if (it.value !== undefined) notes.add(it.key, it.value)
      if (it.error === undefined) continue
      this.#denials.push({ policy, binding, message: it.error })
      this.#observed(policy, binding, 'deny', it.error)
    }
  }

  #act(policy: ValidatingPolicy, binding: Binding, decision: Decision, index: number): void {
    if (decision.action === 'admit') {
      if (decision.failed) this.#observed(policy, binding, 'allow', decision.failed)
      return
    }
    const { message, reason } = decision
    for (const action of binding.spec.validationActions ?? []) {
      switch (action) {
        case 'Deny':
          this.#denials.push({ policy, binding, message, reason })
          this.#observed(policy, binding, 'deny', message)
          break
        case 'Audit':
          this.#request.context.annotate?.(FAILURE_KEY, failureText(binding, index, message))
          this.#observed(policy, binding, 'audit', message)
          break
        case 'Warn':
          this.#request.context.warn(
            `Validation failed for ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}': ${message}`,
          )
          this.#observed(policy, binding, 'warn', message)
          break
      }
    }
  }

  #misconfigured(policy: ValidatingPolicy, binding: Binding | undefined, error: unknown): void {
    if (policy.spec.failurePolicy === 'Ignore') return
    const message = `failed to configure ${binding ? 'binding' : 'policy'}: ${(error as Error).message}`
    this.#denials.push({ policy, binding, message })
  }

  #observed(
    { metadata }: ValidatingPolicy,
    binding: Binding,
    action: 'allow' | 'deny' | 'warn' | 'audit',
    message: string,
  ): void {
    this.#parts.observe?.({
      event: 'policyCheck',
      type: 'validating',
      policy: metadata.name ?? '',
      binding: binding.metadata.name ?? '',
      errorType: errorType(message),
      action,
    })
  }
}

async function converted(
  versions: PolicyParts['versions'],
  request: AdmissionRequest,
  as: MatchedAs,
): Promise<Versioned> {
  try {
    return await versions.of(request, as)
  } catch (error) {
    const { message } = error as Error
    throw new Error(`failed to convert object version: ${message}`, { cause: error })
  }
}

type ErrorType = Parameters<AdmissionObserver>[0] extends infer Event
  ? Event extends { readonly errorType: infer Type; readonly event: 'policyCheck' }
    ? Type
    : never
  : never

/** What a message says went wrong, as metrics call it (policy/validating/errors.go). */
function errorType(message: string): ErrorType {
  if (message.startsWith('compilation')) return 'compile_error'
  const spent = 'validation failed due to running out of cost budget'
  return message.startsWith(spent) ? 'out_of_budget' : 'invalid_error'
}

const FAILURE_KEY = 'validation.policy.admission.k8s.io/validation_failure'

const failureText = ({ metadata, spec }: Binding, index: number, message: string): string =>
  JSON.stringify([
    {
      message,
      policy: spec.policyName,
      binding: metadata.name,
      expressionIndex: index,
      validationActions: spec.validationActions,
    },
  ])

const CODES: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
}

function refusal(request: AdmissionRequest, { policy, binding, ...denial }: Denial): ApiError {
  const by = binding ? ` with binding '${binding.metadata.name}'` : ''
  const message = `ValidatingAdmissionPolicy '${policy.metadata.name}'${by} denied request: ${denial.message}`
  const { status } = refuse(request, message)
  const reason = (denial.reason ?? 'Invalid') as NonNullable<typeof status.reason>
  const details = { ...status.details, causes: [{ message }] }
  return new ApiError({ ...status, reason, code: CODES[reason] ?? 422, details })
}

/** The longest value of an audit annotation, in bytes. */
const LONGEST_NOTE = 10 * 1024

/** What the bindings of one policy note: several values of a key are listed, each once. */
class Notes {
  readonly #notes = new Map<Annotation['key'], string[]>()

  add(key: string, value: string): void {
    const cut = Buffer.from(value).subarray(0, LONGEST_NOTE).toString()
    const known = this.#notes.get(key) ?? []
    if (!known.includes(cut)) this.#notes.set(key, [...known, cut])
  }

  publish({ metadata }: Policy, request: AdmissionRequest): void {
    for (const [key, values] of this.#notes) {
      request.context.annotate?.(`${metadata.name}/${key}`, values.join(', '))
    }
  }
}
