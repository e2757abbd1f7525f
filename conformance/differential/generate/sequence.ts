import { chance as chanceOf } from '../chance.ts'
import { KINDS } from '../kinds/all.ts'
import type { Sequence } from '../step.ts'
import { action } from './action.ts'
import { contest } from './contest.ts'
import { remove, removeAll } from './delete.ts'
import { get, list, watch } from './look.ts'
import type { Making } from './making.ts'
import { odd } from './odd.ts'
import { scale } from './scale.ts'
import { apply, create, patch, status, update } from './write.ts'

/** The sequence of a seed: some eight requests about objects of one kind. Equal seeds give equal sequences. */
export function sequenceOf(seed: number, only: readonly string[] = []): Sequence {
  const chance = chanceOf(seed)
  const kinds = only.length > 0 ? KINDS.filter((it) => only.includes(it.plural)) : KINDS
  const kind = chance.weighted(kinds.map((it) => [it.weight ?? 1, it] as const))
  const making: Making = {
    chance,
    kind,
    base: chance.pick(kind.bases),
    steps: [],
    objects: new Map(),
    ids: [],
    pages: [],
  }
  const count = 5 + chance.below(7)
  create(making, 'a')
  while (making.steps.length < count) nextStep(making)
  return { title: `seed ${seed}: ${kind.plural}`, steps: making.steps }
}

function nextStep(making: Making): void {
  const { chance, kind } = making
  const name = chance.pick(['a', 'a', 'a', 'b'])
  const known = making.objects.has(name)
  chance.weighted<() => void>([
    [known ? 1 : 6, () => create(making, name)],
    [4, () => update(making, name)],
    [8, () => patch(making, name)],
    [6, () => apply(making, name)],
    [kind.status ? 3 : 0.3, () => status(making, name)],
    [kind.scale ? 2 : 0.1, () => scale(making, name)],
    [kind.actions ? 2 : 0, () => action(making, name)],
    [1, () => contest(making, name)],
    [2.5, () => remove(making, name)],
    [0.7, () => removeAll(making)],
    [3, () => get(making, name)],
    [3, () => list(making)],
    [1.5, () => watch(making)],
    [0.7, () => odd(making, name)],
  ])()
}
