import { type Client, metadataOf, type ServedKind } from 'kubewright/client'
import { ApiError, groupResourceText, isNotFound, type Kind } from 'kubewright/machinery'
import { messageOf } from '../workload/writes.ts'
import type { Remains } from './conditions.ts'

/** Deletes everything in a namespace, pods first, and tells what is left (kubernetes/pkg/controller/namespace/deletion). */
export async function deleteContent(client: Client, namespace: string): Promise<Remains> {
  const remains = newRemains()
  let served: readonly ServedKind[]
  try {
    served = await client.kinds.all()
  } catch (error) {
    return { ...remains, discoveryError: messageOf(error) }
  }
  const kinds = deletable(served)
  const isPod = ({ kind }: ServedKind): boolean => groupResourceText(kind) === 'pods'
  await Promise.all(kinds.filter(isPod).map((it) => deleteKind(client, it, namespace, remains)))
  // What others need may be needed by pods that are ending: they go first (KEP-5080).
  if (remains.byResource.size > 0) return remains
  await Promise.all(
    kinds.filter((it) => !isPod(it)).map((it) => deleteKind(client, it, namespace, remains)),
  )
  return remains
}

interface Counting extends Remains {
  readonly byResource: Map<string, number>
  readonly byFinalizer: Map<string, number>
  readonly errors: string[]
}

const newRemains = (): Counting => ({
  byResource: new Map(),
  byFinalizer: new Map(),
  discoveryError: undefined,
  errors: [],
})

/** Each namespaced kind once, in its preferred version. */
function deletable(served: readonly ServedKind[]): readonly ServedKind[] {
  const seen = new Set<string>()
  return served.filter(({ kind, verbs }) => {
    const name = groupResourceText(kind)
    if (kind.scope !== 'Namespaced' || seen.has(name)) return false
    if (!verbs.includes('delete') || !verbs.includes('list')) return false
    seen.add(name)
    return true
  })
}

async function deleteKind(
  client: Client,
  { kind, verbs }: ServedKind,
  namespace: string,
  remains: Counting,
): Promise<void> {
  try {
    if ((await listed(client, kind, namespace)).length === 0) return
    if (verbs.includes('deletecollection')) {
      await client.deleteCollection(kind, { namespace }, { propagation: 'Background' })
    } else {
      await deleteEach(client, kind, namespace)
    }
    count(kind, await listed(client, kind, namespace), remains)
  } catch (error) {
    // The kind went while the namespace did.
    if (isNotFound(error) || (error instanceof ApiError && error.code === 405)) return
    remains.errors.push(messageOf(error))
  }
}

async function listed(client: Client, kind: Kind, namespace: string): Promise<readonly KubeItem[]> {
  return (await client.list(metadataOf(kind), { namespace })).items
}

interface KubeItem {
  readonly metadata: { readonly name?: string; readonly finalizers?: readonly string[] }
}

async function deleteEach(client: Client, kind: Kind, namespace: string): Promise<void> {
  for (const { metadata } of await listed(client, kind, namespace)) {
    await client
      .delete(kind, { namespace, name: metadata.name! }, { propagation: 'Background' })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error
      })
  }
}

function count(kind: Kind, items: readonly KubeItem[], remains: Counting): void {
  if (items.length === 0) return
  remains.byResource.set(`${kind.plural}.${kind.group}`, items.length)
  for (const finalizer of items.flatMap((it) => it.metadata.finalizers ?? [])) {
    remains.byFinalizer.set(finalizer, (remains.byFinalizer.get(finalizer) ?? 0) + 1)
  }
}
