import { condition, type ConditionDraft } from './condition.ts'

/**
 * One condition that says what several come to: True when all are, else False (or Unknown, where none is False) with the reason and the
 * messages of those that are not. Types listed in `negative` (such as `Degraded`) are good when False.
 */
export function summary(
  type: string,
  conditions: readonly ConditionDraft[],
  options: { readonly negative?: readonly string[]; readonly reason?: string } = {},
): ConditionDraft {
  const { negative = [], reason = 'AllReady' } = options
  const good = (it: ConditionDraft): boolean =>
    it.status === (negative.includes(it.type) ? 'False' : 'True')
  const bad = conditions.filter((it) => it.type !== type && !good(it))
  const [first] = bad.toSorted(
    (a, b) => Number(a.status === 'Unknown') - Number(b.status === 'Unknown'),
  )
  if (!first) return condition(type, true, reason)
  const message = bad.map((it) => (it.message ? `${it.type}: ${it.message}` : it.type)).join('; ')
  return condition(type, first.status === 'Unknown' ? 'Unknown' : 'False', first.reason, message)
}
