import type { ResourceQuota } from 'kubewright/kinds/core/v1'
import {
  formatQuantity,
  type KubeObject,
  parseQuantity,
  type UnknownObject,
} from 'kubewright/machinery'
import { evaluatorOf, scopesOf, totalUsage } from '../../apiserver/admission/quota-usage.ts'

/** Amounts by the name that a quota knows them under: `pods`, `requests.cpu`, `count/deployments.apps`. */
export type Usage = Readonly<Record<string, string | number>>

/** A resource that quotas count, by group and plural. */
export interface Counted {
  readonly group: string
  readonly plural: string
}

/**
 * What objects of one resource take up of what a quota limits and its scopes choose, counted as admission counts
 * (kubernetes/pkg/quota/v1 CalculateUsage). `objects` lists them; it is not asked where the quota limits nothing of theirs.
 */
export function usageOf(
  quota: ResourceQuota,
  { group, plural }: Counted,
  objects: () => readonly KubeObject[],
  nowMs: number,
): Usage {
  const evaluator = evaluatorOf(group, plural)
  const names = Object.keys(quota.spec?.hard ?? {}).filter(evaluator.counts)
  if (names.length === 0) return {}
  const scopes = scopesOf(quota as unknown as UnknownObject)
  const counted = (objects() as readonly unknown[] as readonly UnknownObject[]).filter((it) =>
    scopes.every((scope) => evaluator.inScope(it, scope)),
  )
  const total = totalUsage(counted, evaluator, nowMs)
  return Object.fromEntries(names.map((name) => [name, total[name] ?? '0']))
}

/** The part of a usage that a quota limits, as its status shows it: what is limited and not used is 0. */
export const usedOf = (
  hard: Readonly<Record<string, string>>,
  usage: Usage,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.keys(hard).map((name) => [name, formatQuantity(parseQuantity(usage[name] ?? '0'))]),
  )
