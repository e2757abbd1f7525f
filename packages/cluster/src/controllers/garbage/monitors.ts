import type { Cache } from 'kubewright/cache'
import { type Client, metadataOf } from 'kubewright/client'
import { apiVersionOf, groupResourceText, type Kind, type KubeObject } from 'kubewright/machinery'
import { type AbsentOwners, type Collector, ownerName } from './collector.ts'
import { graphNode, type GraphWork, type OwnerGraph } from './owner-graph.ts'

/** Told at every change what the graph asks for. */
export type TakeWork = (work: readonly GraphWork[]) => void

/** Events come and go by themselves: nobody owns them, and there are many. */
const IGNORED: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io'])

/**
 * Keeps the graph in step with the objects of every kind that can be listed, watched and deleted. Kinds that appear and disappear
 * while the cluster runs are taken up and dropped by {@link Monitors.sync}.
 */
export class Monitors {
  readonly #client: Client
  readonly #cache: Cache
  readonly #graph: OwnerGraph
  readonly #absent: AbsentOwners
  readonly #take: TakeWork
  readonly #watched = new Map<string, { readonly kind: Kind; readonly end: () => void }>()

  constructor({ client, graph, absent }: Collector, cache: Cache, take: TakeWork) {
    this.#client = client
    this.#cache = cache
    this.#graph = graph
    this.#absent = absent
    this.#take = take
  }

  /** Asks the server what kinds it has now, and watches just those. */
  async sync(): Promise<void> {
    this.#client.kinds.refresh()
    const served = await this.#client.kinds.all()
    const wanted = new Map<string, Kind>()
    for (const { kind, verbs } of served) {
      const name = groupResourceText(kind)
      const able = ['delete', 'list', 'watch'].every((verb) => verbs.includes(verb))
      // The first version that is told is the preferred one.
      if (able && !IGNORED.has(name) && !wanted.has(name)) wanted.set(name, kind)
    }
    for (const name of this.#watched.keys()) if (!wanted.has(name)) this.#drop(name)
    for (const [name, kind] of wanted) if (!this.#watched.has(name)) this.#watch(name, kind)
  }

  #watch(name: string, kind: Kind): void {
    const informer = this.#cache.informer(metadataOf(kind))
    const end = informer.listen(({ old, new: object }) => {
      if (object) this.#put(kind, object)
      else if (old) this.#remove(old.metadata.uid ?? '')
    })
    this.#watched.set(name, { kind, end })
  }

  #put(kind: Kind, { metadata }: KubeObject): void {
    this.#take(this.#graph.put(graphNode(kind, metadata)))
  }

  /** An owner that has gone is remembered: its kind may go next, and then the server can no longer be asked. */
  #remove(uid: string): void {
    const node = this.#graph.get(uid)
    if (node && this.#graph.dependents(uid).length > 0) {
      const { kind, name, namespace } = node
      const reference = { apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid }
      this.#absent.add(ownerName(reference, namespace))
    }
    this.#take(this.#graph.remove(uid))
  }

  #drop(name: string): void {
    const { kind, end } = this.#watched.get(name)!
    this.#watched.delete(name)
    end()
    this.#cache.remove(metadataOf(kind))
    for (const uid of this.#graph.uidsOf(kind)) this.#remove(uid)
  }
}
