import type { Sequence, Step } from './step.ts'

/**
 * Makes a sequence smaller as long as it `stillFails`: drops steps, then query parameters and fields of bodies. Tries at most
 * `budget` candidates; each costs a run of the sequence on both servers.
 */
export async function shrink(
  sequence: Sequence,
  stillFails: (candidate: Sequence) => Promise<boolean>,
  budget: number = 150,
): Promise<Sequence> {
  const search = new Search(sequence, stillFails, budget)
  await search.dropSteps()
  while (await search.simplifySteps()) if (search.isSpent) break
  return search.best
}

class Search {
  best: Sequence
  readonly #stillFails: (candidate: Sequence) => Promise<boolean>
  #left: number

  constructor(
    sequence: Sequence,
    stillFails: (candidate: Sequence) => Promise<boolean>,
    budget: number,
  ) {
    this.best = sequence
    this.#stillFails = stillFails
    this.#left = budget
  }

  get isSpent(): boolean {
    return this.#left <= 0
  }

  /** The last step is where the servers differ; those before it may have had to do with it or not. */
  async dropSteps(): Promise<void> {
    for (let i = this.best.steps.length - 2; i >= 0; i--)
      await this.#attempt(this.best.steps.toSpliced(i, 1))
  }

  /** Makes each step a little smaller where it can be; false where none can. */
  async simplifySteps(): Promise<boolean> {
    let improved = false
    for (let i = 0; i < this.best.steps.length; i++) if (await this.#simplify(i)) improved = true
    return improved
  }

  async #simplify(index: number): Promise<boolean> {
    for (const smaller of smallerSteps(this.best.steps[index]!))
      if (await this.#attempt(this.best.steps.with(index, smaller))) return true
    return false
  }

  async #attempt(steps: readonly Step[]): Promise<boolean> {
    if (this.isSpent || steps.length === 0 || !isWhole(steps)) return false
    this.#left--
    const candidate = { ...this.best, steps }
    if (!(await this.#stillFails(candidate))) return false
    this.best = candidate
    return true
  }
}

/** Whether every step that is referred to is there. */
function isWhole(steps: readonly Step[]): boolean {
  const ids = new Set(steps.map((it) => it.id))
  const references = JSON.stringify(steps).matchAll(/\{(?:rv|uid|name|continue):(\w+)\}/g)
  return [...references].every(([, id]) => ids.has(id))
}

/** Every step that says a little less than the one given. */
function* smallerSteps(step: Step): Generator<Step> {
  const [path = '', query] = step.ask.split('?')
  const parameters = query?.split('&') ?? []
  for (let i = 0; i < parameters.length; i++) {
    const rest = parameters.toSpliced(i, 1)
    yield { ...step, ask: rest.length > 0 ? `${path}?${rest.join('&')}` : path }
  }
  const { accept: _, ...plain } = step
  if (step.accept) yield plain
  for (const body of smallerValues(step.body)) yield { ...step, body }
}

/** Every value with one field or item less, outermost first. */
function* smallerValues(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) yield value.toSpliced(i, 1)
    for (const [i, item] of value.entries())
      for (const it of smallerValues(item)) yield value.with(i, it)
    return
  }
  if (typeof value !== 'object' || value === null) return
  const fields = Object.entries(value)
  for (let i = 0; i < fields.length; i++) yield Object.fromEntries(fields.toSpliced(i, 1))
  for (const [i, [key, item]] of fields.entries())
    for (const it of smallerValues(item)) yield Object.fromEntries(fields.with(i, [key, it]))
}
