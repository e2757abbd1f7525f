import { same } from '../registry/fields.ts'
import type { Draft } from '../registry/strategy.ts'
import type { AdmissionRound } from './admission.ts'

/**
 * Which webhooks, or policies, of one plugin are to be asked a second time, and when (webhook/mutating and policy/mutating
 * reinvocationcontext.go): those that want it, if something changed after they were asked.
 */
export class Reinvocations {
  readonly #round: AdmissionRound | undefined
  #output: Draft | undefined
  #asked = new Set<string>()
  readonly #due = new Set<string>()

  private constructor(round: AdmissionRound | undefined) {
    this.#round = round
  }

  /** Those of a plugin, kept from one round of a request to the next. */
  static of(plugin: string, round: AdmissionRound | undefined): Reinvocations {
    const known = round?.kept.get(plugin)
    if (known instanceof Reinvocations) return known
    const made = new Reinvocations(round)
    round?.kept.set(plugin, made)
    return made
  }

  /** Which round this is. */
  get again(): boolean {
    return this.#round?.again ?? false
  }

  /** To be told before the plugin asks anybody: other plugins may have changed the object since. */
  begin(object: Draft | undefined): void {
    if (this.again && !same(this.#output, object)) this.#promote()
  }

  /** To be told when the plugin has asked everybody. */
  end(object: Draft | undefined): void {
    if (!this.again) this.#output = object && structuredClone(object)
  }

  /** Whether somebody is to be asked now: everybody in the first round. */
  isDue(key: string): boolean {
    return !this.again || this.#due.has(key)
  }

  /** Somebody who was asked changed something: whoever was asked before may have to look again. */
  changed(): void {
    this.#promote()
    this.#round?.ask()
  }

  /** Somebody who was asked wants to be asked again if something changes. */
  remember(key: string): void {
    this.#asked.add(key)
  }

  #promote(): void {
    for (const key of this.#asked) this.#due.add(key)
    this.#asked = new Set()
  }
}
