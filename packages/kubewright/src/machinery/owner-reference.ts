import { apiVersionOf, parseApiVersion, type Kind } from './kind.ts'
import type { KubeObject, OwnerReference } from './object.ts'

/** What a reference needs to know of the owner's kind. */
export type OwnerKind = Pick<Kind, 'group' | 'version' | 'kind' | 'scope'>

/** The reference by which `owner` controls another object: `controller` and `blockOwnerDeletion` are true. */
export function controllerReference(kind: OwnerKind, owner: KubeObject): OwnerReference {
  return { ...ownerReference(kind, owner), controller: true, blockOwnerDeletion: true }
}

/** The reference to an owner that does not control. Throws when the owner has no name or uid yet. */
export function ownerReference(kind: OwnerKind, owner: KubeObject): OwnerReference {
  const { name, uid } = owner.metadata
  if (!name || !uid) {
    throw new Error(
      `a ${kind.kind} that the server has not stored yet cannot own anything: it has no uid; create it first`,
    )
  }
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid }
}

/** The reference of the owner that controls the object, if there is one. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((it) => it.controller === true)
}

/** Whether a reference is to a kind. The version does not count (Kubernetes converts it at will). */
export function refersTo(reference: OwnerReference, kind: OwnerKind): boolean {
  return reference.kind === kind.kind && parseApiVersion(reference.apiVersion).group === kind.group
}

/**
 * Why `owner` cannot own an object that lives in `namespace` (empty for a cluster-scoped one), or undefined when it can: the
 * garbage collector would delete such an object.
 */
export function ownershipProblem(
  kind: OwnerKind,
  owner: KubeObject,
  namespace: string,
): string | undefined {
  if (kind.scope === 'Cluster') return undefined
  const home = owner.metadata.namespace ?? ''
  const who = `${kind.kind} ${home}/${owner.metadata.name ?? ''}`
  if (namespace === '') return `${who} lives in a namespace and cannot own a cluster-scoped object`
  return home === namespace
    ? undefined
    : `${who} cannot own an object in namespace ${namespace}: owners and what they own share a namespace`
}

/**
 * The list of references with `reference` in it: the same owner (equal group, kind and name) is replaced, others stay.
 * Throws when another owner already controls the object.
 */
export function withOwner(
  references: readonly OwnerReference[] | undefined,
  reference: OwnerReference,
): readonly OwnerReference[] {
  const others = (references ?? []).filter((it) => !sameOwner(it, reference))
  const rival = reference.controller ? others.find((it) => it.controller) : undefined
  if (rival) {
    throw new Error(
      `the object is already controlled by ${rival.kind} ${rival.name}; an object has one controller`,
    )
  }
  return [...others, reference]
}

/** Whether two references name the same owner: equal group, kind and name (controllerutil's rule; uid and version do not count). */
export function sameOwner(a: OwnerReference, b: OwnerReference): boolean {
  return (
    a.kind === b.kind &&
    a.name === b.name &&
    parseApiVersion(a.apiVersion).group === parseApiVersion(b.apiVersion).group
  )
}
