import {
  type Binding,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from 'kubewright/kinds/core/v1'
import { keyOf } from 'kubewright/machinery'
import type { RunnableContext } from 'kubewright/manager'
import { BOUND_BY, claimReference, SELECTED_NODE } from '../volume/binding.ts'
import { messageOf } from '../workload/writes.ts'
import type { AssumedStorage } from './live-lookup.ts'
import type { PodInfo } from './pod-info.ts'
import { AS_SCHEDULER, AS_SCHEDULER_STATUS } from './reporter.ts'
import { isFullyBound, planVolumes, podClaims, reaches, type VolumePlan } from './volume-fit.ts'
import type { World } from './world.ts'

/** How long claims may take to be bound (VolumeBindingArgs.bindTimeoutSeconds). */
const BIND_TIMEOUT = 600_000

const keyText = ({ metadata: { namespace, name } }: PersistentVolumeClaim): string =>
  `${namespace}/${name}`

/** Tells the server where a pod goes, once its claims have volumes there (VolumeBinding's PreBind, then DefaultBinder). */
export class Binder {
  readonly #context: RunnableContext
  readonly #world: World
  readonly #assumed: AssumedStorage
  /** Who waits for claims to be bound. */
  readonly #waiting = new Set<() => void>()

  constructor(context: RunnableContext, world: World, assumed: AssumedStorage) {
    this.#context = context
    this.#world = world
    this.#assumed = assumed
  }

  /** What the node means for the pod's claims; other pods see it done from now on. Undefined where there is nothing to do. */
  reserve({ pod }: PodInfo, node: string): VolumePlan | undefined {
    if (!pod.spec.volumes?.some((it) => it.persistentVolumeClaim ?? it.ephemeral)) return undefined
    const { lookup } = this.#world
    const plan = planVolumes(podClaims(pod, lookup), this.#world.node(node)!.node, lookup)
    if (!('bindings' in plan) || plan.bindings.length + plan.provisions.length === 0)
      return undefined
    const bindings = plan.bindings.map(({ claim, volume }) => ({
      claim,
      volume: bound(volume, claim),
    }))
    const provisions = plan.provisions.map((it) => selecting(it, node))
    for (const it of bindings) this.#assumed.volumes.set(it.volume.metadata.name!, it.volume)
    for (const it of provisions) this.#assumed.claims.set(keyText(it), it)
    return { bindings, provisions }
  }

  /** Throws what the event of a failed binding says. */
  async bind(pod: Pod, node: string, plan: VolumePlan | undefined): Promise<void> {
    const { name, namespace, uid } = pod.metadata
    if (plan) await this.#bindVolumes(pod, node, plan)
    const metadata = { name: name!, namespace: namespace!, uid: uid! }
    const target = { kind: 'Node', name: node }
    const body = { apiVersion: 'v1', kind: 'Binding', metadata, target }
    try {
      await this.#context.client
        .subresource<Binding>(Pod, keyOf(pod), 'binding')
        .create(body, AS_SCHEDULER)
    } catch (error) {
      throw new Error(`binding rejected: ${messageOf(error)}`, { cause: error })
    }
  }

  /** Some claim or volume changed: those who wait for one look again. */
  storageChanged(): void {
    for (const it of this.#waiting) it()
  }

  async #bindVolumes(pod: Pod, node: string, plan: VolumePlan): Promise<void> {
    try {
      await this.#promise(pod, node)
      await this.#write(plan)
      await this.#bound(plan, node)
    } catch (error) {
      throw new Error(`running PreBind plugin "VolumeBinding": ${messageOf(error)}`, {
        cause: error,
      })
    }
  }

  /** Who looks at the pod sees where it will be (KEP-5278). */
  async #promise(pod: Pod, node: string): Promise<void> {
    const body = { metadata: { uid: pod.metadata.uid }, status: { nominatedNodeName: node } }
    const patch = { type: 'strategic', body } as const
    await this.#context.client.patch(Pod, keyOf(pod), patch, AS_SCHEDULER_STATUS)
  }

  /** What was written is in the cache: it need not be assumed any more. */
  async #write({ bindings, provisions }: VolumePlan): Promise<void> {
    const { client } = this.#context
    try {
      for (const { volume } of bindings) await client.update(PersistentVolume, volume, AS_SCHEDULER)
      for (const it of provisions) await client.update(PersistentVolumeClaim, it, AS_SCHEDULER)
    } finally {
      for (const { volume } of bindings) this.#assumed.volumes.delete(volume.metadata.name!)
      for (const it of provisions) this.#assumed.claims.delete(keyText(it))
    }
  }

  async #bound({ bindings, provisions }: VolumePlan, node: string): Promise<void> {
    const { clock, signal } = this.#context
    const claims = [...bindings.map((it) => it.claim), ...provisions]
    const end = Promise.withResolvers<void>()
    const check = (): void => {
      try {
        for (const it of provisions) this.#stillSelects(it, node)
        if (claims.every((it) => this.#isReady(it, node))) end.resolve()
      } catch (error) {
        end.reject(error as Error)
      }
    }
    const stop = (): void => end.reject(signal.reason as Error)
    const timer = clock.after(BIND_TIMEOUT, () =>
      end.reject(new Error('binding volumes: context deadline exceeded')),
    )
    this.#waiting.add(check)
    signal.addEventListener('abort', stop, { once: true })
    try {
      check()
      await end.promise
    } finally {
      this.#waiting.delete(check)
      signal.removeEventListener('abort', stop)
      timer.cancel()
    }
  }

  /** A provisioner that cannot serve a node takes the annotation away: the pod is to go elsewhere. */
  #stillSelects({ metadata: { namespace, name } }: PersistentVolumeClaim, node: string): void {
    const now = this.#world.lookup.claim(namespace!, name!)
    if (!now)
      throw new Error(
        `binding volumes: failed to check provisioning pvc: could not find PVC "${namespace}/${name}"`,
      )
    if (now.metadata.annotations?.[SELECTED_NODE] !== node)
      throw new Error(`binding volumes: provisioning failed for PVC "${name}"`)
  }

  #isReady({ metadata: { namespace, name } }: PersistentVolumeClaim, node: string): boolean {
    const { lookup } = this.#world
    const now = lookup.claim(namespace!, name!)
    if (!now) throw new Error(`binding volumes: could not find PVC "${namespace}/${name}"`)
    if (!isFullyBound(now)) return false
    const volume = lookup.volume(now.spec!.volumeName!)
    const there = this.#world.node(node)
    if (volume && there && !reaches(volume, there.node))
      throw new Error(
        `binding volumes: pv "${volume.metadata.name}" node affinity doesn't match node "${node}": no matching NodeSelectorTerms`,
      )
    return volume !== undefined
  }
}

const annotated = <T extends PersistentVolume | PersistentVolumeClaim>(
  object: T,
  name: string,
  value: string,
): T => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: { ...object.metadata.annotations, [name]: value },
  },
})

/** A volume as it is once it is kept for a claim (component-helpers/storage/volume GetBindVolumeToClaim). */
function bound(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const kept = volume.spec?.claimRef !== undefined
  const spec = { ...volume.spec, claimRef: claimReference(claim) }
  return kept ? { ...volume, spec } : annotated({ ...volume, spec }, BOUND_BY, 'yes')
}

const selecting = (claim: PersistentVolumeClaim, node: string): PersistentVolumeClaim =>
  annotated(claim, SELECTED_NODE, node)
