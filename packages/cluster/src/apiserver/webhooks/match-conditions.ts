import { BOOL, compile, DYN, type Program } from 'kubewright/cel'
import type { AdmissionRequest } from '../admission/admission.ts'
import { reviewOf } from './review.ts'

/** A condition in CEL that a request must meet for a webhook to be asked (KEP-3716). */
export interface MatchCondition {
  readonly name: string
  readonly expression: string
}

/** What the conditions of a webhook come to: asked, passed over, or not to be told, and why. */
export type Match = 'yes' | 'no' | { readonly error: string }

const VARIABLES = { object: DYN, oldObject: DYN, request: DYN }

/** Judges match conditions; compiled programs are kept as long as the stored configuration that they stand in. */
export class MatchConditions {
  readonly #programs = new WeakMap<MatchCondition, Program | Error>()

  /** One false passes the webhook over, whatever the others say; else an error counts (webhook/matchconditions). */
  judge(conditions: readonly MatchCondition[], request: AdmissionRequest): Match {
    if (conditions.length === 0) return 'yes'
    const bindings = bindingsOf(request)
    const errors: string[] = []
    for (const condition of conditions) {
      const program = this.#programOf(condition)
      if (program instanceof Error) {
        errors.push(program.message)
        continue
      }
      const result = program.evaluate(bindings)
      if (result.ok && result.value === false) return 'no'
      if (!result.ok) {
        errors.push(
          `expression '${condition.expression}' resulted in error: ${result.error.message}`,
        )
      }
    }
    return errors.length === 0 ? 'yes' : { error: errors.join(', ') }
  }

  #programOf(condition: MatchCondition): Program | Error {
    let found = this.#programs.get(condition)
    if (!found) {
      const compiled = compile(condition.expression, { variables: VARIABLES, expect: BOOL })
      found = compiled.ok ? compiled.program : new Error(compiled.text)
      this.#programs.set(condition, found)
    }
    return found
  }
}

function bindingsOf(admission: AdmissionRequest): Readonly<Record<string, unknown>> {
  const { object = null, old = null } = admission
  const review = reviewOf({ name: '', clientConfig: {} }, admission, '') as {
    readonly request: Readonly<Record<string, unknown>>
  }
  const { object: _, oldObject: __, ...request } = review.request
  return { object, oldObject: old, request }
}
