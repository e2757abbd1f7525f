import type { Chance } from '../chance.ts'
import { apiVersionOf, type KindModel } from '../kinds/kind.ts'
import type { Step } from '../step.ts'
import { type Edit, edited, fairEdit, hostileEdit } from './edit.ts'
import { acceptOf } from './read.ts'

/** What has been asked so far in a sequence that is being made. */
export interface Making {
  readonly chance: Chance
  readonly kind: KindModel
  readonly base: string
  readonly steps: Step[]
  /** What was last written under a name, as far as is known here. */
  readonly objects: Map<string, Record<string, unknown>>
  readonly ids: string[]
  readonly pages: string[]
}

/** The path of everything of the kind in the sequence's namespace. */
export const collectionOf = ({ kind, base }: Making): string =>
  kind.namespaced ? `${base}/namespaces/{ns}/${kind.plural}` : `${base}/${kind.plural}`

/** The name of an object in the server, by its name in the sequence. */
export const nameOf = ({ kind }: Making, name: string): string =>
  kind.namespaced ? name : `${name}-{x}`

/** The path of an object. */
export const pathTo = (making: Making, name: string): string =>
  `${collectionOf(making)}/${nameOf(making, name)}`

/** Another version of the same resource, now and then. */
export function turnVersion(making: Making): Making {
  const base = making.chance.maybe(0.3) ? making.chance.pick(making.kind.bases) : making.base
  return { ...making, base }
}

/** An object that nobody has written yet. */
export function fresh(making: Making, name: string): Record<string, unknown> {
  const { kind, base, chance } = making
  let object: Record<string, unknown> = {
    apiVersion: apiVersionOf(base),
    kind: kind.kind,
    metadata: {
      name: nameOf(making, name),
      ...(kind.namespaced ? {} : { labels: { own: '{x}' } }),
    },
    ...kind.object,
  }
  for (let count = chance.below(4); count > 0; count--)
    object = edited(object, fairEdit(chance, kind))
  return object
}

/** An object, now and then with a change that a careful client would not make. */
export function spoiled(chance: Chance, object: Record<string, unknown>, odds: number): unknown {
  return chance.maybe(odds) ? edited(object, hostileEdit(chance, object)) : object
}

/** A request line with parameters. */
export const withQuery = (path: string, query: readonly string[]): string =>
  query.length > 0 ? `${path}?${query.join('&')}` : path

/** Adds a step whose answer is an object, which later steps may refer to. */
export function push(making: Making, step: Step): void {
  const id = `s${making.steps.length + 1}`
  const accept = making.chance.maybe(0.06) ? acceptOf(making.chance) : undefined
  making.steps.push({ id, ...(accept ? { accept } : {}), ...step })
  making.ids.push(id)
}

/** What was last written under a name, or an object as it might be. */
export function current(making: Making, name: string): Record<string, unknown> {
  return making.objects.get(name) ?? fresh(making, name)
}

/** The same with changes, which it now has. */
export function changed(making: Making, name: string): Record<string, unknown> {
  const { chance, kind } = making
  let object = current(making, name)
  for (let count = 1 + chance.below(2); count > 0; count--)
    object = edited(object, fairEdit(chance, kind))
  making.objects.set(name, object)
  return object
}

/** Changes to an object, good ones and others. */
export function editsOf(making: Making, object: Record<string, unknown>): readonly Edit[] {
  const { chance, kind } = making
  const count = 1 + chance.below(2)
  return Array.from({ length: count }, () =>
    chance.maybe(0.25) ? hostileEdit(chance, object) : fairEdit(chance, kind),
  )
}
