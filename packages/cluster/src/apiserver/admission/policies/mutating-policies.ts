import {
  ApiError,
  type GroupVersionKind,
  internalError,
  type UnknownObject,
} from 'kubewright/machinery'
import type { Served } from '../../endpoints/served.ts'
import { same } from '../../registry/fields.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import { kindOf, namespaceObjectOf } from '../attributes.ts'
import type { MatchedAs, Versioned } from '../matching/versions.ts'
import { refuse } from '../refusal.ts'
import { Reinvocations } from '../reinvocations.ts'
import { become } from '../replace-object.ts'
import { bindingsOf, type Sight } from './bindings.ts'
import { type CompiledMutation, compileMutation } from './compile.ts'
import { isExcluded } from './excluded.ts'
import { judgeConditions } from './match-conditions.ts'
import { changed, evaluateMutation } from './mutator.ts'
import { collectParams, paramResource } from './params.ts'
import type { PolicyParts } from './parts.ts'
import type { Binding, Bound, MutatingPolicySpec, Policy } from './policy.ts'
import { RequestAuthorizer } from './request-authorizer.ts'

const NAME = 'MutatingAdmissionPolicy'

type MutatingPolicy = Policy<MutatingPolicySpec>

/** One use of a policy on a request: through one binding, with one parameter. */
interface Invocation {
  readonly policy: MutatingPolicy
  readonly binding: Binding
  readonly param: UnknownObject | undefined
  readonly as: MatchedAs
}

interface Refusal {
  readonly policy: MutatingPolicy
  readonly binding: Binding | undefined
  readonly message: string
  readonly reason?: 'Invalid'
}

/** MutatingAdmissionPolicy: changes what requests bring by expressions (KEP-3962, admission/plugin/policy/mutating). */
export function mutatingPolicies(parts: PolicyParts): AdmissionPlugin {
  const compiled = new WeakMap<MutatingPolicy, CompiledMutation>()
  const compile = (policy: MutatingPolicy): CompiledMutation => {
    let known = compiled.get(policy)
    if (!known) compiled.set(policy, (known = compileMutation(policy.spec)))
    return known
  }
  return {
    name: NAME,
    handles: (request) =>
      request.operation !== 'DELETE' &&
      parts.registrations.current?.mutatingPolicies.length !== 0 &&
      !isExcluded(request),
    admit: async (request) => {
      const { mutatingPolicies: all } = await parts.registrations.load()
      if (all.length > 0) await new Dispatch(parts, compile, request).run(all)
    },
  }
}

/** One request on its way past all policies, once. */
class Dispatch {
  readonly #parts: PolicyParts
  readonly #compile: (policy: MutatingPolicy) => CompiledMutation
  readonly #request: AdmissionRequest
  readonly #authorizer: RequestAuthorizer
  readonly #refusals: Refusal[] = []
  /** What the request brings, by the kind it is seen as: changes stay with the kind they were made in. */
  readonly #versioned = new Map<string, { versioned: Versioned; dirty: boolean }>()

  constructor(
    parts: PolicyParts,
    compile: (policy: MutatingPolicy) => CompiledMutation,
    request: AdmissionRequest,
  ) {
    this.#parts = parts
    this.#compile = compile
    this.#request = request
    this.#authorizer = new RequestAuthorizer(parts.authorizer, request.context.user)
  }

  async run(all: readonly Bound<MutatingPolicySpec>[]): Promise<void> {
    const invocations: Invocation[] = []
    for (const bound of all) await this.#collect(bound, invocations)
    if (invocations.length > 0) await this.#invokeAll(invocations)
    const counted = this.#refusals.filter((it) => it.policy.spec.failurePolicy !== 'Ignore')
    if (counted.length > 0) throw refusal(this.#request, counted)
  }

  async #collect(
    { policy, bindings }: Bound<MutatingPolicySpec>,
    into: Invocation[],
  ): Promise<void> {
    const { matcher, catalog } = this.#parts
    const { matchConstraints, paramKind } = policy.spec
    let as: MatchedAs | undefined
    let resource: Served | undefined
    try {
      as = await matcher.match(matchConstraints ?? {}, this.#request)
      if (!as) return
      resource = paramKind && paramResource(catalog(), paramKind)
    } catch (error) {
      this.#misconfigured(policy, undefined, error)
      return
    }
    for (const binding of bindings) {
      try {
        const { matchResources, paramRef } = binding.spec
        if (matchResources && !(await matcher.match(matchResources, this.#request))) continue
        await this.#see(as)
        const params = await collectParams(resource, paramRef, this.#request)
        for (const param of params) into.push({ policy, binding, param, as })
      } catch (error) {
        this.#misconfigured(policy, binding, error)
      }
    }
  }

  #misconfigured(policy: MutatingPolicy, binding: Binding | undefined, error: unknown): void {
    const what = binding ? 'binding' : 'policy'
    const message = `failed to configure ${what}: ${(error as Error).message}`
    this.#refusals.push({ policy, binding, message })
  }

  async #see(as: MatchedAs): Promise<{ versioned: Versioned; dirty: boolean }> {
    const key = JSON.stringify(as.kind)
    let known = this.#versioned.get(key)
    if (!known) {
      const versioned = await this.#parts.versions.of(this.#request, as)
      this.#versioned.set(key, (known = { versioned, dirty: false }))
    }
    return known
  }

  async #invokeAll(invocations: readonly Invocation[]): Promise<void> {
    const { object, round } = this.#request
    const reinvocations = Reinvocations.of(NAME, round)
    reinvocations.begin(object)
    const namespaceObject = await namespaceObjectOf(this.#request)
    let last: MatchedAs | undefined
    for (const it of invocations) {
      const seen = await this.#see(it.as)
      const before = seen.versioned.object
      if (!(await this.#invoke(it, seen, namespaceObject, reinvocations))) continue
      if (before) last = it.as
      if (!same(before, seen.versioned.object)) reinvocations.changed()
      if (it.policy.spec.reinvocationPolicy === 'IfNeeded') reinvocations.remember(keyOf(it))
    }
    const seen = last && (await this.#see(last))
    if (object && last && seen?.dirty) {
      reinvocations.changed()
      const { versions } = this.#parts
      become(object, await versions.back(seen.versioned.object!, this.#request, last))
    }
    reinvocations.end(object)
  }

  /** Whether the policy had its turn: its conditions hold, and in a second round it is to be asked again. */
  async #invoke(
    invocation: Invocation,
    seen: { versioned: Versioned; dirty: boolean },
    namespaceObject: UnknownObject | undefined,
    reinvocations: Reinvocations,
  ): Promise<boolean> {
    const { policy, binding, param, as } = invocation
    const compiled = this.#compile(policy)
    const { conditions, variables } = compiled
    const { failurePolicy, mutations = [] } = policy.spec
    const sight = (): Sight => ({
      request: this.#request,
      as,
      versioned: seen.versioned,
      params: param,
      authorizer: this.#authorizer,
    })
    const own = { ...as, resource: this.#request.context.resource }
    const match = await this.#authorizer.settle(() =>
      judgeConditions(conditions, variables, bindingsOf({ ...sight(), as: own }), failurePolicy),
    )
    if (match === 'no') return false
    if (match !== 'yes') {
      this.#refusals.push({ policy, binding, message: match.error, reason: 'Invalid' })
      return false
    }
    if (!reinvocations.isDue(keyOf(invocation))) return false
    for (const [i, mutation] of mutations.entries()) {
      const { object } = seen.versioned
      if (!object) continue
      try {
        const served = this.#served(as)
        const change = await this.#authorizer.settle(() =>
          evaluateMutation(
            mutation,
            compiled.mutations[i]!,
            variables,
            bindingsOf({ ...sight(), namespaceObject }),
          ),
        )
        const next = changed(object, change, served, this.#request.subresource)
        if (!served.info.custom) mustNotConvert(as.kind, kindOf(this.#request))
        seen.versioned = { ...seen.versioned, object: next }
        seen.dirty = true
        this.#observed(invocation, undefined)
      } catch (error) {
        this.#observed(invocation, (error as Error).message)
        if (error instanceof ApiError) throw error
        const { message } = error as Error
        this.#refusals.push({ policy, binding, message, reason: 'Invalid' })
      }
    }
    return true
  }

  #served({ resource: { group, version, plural } }: MatchedAs): Served {
    const found = this.#parts.catalog().find(group, version, plural)
    if (!found) throw internalError(`${plural} of ${group}/${version} are not served`)
    return found
  }

  #observed({ policy, binding }: Invocation, problem: string | undefined): void {
    this.#parts.observe?.({
      event: 'policyCheck',
      type: 'mutating',
      policy: policy.metadata.name ?? '',
      binding: binding.metadata.name ?? '',
      errorType:
        problem === undefined
          ? 'no_error'
          : problem.startsWith('compilation')
            ? 'compile_error'
            : 'invalid_error',
      action: problem === undefined ? 'allow' : 'deny',
    })
  }
}

/**
 * The real server brings what became of a built-in object straight to the version of the request, which its scheme cannot do: only to and
 * from its internal version. So policies are of no use to requests in other versions.
 */
function mustNotConvert(from: GroupVersionKind, to: GroupVersionKind): void {
  if (from.group === to.group && from.version === to.version) return
  const types = `(${from.version}.${from.kind}) to (${to.version}.${to.kind})`
  throw new Error(`converting ${types}: unknown conversion`)
}

const keyOf = ({ policy, binding, param }: Invocation): string =>
  JSON.stringify([
    policy.metadata.name,
    binding.metadata.name,
    param?.metadata.namespace,
    param?.metadata.name,
  ])

/** The refusals of all policies in one answer: the first says what and why (generic/policy_dispatcher.go). */
function refusal(request: AdmissionRequest, refusals: readonly Refusal[]): ApiError {
  const { status } = refuse(request, 'admission request denied by policy')
  const messages = refusals.map(textOf)
  const reason = refusals[0]?.reason ?? status.reason
  return new ApiError({
    ...status,
    message: messages[0]!,
    ...(reason ? { reason } : {}),
    details: { ...status.details, causes: messages.map((message) => ({ message })) },
  })
}

const textOf = ({ policy, binding, message }: Refusal): string =>
  binding
    ? `policy '${policy.metadata.name}' with binding '${binding.metadata.name}' denied request: ${message}`
    : `policy ${JSON.stringify(policy.metadata.name)} denied request: ${message}`
