import type { Taint, Toleration } from 'kubewright/kinds/core/v1'

/** Whether a toleration tolerates a taint (component-helpers/scheduling/corev1 Toleration.ToleratesTaint). */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false
  if (toleration.key && toleration.key !== taint.key) return false
  if ((toleration.operator || 'Equal') === 'Exists') return true
  return toleration.operator !== undefined && toleration.operator !== 'Equal'
    ? compares(toleration, taint)
    : (toleration.value ?? '') === (taint.value ?? '')
}

/** `Gt` and `Lt`, on whole numbers (KEP-5471). */
function compares(toleration: Toleration, taint: Taint): boolean {
  const [limit, value] = [toleration.value ?? '', taint.value ?? '']
  if (!/^-?[0-9]+$/.test(limit) || !/^-?[0-9]+$/.test(value)) return false
  return toleration.operator === 'Gt'
    ? Number(value) > Number(limit)
    : Number(value) < Number(limit)
}

/** The first of the taints with one of `effects` that nothing tolerates; undefined when there is none. */
export function untoleratedTaint(
  taints: readonly Taint[] = [],
  tolerations: readonly Toleration[] = [],
  effects: readonly string[] = ['NoSchedule', 'NoExecute'],
): Taint | undefined {
  return taints
    .filter((taint) => effects.includes(taint.effect))
    .find((taint) => !tolerations.some((it) => tolerates(it, taint)))
}
