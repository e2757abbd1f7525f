import type { UnknownObject } from 'kubewright/machinery'
import { sameJson } from '../endpoints/same-json.ts'
import { uncovered } from '../authorization/covers.ts'
import type { PolicyRule } from '../authorization/rbac.ts'

const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate'

/**
 * A role or binding that the cluster began with, as this version wants it: what is missing is added, what somebody added stays
 * (kubernetes/pkg/registry/rbac/reconciliation). Undefined where nothing is missing, or nobody may touch it.
 */
export function reconciled(
  stored: UnknownObject,
  wanted: UnknownObject,
): UnknownObject | undefined {
  if (stored.metadata.annotations?.[AUTO_UPDATE] !== 'true') return undefined
  const next = {
    ...stored,
    ...(wanted['rules'] ? { rules: withRules(stored, wanted) } : {}),
    ...(wanted['subjects'] ? { subjects: withSubjects(stored, wanted) } : {}),
    metadata: {
      ...stored.metadata,
      labels: { ...wanted.metadata.labels, ...stored.metadata.labels },
      annotations: { ...wanted.metadata.annotations, ...stored.metadata.annotations },
    },
  } as UnknownObject
  return sameJson(next, stored) ? undefined : next
}

function withRules(stored: UnknownObject, wanted: UnknownObject): readonly PolicyRule[] {
  const held = (stored['rules'] ?? []) as readonly PolicyRule[]
  // A role that gathers others has its rules from them.
  if (wanted['aggregationRule']) return held
  return [...held, ...uncovered(held, wanted['rules'] as readonly PolicyRule[])]
}

function withSubjects(stored: UnknownObject, wanted: UnknownObject): readonly object[] {
  const held = (stored['subjects'] ?? []) as readonly object[]
  const missing = (wanted['subjects'] as readonly object[]).filter(
    (it) => !held.some((other) => sameJson(other, it)),
  )
  return [...held, ...missing]
}
