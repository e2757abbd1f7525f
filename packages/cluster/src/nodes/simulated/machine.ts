import type { Pod } from 'kubewright/kinds/core/v1'
import { Addresses } from '../node/addresses.ts'
import type { NodeSpec } from '../node/node-object.ts'
import type { PodState } from '../pod/state.ts'

/** A pod on a simulated node, as its kubelet last saw it. */
export interface Resident {
  readonly pod: Pod
  readonly state: PodState
}

/** One simulated node at work: what it remembers of its pods, its images and its addresses. */
export class Machine {
  readonly spec: NodeSpec
  readonly addresses: Addresses
  readonly #residents = new Map<string, Resident>()
  readonly #images = new Set<string>()
  readonly #ended = new Map<string, number>()

  constructor(spec: NodeSpec) {
    this.spec = spec
    this.addresses = new Addresses(spec.podCIDR)
  }

  get residents(): Iterable<Resident> {
    return this.#residents.values()
  }

  find(uid: string): Resident | undefined {
    return this.#residents.get(uid)
  }

  keep(uid: string, resident: Resident): void {
    this.#residents.set(uid, resident)
  }

  forget(uid: string): void {
    const resident = this.#residents.get(uid)
    if (!resident) return
    this.#residents.delete(uid)
    this.addresses.release(uid)
    for (const it of resident.state.containers) this.#ended.delete(runKey(uid, it.name, it.starts))
  }

  hasImage(image: string): boolean {
    return this.#images.has(image)
  }

  pulled(image: string): void {
    this.#images.add(image)
  }

  /** The process of a container ended, for its run number `starts`. */
  end(uid: string, container: string, starts: number, code: number): void {
    this.#ended.set(runKey(uid, container, starts), code)
  }

  endOf(uid: string, container: string, starts: number): number | undefined {
    return this.#ended.size === 0 ? undefined : this.#ended.get(runKey(uid, container, starts))
  }
}

const runKey = (uid: string, container: string, starts: number): string =>
  `${uid}/${container}/${starts}`
