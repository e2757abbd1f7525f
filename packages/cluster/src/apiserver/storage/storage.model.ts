import type { UnknownObject } from 'kubewright/machinery'

/** What happened, plainly: every revision with what it wrote. The dumb algorithm that the stores are checked against. */
export class StorageModel {
  readonly #history: {
    readonly key: string
    readonly object: UnknownObject | undefined
    readonly revision: number
  }[] = []

  get revision(): number {
    return 1 + this.#history.length
  }

  /** Writes when the key stands at `expected`; tells whether it did. */
  write(key: string, expected: number, object: UnknownObject | undefined): boolean {
    const current = this.stateAt(this.revision).get(key)
    if ((current?.revision ?? 0) !== expected || (!current && !object)) return false
    this.#history.push({ key, object, revision: this.revision + 1 })
    return true
  }

  /** What stood at a revision, by key. */
  stateAt(revision: number): Map<string, { readonly revision: number; readonly value: unknown }> {
    const state = new Map<string, { readonly revision: number; readonly value: unknown }>()
    for (const it of this.#history) {
      if (it.revision > revision) break
      if (it.object) state.set(it.key, { revision: it.revision, value: it.object['value'] })
      else state.delete(it.key)
    }
    return state
  }

  /** `key@revision=value` of a range in key order, as it was at a revision. */
  list(prefix: string, at: number = this.revision): string[] {
    return [...this.stateAt(at)]
      .filter(([key]) => key.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, it]) => `${key}@${it.revision}=${String(it.value)}`)
  }

  /** `put key@revision` and `remove key@revision` of the changes under a prefix after a revision. */
  changes(prefix: string, after: number): string[] {
    return this.#history
      .filter((it) => it.revision > after && it.key.startsWith(prefix))
      .map((it) => `${it.object ? 'put' : 'remove'} ${it.key}@${it.revision}`)
  }
}
