import { type Making, nameOf, pathTo, push, turnVersion, withQuery } from './making.ts'
import { applyWith, patchWith, writeQuery } from './write.ts'

/** A read or a write of the scale. */
export function scale(given: Making, name: string): void {
  const making = turnVersion(given)
  const { chance, ids } = making
  const path = `${pathTo(making, name)}/scale`
  const replicas = chance.pick<unknown>([0, 1, 2, 5, -1, '3', undefined])
  const body = {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: {
      name: nameOf(making, name),
      ...(chance.maybe(0.2) && ids.length > 0
        ? { resourceVersion: `{rv:${chance.pick(ids)}}` }
        : {}),
    },
    spec: replicas === undefined ? {} : { replicas },
  }
  chance.weighted<() => void>([
    [2, () => push(making, { ask: `GET ${path}` })],
    [3, () => push(making, { ask: withQuery(`PUT ${path}`, writeQuery(chance)), body })],
    [2, () => patchWith(making, path, body, [{ path: ['spec', 'replicas'], value: replicas }])],
    [3, () => applyWith(making, path, body)],
  ])()
}
