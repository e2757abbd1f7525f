import { collectionOf, fresh, type Making, pathTo } from './making.ts'

/** What no client should ask. */
export function odd(making: Making, name: string): void {
  const { chance } = making
  const [collection, object] = [collectionOf(making), pathTo(making, name)]
  const ask = chance.pick([
    `PUT ${collection}`,
    `PATCH ${collection}`,
    `POST ${object}`,
    `GET ${object}/nosuch`,
    `POST ${object}/status`,
    `DELETE ${object}/status`,
    `GET ${object}/a/b`,
    `OPTIONS ${object}`,
    `GET ${collection.replace(/[a-z]+$/, 'nosuchthings')}`,
    // Without its namespace, a collection is everybody's.
    `GET ${collection}/${making.kind.namespaced ? '' : '?labelSelector=own%3D{x}'}`,
    `HEAD ${object}`,
    `GET ${object}/scale`,
  ])
  making.steps.push({
    ask,
    ...(/^(PUT|POST|PATCH)/.test(ask) ? { body: fresh(making, name) } : {}),
  })
}
