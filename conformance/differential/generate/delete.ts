import type { Chance } from '../chance.ts'
import { collectionOf, type Making, pathTo, push, turnVersion, withQuery } from './making.ts'

function deleteBody(making: Making): unknown {
  const { chance, ids } = making
  if (chance.maybe(0.5)) return undefined
  return chance.weighted<() => unknown>([
    [3, () => ({ propagationPolicy: chance.pick(['Foreground', 'Background', 'Orphan', 'Odd']) })],
    [1, () => ({ orphanDependents: chance.pick([true, false]) })],
    [1, () => ({ orphanDependents: true, propagationPolicy: 'Orphan' })],
    [2, () => ({ gracePeriodSeconds: chance.pick([0, 1, 30, -1]) })],
    [ids.length > 0 ? 2 : 0, () => ({ preconditions: { uid: `{uid:${chance.pick(ids)}}` } })],
    [
      ids.length > 0 ? 2 : 0,
      () => ({ preconditions: { resourceVersion: `{rv:${chance.pick(ids)}}` } }),
    ],
    [0.5, () => ({ preconditions: { uid: '33333333-3333-4333-8333-333333333333' } })],
    [0.5, () => ({ dryRun: ['All'] })],
    [0.3, () => ({ dryRun: ['Odd'] })],
    [0.5, () => ({ kind: 'DeleteOptions', apiVersion: 'v1', unknown: 1 })],
    [0.3, () => ({ kind: 'Other', apiVersion: 'v1' })],
    [0.3, () => '{'],
  ])()
}

function deleteQuery(chance: Chance): readonly string[] {
  if (chance.maybe(0.75)) return []
  return [
    chance.pick([
      'propagationPolicy=Foreground',
      'propagationPolicy=Orphan',
      'gracePeriodSeconds=0',
      'gracePeriodSeconds=5',
      'gracePeriodSeconds=x',
      'dryRun=All',
      'orphanDependents=true',
    ]),
  ]
}

/** A DELETE of an object. */
export function remove(given: Making, name: string): void {
  const making = turnVersion(given)
  const { chance } = making
  const body = deleteBody(making)
  const ask = withQuery(`DELETE ${pathTo(making, name)}`, deleteQuery(chance))
  push(making, { ask, ...(body === undefined ? {} : { body }) })
  if (chance.maybe(0.7)) making.objects.delete(name)
}

/** A DELETE of all of them. */
export function removeAll(making: Making): void {
  const { chance, kind } = making
  // Without its namespace, a collection is everybody's.
  const own = kind.namespaced ? [] : ['labelSelector=own%3D{x}']
  const selector = kind.namespaced && chance.maybe(0.4) ? ['labelSelector=tier%3Da'] : own
  const body = deleteBody(making)
  const ask = withQuery(`DELETE ${collectionOf(making)}`, [...selector, ...deleteQuery(chance)])
  making.steps.push({ ask, ...(body === undefined ? {} : { body }) })
}
