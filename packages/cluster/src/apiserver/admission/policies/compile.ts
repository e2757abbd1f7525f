import { AdmissionCompiler, type AdmissionExpression, type AdmissionScope } from 'kubewright/cel'
import type { MutatingPolicySpec, PolicySpec, ValidatingPolicySpec } from './policy.ts'

type Variables = ReadonlyMap<string, AdmissionExpression>

/** A policy whose expressions are compiled; what does not compile fails when it is evaluated. */
export interface CompiledPolicy {
  readonly variables: Variables
  readonly conditions: readonly AdmissionExpression[]
}

/** The expressions of a ValidatingAdmissionPolicy (policy/validating compilePolicy), message expressions by the index of their validation. */
export interface CompiledValidation extends CompiledPolicy {
  readonly validations: readonly AdmissionExpression[]
  readonly messages: readonly (AdmissionExpression | undefined)[]
  readonly annotations: readonly AdmissionExpression[]
}

/** The expressions of a MutatingAdmissionPolicy (policy/mutating compilePolicy). */
export interface CompiledMutation extends CompiledPolicy {
  readonly mutations: readonly AdmissionExpression[]
}

function frame(spec: PolicySpec): {
  readonly compiler: AdmissionCompiler
  readonly scope: AdmissionScope
  readonly compiled: CompiledPolicy
} {
  const compiler = new AdmissionCompiler(true)
  const scope = { params: spec.paramKind !== undefined, authorizer: true }
  for (const it of spec.variables ?? []) compiler.declare(it.name, it.expression, scope)
  const conditions = (spec.matchConditions ?? []).map((it) =>
    compiler.compile(it.expression, 'condition', scope),
  )
  return { compiler, scope, compiled: { variables: compiler.variables, conditions } }
}

/** Compiles the expressions of a ValidatingAdmissionPolicy. */
export function compileValidation(spec: ValidatingPolicySpec): CompiledValidation {
  const { compiler, scope, compiled } = frame(spec)
  const { validations = [], auditAnnotations = [] } = spec
  const quiet = { ...scope, authorizer: false }
  return {
    ...compiled,
    validations: validations.map((it) => compiler.compile(it.expression, 'condition', scope)),
    messages: validations.map(({ messageExpression }) =>
      messageExpression ? compiler.compile(messageExpression, 'message', quiet) : undefined,
    ),
    annotations: auditAnnotations.map((it) =>
      compiler.compile(it.valueExpression, 'annotation', scope),
    ),
  }
}

/** Compiles the expressions of a MutatingAdmissionPolicy. */
export function compileMutation(spec: MutatingPolicySpec): CompiledMutation {
  const { compiler, scope, compiled } = frame(spec)
  const mutation = { ...scope, mutation: true }
  return {
    ...compiled,
    mutations: (spec.mutations ?? []).map((it) =>
      it.patchType === 'JSONPatch'
        ? compiler.compile(it.jsonPatch?.expression ?? '', 'jsonPatch', mutation)
        : compiler.compile(it.applyConfiguration?.expression ?? '', 'applyConfiguration', mutation),
    ),
  }
}
