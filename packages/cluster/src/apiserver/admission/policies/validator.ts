import {
  ADMISSION_BUDGET,
  type AdmissionOutcome,
  type AdmissionOutcomes,
  evaluateAdmission,
} from 'kubewright/cel'
import { bindingsOf, type Sight } from './bindings.ts'
import type { CompiledValidation } from './compile.ts'
import { judgeConditions } from './match-conditions.ts'
import type { Validation, ValidatingPolicySpec } from './policy.ts'

/** What a policy says of a request through one of its validations; `failed` for an error, not a judgement. */
export type Decision =
  | { readonly action: 'admit'; readonly failed?: string }
  | {
      readonly action: 'deny'
      readonly message: string
      readonly reason?: Validation['reason']
      readonly failed: boolean
    }

/** What a policy notes in the audit event: a value for a key, or why it could not. */
export interface Annotation {
  readonly key: string
  readonly value?: string
  readonly error?: string
}

/** What a policy says of a request with one parameter: a decision for each validation, by its index. */
export interface Judgement {
  readonly decisions: readonly Decision[]
  readonly annotations: readonly Annotation[]
}

const NOTHING: Judgement = Object.freeze({ decisions: [], annotations: [] })

/** The longest message that an expression may make, in bytes. */
const LONGEST_MESSAGE = 5 * 1024

/**
 * Judges a request by a compiled policy (policy/validating/validator.go). Throws only what the authorizer throws that is still to
 * decide.
 */
export function judge(
  spec: ValidatingPolicySpec,
  compiled: CompiledValidation,
  sight: Sight,
): Judgement {
  const { failurePolicy } = spec
  const failed = (message: string): Judgement => ({
    decisions: [failure(message, failurePolicy)],
    annotations: [],
  })
  const { namespaceObject: _, ...narrow } = sight
  const match = judgeConditions(
    compiled.conditions,
    compiled.variables,
    bindingsOf({ ...narrow, as: { ...sight.as, resource: sight.request.context.resource } }),
    failurePolicy,
  )
  if (typeof match !== 'string') return failed(match.error)
  if (match === 'no') return NOTHING
  const { authorizer: __, ...quiet } = sight
  const { variables } = compiled
  const found = evaluateAdmission(
    compiled.validations,
    variables,
    bindingsOf(sight),
    ADMISSION_BUDGET,
  )
  if (!found.ok) return failed(found.error)
  const unasked = bindingsOf(quiet)
  const messages = evaluateAdmission(compiled.messages, variables, unasked, found.left)
  const decisions = found.outcomes.map((outcome, i) =>
    decide(spec.validations![i]!, outcome, messageOf(messages, i), failurePolicy),
  )
  const notes = evaluateAdmission(compiled.annotations, variables, unasked, ADMISSION_BUDGET)
  if (!notes.ok) return failed(notes.error)
  const annotations = notes.outcomes.map((it, i) => annotate(spec, i, it))
  return { decisions, annotations }
}

function failure(message: string, failurePolicy: string | undefined): Decision {
  return failurePolicy === 'Ignore'
    ? { action: 'admit', failed: message }
    : { action: 'deny', message, failed: true }
}

/** What the message expression of a validation came to: its outcome, or the error of all of them. */
const messageOf = (messages: AdmissionOutcomes, index: number): AdmissionOutcome | string =>
  messages.ok ? messages.outcomes[index]! : messages.error

function decide(
  validation: Validation,
  outcome: AdmissionOutcome,
  message: AdmissionOutcome | string,
  failurePolicy: string | undefined,
): Decision {
  if (outcome.error !== undefined) return failure(outcome.error, failurePolicy)
  if (typeof message === 'string')
    return failure(`failed messageExpression: ${message}`, failurePolicy)
  if (outcome.value === true) return { action: 'admit' }
  const text =
    usable(message.value) ||
    validation.message?.trim() ||
    `failed expression: ${validation.expression.trim()}`
  const reason = validation.reason ?? 'Invalid'
  return { action: 'deny', message: text, reason, failed: false }
}

/** A message that an expression made, if it is one line of text, and not too long. */
function usable(value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : ''
  return text.includes('\n') || Buffer.byteLength(text) > LONGEST_MESSAGE ? '' : text
}

function annotate(
  { auditAnnotations = [], failurePolicy }: ValidatingPolicySpec,
  index: number,
  { value, error }: AdmissionOutcome,
): Annotation {
  const { key } = auditAnnotations[index]!
  if (error !== undefined) return failurePolicy === 'Ignore' ? { key } : { key, error }
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? { key } : { key, value: text }
}
