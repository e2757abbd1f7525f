import type { Kind, ObjectMeta, OwnerReference } from 'kubewright/machinery'

/** Holds an owner back until what it owns is gone: foreground deletion. */
export const FOREGROUND = 'foregroundDeletion'
/** Holds an owner back until what it owns has been set free: deletion that orphans. */
export const ORPHAN = 'orphan'

/** One object of the cluster, as far as ownership goes. */
export interface GraphNode {
  readonly uid: string
  readonly kind: Kind
  readonly namespace: string
  readonly name: string
  readonly owners: readonly OwnerReference[]
  readonly deleting: boolean
  /** Being deleted in the foreground: what it owns goes first. */
  readonly deletingDependents: boolean
  readonly orphaning: boolean
}

/** What a change of the graph asks for: a look at whether an object should go, or the freeing of what one owns. */
export type GraphWork =
  | { readonly type: 'sweep'; readonly uid: string }
  | { readonly type: 'orphan'; readonly uid: string }

/** What the graph needs to know of an object. */
export function graphNode(kind: Kind, metadata: ObjectMeta): GraphNode {
  const deleting = metadata.deletionTimestamp !== undefined
  return {
    uid: metadata.uid ?? '',
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    owners: metadata.ownerReferences ?? [],
    deleting,
    deletingDependents: deleting && (metadata.finalizers?.includes(FOREGROUND) ?? false),
    orphaning: deleting && (metadata.finalizers?.includes(ORPHAN) ?? false),
  }
}

/**
 * Who owns whom, over all kinds (kubernetes/pkg/controller/garbagecollector graph_builder.go). Objects are known by uid. An object
 * may name an owner that the graph does not know (yet): it is then looked at, and whoever looks asks the server for the owner.
 */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>()
  readonly #dependents = new Map<string, Set<string>>()

  get size(): number {
    return this.#nodes.size
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid)
  }

  /** The objects that name `uid` as an owner. */
  dependents(uid: string): readonly GraphNode[] {
    const uids = this.#dependents.get(uid) ?? new Set()
    return [...uids].map((it) => this.#nodes.get(it)!)
  }

  /** The uids of all objects of a kind. */
  uidsOf(kind: Kind): readonly string[] {
    return [...this.#nodes.values()].filter((it) => sameKind(it.kind, kind)).map((it) => it.uid)
  }

  /** Takes in an object as it is now. */
  put(node: GraphNode): readonly GraphWork[] {
    const before = this.#nodes.get(node.uid)
    this.#nodes.set(node.uid, node)
    this.#relink(before?.owners ?? [], node)
    return [
      ...this.#strayed(before, node),
      ...this.#unblocked(before, node),
      ...this.#begun(before, node),
    ]
  }

  /** Takes in that an object is gone: what it owned is looked at, and owners that waited for it. */
  remove(uid: string): readonly GraphWork[] {
    const node = this.#nodes.get(uid)
    if (!node) return []
    this.#nodes.delete(uid)
    for (const { uid: owner } of node.owners) this.#unlink(owner, uid)
    return [...this.dependents(uid).map(sweep), ...this.#waitingOwners(node.owners)]
  }

  /** An object that names an owner which the graph does not know, or knows by other coordinates. */
  #strayed(before: GraphNode | undefined, node: GraphNode): readonly GraphWork[] {
    const known = new Set(before?.owners.map((it) => it.uid))
    const stray = node.owners.some((it) => {
      const owner = this.#nodes.get(it.uid)
      return !known.has(it.uid) && (!owner || !isNamedBy(owner, it, node.namespace))
    })
    const strangers = before
      ? []
      : this.dependents(node.uid).filter((it) =>
          it.owners.some((ref) => ref.uid === node.uid && !isNamedBy(node, ref, it.namespace)),
        )
    return [...(stray ? [sweep(node)] : []), ...strangers.map(sweep)]
  }

  /** Owners that this object no longer blocks. */
  #unblocked(before: GraphNode | undefined, node: GraphNode): readonly GraphWork[] {
    if (!before) return []
    const blocking = new Set(node.owners.filter((it) => it.blockOwnerDeletion).map((it) => it.uid))
    return this.#waitingOwners(
      before.owners.filter((it) => it.blockOwnerDeletion && !blocking.has(it.uid)),
    )
  }

  #begun(before: GraphNode | undefined, node: GraphNode): readonly GraphWork[] {
    const work: GraphWork[] = []
    if (node.orphaning && !before?.orphaning) work.push({ type: 'orphan', uid: node.uid })
    if (node.deletingDependents && !before?.deletingDependents) {
      work.push(...this.dependents(node.uid).map(sweep), sweep(node))
    }
    return work
  }

  #waitingOwners(owners: readonly OwnerReference[]): readonly GraphWork[] {
    return owners
      .map((it) => this.#nodes.get(it.uid))
      .filter((it) => it !== undefined)
      .filter((it) => it.deletingDependents)
      .map(sweep)
  }

  #relink(before: readonly OwnerReference[], node: GraphNode): void {
    const now = new Set(node.owners.map((it) => it.uid))
    for (const { uid } of before) if (!now.has(uid)) this.#unlink(uid, node.uid)
    for (const uid of now) {
      const dependents = this.#dependents.get(uid)
      if (dependents) dependents.add(node.uid)
      else this.#dependents.set(uid, new Set([node.uid]))
    }
  }

  #unlink(owner: string, uid: string): void {
    const dependents = this.#dependents.get(owner)
    dependents?.delete(uid)
    if (dependents?.size === 0) this.#dependents.delete(owner)
  }
}

const sweep = ({ uid }: GraphNode): GraphWork => ({ type: 'sweep', uid })

/** Kinds are the same in every version. */
function sameKind(a: Kind, b: Kind): boolean {
  return a.group === b.group && a.plural === b.plural
}

/** Whether a reference names the owner by its kind, name and place, and not by its uid alone. */
function isNamedBy(owner: GraphNode, it: OwnerReference, namespace: string): boolean {
  const group = it.apiVersion.includes('/')
    ? it.apiVersion.slice(0, it.apiVersion.indexOf('/'))
    : ''
  return (
    owner.name === it.name &&
    owner.kind.kind === it.kind &&
    owner.kind.group === group &&
    (owner.namespace === '' || owner.namespace === namespace)
  )
}
