import type { PodStatus } from 'kubewright/kinds/core/v1'

/** Whether two statuses say the same: null is absence, and the order of keys does not count. */
export function sameStatus(a: PodStatus | undefined, b: PodStatus): boolean {
  return same(a, b)
}

function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (a === null || a === undefined || b === null || b === undefined)
    return (a ?? null) === (b ?? null)
  if (typeof a !== 'object' || typeof b !== 'object') return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [
    a as Readonly<Record<string, unknown>>,
    b as Readonly<Record<string, unknown>>,
  ]
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) =>
    same(left[key], right[key]),
  )
}
