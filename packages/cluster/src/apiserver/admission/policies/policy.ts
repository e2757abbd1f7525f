import type { LabelSelectorSpec, UnknownObject } from 'kubewright/machinery'
import type { MatchResources } from '../matching/matcher.ts'

/** A named expression. */
export interface NamedExpression {
  readonly name: string
  readonly expression: string
}

/** Of what kind the objects are that a policy takes as parameters. */
export interface ParamKind {
  readonly apiVersion: string
  readonly kind: string
}

/** What validating and mutating policies have in common (admissionregistration/v1). */
export interface PolicySpec {
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchResources
  readonly matchConditions?: readonly NamedExpression[]
  readonly variables?: readonly NamedExpression[]
}

/** One check of a ValidatingAdmissionPolicy. */
export interface Validation {
  readonly expression: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: 'Forbidden' | 'Invalid' | 'RequestEntityTooLarge' | 'Unauthorized'
}

export interface ValidatingPolicySpec extends PolicySpec {
  readonly validations?: readonly Validation[]
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[]
}

/** One change that a MutatingAdmissionPolicy makes. */
export interface Mutation {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch'
  readonly applyConfiguration?: { readonly expression: string }
  readonly jsonPatch?: { readonly expression: string }
}

export interface MutatingPolicySpec extends PolicySpec {
  readonly mutations?: readonly Mutation[]
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded'
}

/** Which objects a binding gives its policy as parameters. */
export interface ParamRef {
  readonly name?: string
  readonly namespace?: string
  readonly selector?: LabelSelectorSpec
  readonly parameterNotFoundAction?: 'Allow' | 'Deny'
}

export interface BindingSpec {
  readonly policyName: string
  readonly paramRef?: ParamRef
  readonly matchResources?: MatchResources
  readonly validationActions?: readonly ('Deny' | 'Warn' | 'Audit')[]
}

/** A policy as it is stored: frozen, one object a revision. */
export interface Policy<Spec extends PolicySpec = PolicySpec> extends UnknownObject {
  readonly spec: Spec
}

/** A binding as it is stored. */
export interface Binding extends UnknownObject {
  readonly spec: BindingSpec
}

/** A policy and what binds it. */
export interface Bound<Spec extends PolicySpec> {
  readonly policy: Policy<Spec>
  readonly bindings: readonly Binding[]
}
