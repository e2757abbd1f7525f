import { type Client, metadataOf } from 'kubewright/client'
import {
  isConflict,
  isNotFound,
  type Kind,
  type KubeObject,
  type ObjectKey,
  type OwnerReference,
} from 'kubewright/machinery'
import { AS_CONTROLLER, sameMeaning } from '../workload/writes.ts'
import {
  FOREGROUND,
  type GraphNode,
  type GraphWork,
  ORPHAN,
  type OwnerGraph,
} from './owner-graph.ts'
import { blockingDependents, decideSweep, type Owners } from './sweep.ts'

const REMEMBERED = 500

/** Owners that are known to be gone: a uid never comes back. */
export class AbsentOwners {
  readonly #names = new Set<string>()

  has(name: string): boolean {
    return this.#names.has(name)
  }

  add(name: string): void {
    if (this.#names.size >= REMEMBERED) this.#names.delete(this.#names.values().next().value!)
    this.#names.add(name)
  }
}

/** What a collector works with. */
export interface Collector {
  readonly client: Client
  readonly graph: OwnerGraph
  readonly absent: AbsentOwners
}

const keyOfNode = (node: GraphNode): ObjectKey =>
  node.namespace === '' ? { name: node.name } : { namespace: node.namespace, name: node.name }

/** Does one piece of work; answers with the work that follows from it. */
export async function doWork(it: Collector, work: GraphWork): Promise<readonly GraphWork[]> {
  const node = it.graph.get(work.uid)
  if (!node) return []
  return work.type === 'orphan' ? orphanDependents(it, node) : sweepNode(it, node)
}

/** The object as the server has it now; undefined when it is gone or another one. */
async function latestOf({ client }: Collector, node: GraphNode): Promise<KubeObject | undefined> {
  const found = await client.find(metadataOf(node.kind), keyOfNode(node))
  return found?.metadata.uid === node.uid ? found : undefined
}

async function sweepNode(it: Collector, node: GraphNode): Promise<readonly GraphWork[]> {
  if (node.deleting && !node.deletingDependents) return []
  const latest = await latestOf(it, node)
  if (!latest) return it.graph.remove(node.uid)
  if (node.deletingDependents) return sweepDependents(it, node, latest)
  const owners = await classify(it, node, latest.metadata.ownerReferences ?? [])
  const sweep = decideSweep(latest.metadata, owners, it.graph.dependents(node.uid))
  switch (sweep.type) {
    case 'keep':
      return []
    case 'unlink':
      await unlink(it, node, latest, sweep.uids)
      return []
    case 'delete':
      return remove(
        it,
        node,
        sweep.unblock ? await unblock(it, node, latest) : latest,
        sweep.propagation,
      )
  }
}

/** A foreground deletion ends when nothing blocks it any more; until then what blocks is looked at. */
async function sweepDependents(
  it: Collector,
  node: GraphNode,
  latest: KubeObject,
): Promise<readonly GraphWork[]> {
  const blocking = blockingDependents(node, it.graph.dependents(node.uid))
  if (blocking.length === 0) {
    await removeFinalizer(it, node, latest, FOREGROUND)
    return []
  }
  return blocking
    .filter((one) => !one.deletingDependents)
    .map(({ uid }) => ({ type: 'sweep', uid }) as const)
}

async function classify(
  it: Collector,
  node: GraphNode,
  references: readonly OwnerReference[],
): Promise<Owners> {
  const standings = await Promise.all(references.map((one) => standingOf(it, node, one)))
  const those = (standing: keyof Owners): readonly OwnerReference[] =>
    references.filter((_, index) => standings[index] === standing)
  return { solid: those('solid'), dangling: those('dangling'), waiting: those('waiting') }
}

/** How {@link AbsentOwners} knows an owner: as references name it, and in which namespace. */
export const ownerName = (
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
): string => [apiVersion, kind, namespace, name, uid].join('/')

/**
 * Only the server can tell whether an owner is there: what the graph does not know may have been made a moment ago. An owner that has
 * been seen to go is gone though its kind went with it, and nobody can be asked for it any more.
 */
async function standingOf(
  it: Collector,
  node: GraphNode,
  reference: OwnerReference,
): Promise<keyof Owners> {
  const names = ['', node.namespace].map((one) => ownerName(reference, one))
  if (names.some((one) => it.absent.has(one))) return 'dangling'
  const kind = await it.client.kinds.get(reference.apiVersion, reference.kind)
  // An owner in a namespace cannot own what is in none; Kubernetes lets such an object be.
  if (kind.scope === 'Namespaced' && node.namespace === '') return 'solid'
  const namespace = kind.scope === 'Namespaced' ? node.namespace : ''
  const owner = await it.client.find(metadataOf(kind), ownerKey(kind, namespace, reference.name))
  if (owner?.metadata.uid !== reference.uid) {
    it.absent.add(ownerName(reference, namespace))
    return 'dangling'
  }
  const { deletionTimestamp, finalizers } = owner.metadata
  return deletionTimestamp !== undefined && finalizers?.includes(FOREGROUND) ? 'waiting' : 'solid'
}

const ownerKey = (kind: Kind, namespace: string, name: string): ObjectKey =>
  kind.scope === 'Namespaced' ? { namespace, name } : { name }

/** Changes metadata of the object that was seen and of no other; answers with the object as it is then. */
async function patch(
  { client }: Collector,
  node: GraphNode,
  latest: KubeObject,
  metadata: object,
): Promise<KubeObject> {
  const { uid, resourceVersion } = latest.metadata
  const body = { metadata: { uid, resourceVersion, ...metadata } }
  return client.patch(node.kind, keyOfNode(node), { type: 'merge', body }, AS_CONTROLLER)
}

async function unlink(
  it: Collector,
  node: GraphNode,
  latest: KubeObject,
  uids: readonly string[],
): Promise<void> {
  const ownerReferences = latest.metadata.ownerReferences?.filter((one) => !uids.includes(one.uid))
  await patch(it, node, latest, { ownerReferences })
}

async function unblock(it: Collector, node: GraphNode, latest: KubeObject): Promise<KubeObject> {
  const ownerReferences = latest.metadata.ownerReferences?.map((one) => ({
    ...one,
    blockOwnerDeletion: false,
  }))
  return patch(it, node, latest, { ownerReferences })
}

async function removeFinalizer(
  it: Collector,
  node: GraphNode,
  latest: KubeObject,
  finalizer: string,
): Promise<void> {
  if (!latest.metadata.finalizers?.includes(finalizer)) return
  const finalizers = latest.metadata.finalizers.filter((one) => one !== finalizer)
  await patch(it, node, latest, { finalizers }).catch(unlessGone)
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error
}

/** Deletes the object that was judged. If it changed meanwhile in other ways than its owners, the judgement stands. */
async function remove(
  it: Collector,
  node: GraphNode,
  latest: KubeObject,
  propagation: 'Foreground' | 'Background' | 'Orphan',
): Promise<readonly GraphWork[]> {
  const { uid, resourceVersion, ownerReferences } = latest.metadata
  const options = { propagation, ...(uid && { uid }) }
  const { client } = it
  try {
    await client.delete(node.kind, keyOfNode(node), {
      ...options,
      ...(resourceVersion && { resourceVersion }),
    })
  } catch (error) {
    if (isNotFound(error)) return it.graph.remove(node.uid)
    if (!isConflict(error)) throw error
    const now = await latestOf(it, node)
    if (!now) return it.graph.remove(node.uid)
    if (!sameMeaning(now.metadata.ownerReferences, ownerReferences)) throw error
    await client.delete(node.kind, keyOfNode(node), options).catch(unlessGone)
  }
  return []
}

/** Sets free what an object owns, and then lets it go. */
async function orphanDependents(it: Collector, node: GraphNode): Promise<readonly GraphWork[]> {
  const latest = await latestOf(it, node)
  if (!latest) return it.graph.remove(node.uid)
  if (!latest.metadata.finalizers?.includes(ORPHAN)) return []
  await Promise.all(
    it.graph.dependents(node.uid).map(async (dependent) => {
      const current = await latestOf(it, dependent)
      if (current) await unlink(it, dependent, current, [node.uid]).catch(unlessGone)
    }),
  )
  await removeFinalizer(it, node, latest, ORPHAN)
  return []
}
