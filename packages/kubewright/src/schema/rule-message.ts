import { goQuote } from './json.ts'
import { type CompiledRule, PER_CALL_LIMIT } from './rules.ts'

/**
 * What a messageExpression gave: its text, or nothing where it failed in a way that makes the rule's own message stand, or a
 * failure that is said in its place and ends the run (`budget` is -1 then).
 */
export interface MessageOutcome {
  readonly text?: string
  readonly failure?: string
  readonly budget: number
}

const MAX_BYTES = 5 * 1024

/** Evaluates the message of a rule that failed (apiextensions-apiserver cel evalMessageExpression). */
export function evaluateMessage(
  compiled: CompiledRule,
  bindings: Readonly<Record<string, unknown>>,
  budget: number,
): MessageOutcome {
  const { message, rule } = compiled
  // Kubernetes binds the plain old value here though the expression was checked against an optional, so it always fails there.
  if (!message || (rule.optionalOldSelf && message.references('oldSelf'))) return { budget }
  const result = message.evaluate(bindings, { costLimit: PER_CALL_LIMIT })
  if (result.cost > budget)
    return {
      failure:
        'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
      budget: -1,
    }
  if (!result.ok && result.costLimitExceeded)
    return {
      failure: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${goQuote(rule.messageExpression ?? '')}`,
      budget: -1,
    }
  const left = { budget: budget - result.cost }
  if (!result.ok || typeof result.value !== 'string') return left
  const text = result.value.trim()
  const usable = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= MAX_BYTES
  return usable ? { ...left, text } : left
}
