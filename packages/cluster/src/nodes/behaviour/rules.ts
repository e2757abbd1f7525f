import type { Pod } from 'kubewright/kinds/core/v1'
import { ANNOTATED } from './annotations.ts'
import type { Behaviours, ContainerBehaviour, Ending } from './behaviour.ts'
import type { PodRule, RuleSays } from './rule.ts'

interface Entry {
  readonly says: RuleSays
  left: number
}

/** The rules that hold now, over what annotations say. Later rules go before earlier ones. */
export class Rules implements Behaviours {
  #entries: readonly Entry[] = []
  readonly #listeners = new Set<() => void>()

  constructor(rules: readonly PodRule[] = []) {
    this.add(...rules)
  }

  /** Lets rules hold from now on, for pods that run already too. What it answers with ends that. */
  add(...rules: readonly PodRule[]): Disposable {
    const added = rules.map(({ says }): Entry => ({ says, left: says.times ?? Infinity }))
    this.#change([...this.#entries, ...added])
    return {
      [Symbol.dispose]: () => this.#change(this.#entries.filter((it) => !added.includes(it))),
    }
  }

  /** Is told when rules come or go; until the signal aborts. */
  onChange(listener: () => void, signal: AbortSignal): void {
    this.#listeners.add(listener)
    signal.addEventListener('abort', () => void this.#listeners.delete(listener), { once: true })
  }

  of(pod: Pod, container: string): ContainerBehaviour {
    const annotated = ANNOTATED.of(pod, container)
    if (this.#entries.length === 0) return annotated
    const all = this.#matching(pod, container).map((it) => it.says.behaviour)
    return Object.assign({}, annotated, ...all) as ContainerBehaviour
  }

  ending(pod: Pod, container: string, starts: number): Ending | undefined {
    const found = this.#take(pod, container, ({ exit }) => exit)
    return found ?? ANNOTATED.ending(pod, container, starts)
  }

  pullError(pod: Pod, container: string): string | undefined {
    const found = this.#take(pod, container, ({ pullError }) => pullError)
    return found ?? ANNOTATED.pullError(pod, container)
  }

  /** What the last rule says that has a say left, which it uses up. */
  #take<T>(
    pod: Pod,
    container: string,
    of: (behaviour: ContainerBehaviour) => T | undefined,
  ): T | undefined {
    if (this.#entries.length === 0) return undefined
    const entry = this.#matching(pod, container).findLast(
      (it) => it.left > 0 && of(it.says.behaviour) !== undefined,
    )
    if (!entry) return undefined
    entry.left--
    return of(entry.says.behaviour)
  }

  #matching(pod: Pod, container: string): readonly Entry[] {
    return this.#entries.filter(
      ({ says }) =>
        (says.container === undefined || says.container === container) && says.matches(pod),
    )
  }

  #change(entries: readonly Entry[]): void {
    this.#entries = entries
    for (const it of this.#listeners) it()
  }
}
