import { Node, Pod } from 'kubewright/kinds/core/v1'
import {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from 'kubewright/kinds/storage.k8s.io/v1'
import { PersistentVolume, PersistentVolumeClaim } from 'kubewright/kinds/core/v1'
import { keyOf, type Kind, type KubeObject } from 'kubewright/machinery'
import type { Runnable, RunnableContext } from 'kubewright/manager'
import { isPodTerminal } from '../workload/pod.ts'
import { Binder } from './binder.ts'
import { fitError, noNodesError } from './fit-error.ts'
import { happening, nodeChanged, placedPodChanged, waitingPodChanged } from './hints.ts'
import { type AssumedStorage, liveLookup, LOOKED_UP, prepareLookup } from './live-lookup.ts'
import { PodInfo } from './pod-info.ts'
import { PLUGINS } from './plugins/index.ts'
import type { Happening, StorageKind } from './plugin.ts'
import { planPreemption } from './preempt.ts'
import { Preemptor } from './preemptor.ts'
import { type QueuedPod, SchedulingQueue } from './queue.ts'
import { Reporter } from './reporter.ts'
import { type Diagnosis, schedule } from './schedule.ts'
import { World } from './world.ts'

/** How a scheduler is set up. */
export interface SchedulerOptions {
  /** The names under which pods ask for it (`spec.schedulerName`); all are served alike. Default `default-scheduler`. */
  readonly names?: readonly string[]
}

const DEFAULT_NAME = 'default-scheduler'
/** How many pods may be on their way to the server at once. */
const MOST_BINDING = 64

/**
 * Places pods on nodes, one after another, and tells the server through their `binding` subresource (kubernetes/pkg/scheduler). It
 * polls nothing: pods that were refused come back when something happens that may help them.
 */
export function scheduler({ names = [DEFAULT_NAME] }: SchedulerOptions = {}): Runnable {
  return {
    name: DEFAULT_NAME,
    run: (context) => new Scheduler(context, new Set(names)).run(),
  }
}

const STORAGE: readonly (readonly [StorageKind, Kind])[] = [
  ['PersistentVolumeClaim', PersistentVolumeClaim],
  ['PersistentVolume', PersistentVolume],
  ['StorageClass', StorageClass],
  ['CSINode', CSINode],
  ['CSIDriver', CSIDriver],
  ['CSIStorageCapacity', CSIStorageCapacity],
  ['VolumeAttachment', VolumeAttachment],
]

class Scheduler {
  readonly #context: RunnableContext
  readonly #names: ReadonlySet<string>
  readonly #queue: SchedulingQueue
  readonly #world: World
  readonly #reporter: Reporter
  readonly #binder: Binder
  readonly #preemptor: Preemptor
  readonly #binding = new Set<Promise<void>>()
  /** Where to begin to look for nodes: behind the last that was asked. */
  #start = 0

  constructor(context: RunnableContext, names: ReadonlySet<string>) {
    this.#context = context
    this.#names = names
    this.#queue = new SchedulingQueue(context.clock)
    const assumed: AssumedStorage = { volumes: new Map(), claims: new Map() }
    this.#world = new World(liveLookup(context.cache, assumed))
    this.#reporter = new Reporter(context)
    this.#binder = new Binder(context, this.#world, assumed)
    this.#preemptor = new Preemptor(context, this.#queue)
  }

  async run(): Promise<void> {
    const { cache, signal } = this.#context
    prepareLookup(cache)
    await Promise.all([...LOOKED_UP, Node, Pod].map((it) => cache.informer(it).waitForSync(signal)))
    const ends = [
      cache.informer(Node).listen(({ old, new: now }) => this.#nodeEvent(old, now)),
      cache.informer(Pod).listen(({ old, new: now }) => this.#podEvent(old, now)),
      ...STORAGE.map(([name, kind]) => this.#follow(name, kind)),
    ]
    signal.addEventListener('abort', () => this.#queue.stop(), { once: true })
    while (!signal.aborted) {
      const pod = this.#queue.pop()
      if (pod) await this.#scheduleOne(pod)
      else await this.#queue.ready()
    }
    for (const end of ends) end()
    await Promise.all(this.#binding)
  }

  #follow(name: StorageKind, kind: Kind<KubeObject>): () => void {
    return this.#context.cache.informer(kind).listen(({ old, new: now, initial }) => {
      if (initial) return
      this.#binder.storageChanged()
      this.#happened(happening(name, old, now))
    })
  }

  #nodeEvent(old: Node | undefined, now: Node | undefined): void {
    if (now) this.#world.setNode(now)
    else this.#world.removeNode(old!.metadata.name!)
    if (!old || !now || nodeChanged(old, now)) this.#happened(happening('Node', old, now))
  }

  #podEvent(old: Pod | undefined, now: Pod | undefined): void {
    const [before, after] = [placed(old), placed(now)]
    if (before || after) this.#placedEvent(before, after)
    if (now && !after) this.#waitingEvent(old, now)
    if (!now || after) this.#leave((now ?? old)!.metadata.uid!)
  }

  /** A pod that has a node, or had one. */
  #placedEvent(before: Pod | undefined, after: Pod | undefined): void {
    if (after) this.#world.setPod(after)
    else this.#world.removePod(before!.metadata.uid!)
    const isNews = !before || !after || placedPodChanged(before, after)
    if (isNews) this.#happened(happening('Pod', before, after))
  }

  /** A pod that has none: ours if it asks for us. */
  #waitingEvent(old: Pod | undefined, now: Pod): void {
    const { uid } = now.metadata
    if (!this.#names.has(now.spec.schedulerName ?? DEFAULT_NAME) || isPodTerminal(now))
      return this.#leave(uid!)
    if (this.#world.isAssumed(uid!)) return
    this.#queue.put(now, old !== undefined && waitingPodChanged(old, now))
    this.#world.nominate(this.#queue.get(uid!)!.info, now.status?.nominatedNodeName)
  }

  #leave(uid: string): void {
    const queued = this.#queue.get(uid)
    if (!queued) return
    this.#world.nominate(queued.info, undefined)
    this.#queue.remove(uid)
  }

  #happened(it: Happening): void {
    for (const pod of this.#queue.pods)
      if (pod.state === 'waiting' && this.#mayHelp(it, pod)) this.#preemptor.retry(pod)
  }

  #mayHelp(it: Happening, { info, plugins }: QueuedPod): boolean {
    if (plugins.size === 0) return true
    return PLUGINS.some(
      ({ name, mayHelp }) => plugins.has(name) && mayHelp?.(it, info.pod, this.#world),
    )
  }

  async #scheduleOne(queued: QueuedPod): Promise<void> {
    const { info } = queued
    if (info.pod.metadata.deletionTimestamp !== undefined) {
      this.#reporter.skipped(info.pod)
      return this.#leave(info.uid)
    }
    const placement = this.#place(info)
    switch (placement.is) {
      case 'placed':
        this.#start = (this.#start + placement.looked) % this.#world.nodes.length
        return this.#bind(queued, placement.node.name)
      case 'no nodes':
        this.#queue.refuse(queued, new Set())
        return this.#reporter.refused(info.pod, noNodesError, '')
      case 'unschedulable':
        return this.#refuse(queued, placement)
      case 'failed':
        return this.#failed(queued, placement.error)
    }
  }

  #place(
    info: PodInfo,
  ): ReturnType<typeof schedule> | { readonly is: 'failed'; readonly error: unknown } {
    try {
      return schedule(info, this.#world, PLUGINS, this.#start)
    } catch (error) {
      return { is: 'failed', error }
    }
  }

  async #refuse(queued: QueuedPod, diagnosis: Diagnosis): Promise<void> {
    const { info } = queued
    const preemption = planPreemption(info, this.#world, diagnosis)
    const isPossible = preemption.is === 'possible'
    const message = fitError(
      this.#world.nodes.length,
      diagnosis,
      isPossible ? undefined : preemption.why,
    )
    const { overall, refusals, unasked } = diagnosis
    const refused = [...refusals.values(), overall, unasked].filter((it) => it !== undefined)
    this.#queue.refuse(queued, new Set(refused.flatMap((it) => it.plugin.split(' '))))
    const node = isPossible ? preemption.node.name : preemption.withdraws ? '' : undefined
    if (node !== undefined) this.#world.nominate(info, node)
    if (isPossible)
      this.#preemptor.start(queued, preemption, this.#lesser(info, preemption.node.name))
    await this.#reporter.refused(info.pod, message, node)
  }

  /** Less important pods that were promised a node which is now another's. */
  #lesser(info: PodInfo, node: string): readonly Pod[] {
    const lesser = this.#world.nominatedTo(node).filter((it) => it.priority < info.priority)
    for (const it of lesser) this.#world.nominate(it, undefined)
    return lesser.map((it) => it.pod)
  }

  /** Puts the pod where it goes at once; the server hears of it while the next one is looked at. */
  async #bind(queued: QueuedPod, node: string): Promise<void> {
    const { info } = queued
    const plan = this.#binder.reserve(info, node)
    this.#world.nominate(info, undefined)
    this.#world.assume(info, node)
    const done = this.#send(queued, node, plan).finally(() => this.#binding.delete(done))
    this.#binding.add(done)
    if (this.#binding.size >= MOST_BINDING) await Promise.race(this.#binding)
  }

  async #send(queued: QueuedPod, node: string, plan: ReturnType<Binder['reserve']>): Promise<void> {
    const { info } = queued
    try {
      await this.#binder.bind(info.pod, node, plan)
      this.#queue.remove(info.uid)
      this.#reporter.placed(info.pod, node)
    } catch (error) {
      if (this.#context.signal.aborted) return
      this.#world.forget(info.uid)
      const now = this.#context.cache.lister(Pod).get(keyOf(info.pod))
      if (now?.metadata.uid !== info.uid || now.spec.nodeName) return this.#leave(info.uid)
      queued.info = new PodInfo(now)
      await this.#failed(queued, error)
      this.#happened(happening('Pod', info.pod, undefined))
    }
  }

  async #failed(queued: QueuedPod, error: unknown): Promise<void> {
    this.#queue.fail(queued)
    await this.#reporter.failed(queued.info.pod, error)
  }
}

/** A pod, if it takes up room on a node. */
const placed = (pod: Pod | undefined): Pod | undefined =>
  pod?.spec.nodeName && !isPodTerminal(pod) ? pod : undefined
