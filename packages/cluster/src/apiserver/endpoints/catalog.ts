import type { ResourceInfo } from '../resources/resource.ts'
import type { Served } from './served.ts'

/** Every resource that is served right now, by group, version and plural. Custom resources come and go as a whole group. */
export class Catalog {
  readonly #builtin = new Map<string, Map<string, Served>>()
  readonly #builtinGroups = new Set<string>()
  #custom = new Map<string, Map<string, Served>>()
  #siblings = new Map<ResourceInfo, readonly ResourceInfo[]>()

  constructor(builtin: Iterable<Served>) {
    for (const served of builtin) {
      put(this.#builtin, served)
      this.#builtinGroups.add(served.info.group)
    }
  }

  /** Replaces all custom resources at once. */
  setCustom(all: Iterable<Served>): void {
    const next = new Map<string, Map<string, Served>>()
    for (const served of all) put(next, served)
    this.#custom = next
    this.#siblings = new Map()
  }

  /** The other versions in which the objects of a served resource are served. */
  siblings(info: ResourceInfo): readonly ResourceInfo[] {
    let found = this.#siblings.get(info)
    if (!found) {
      const same = [...this.all()].map((it) => it.info)
      found = same.filter((it) => it.storageKey === info.storageKey && it !== info)
      this.#siblings.set(info, found)
    }
    return found
  }

  find(group: string, version: string, plural: string): Served | undefined {
    const key = `${group}/${version}`
    return this.#builtin.get(key)?.get(plural) ?? this.#custom.get(key)?.get(plural)
  }

  /** A served resource by where its objects lie. */
  byStorageKey(storageKey: string): Served | undefined {
    for (const served of this.all()) if (served.info.storageKey === storageKey) return served
    return undefined
  }

  /** Whether a group is built in: its unknown paths answer with a Status, not with plain text. */
  isBuiltinGroup(group: string): boolean {
    return this.#builtinGroups.has(group)
  }

  *all(): Generator<Served> {
    for (const versions of [this.#builtin, this.#custom]) {
      for (const resources of versions.values()) yield* resources.values()
    }
  }

  *custom(): Generator<Served> {
    for (const resources of this.#custom.values()) yield* resources.values()
  }
}

function put(into: Map<string, Map<string, Served>>, served: Served): void {
  const key = `${served.info.group}/${served.info.version}`
  const resources = into.get(key) ?? new Map<string, Served>()
  resources.set(served.info.plural, served)
  into.set(key, resources)
}
