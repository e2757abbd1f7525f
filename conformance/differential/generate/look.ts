import {
  collectionOf,
  type Making,
  nameOf,
  pathTo,
  push,
  turnVersion,
  withQuery,
} from './making.ts'
import { acceptOf, listQuery, type ReadContext, watchQuery } from './read.ts'

const readContext = (making: Making, name: string): ReadContext => ({
  collection: collectionOf(making),
  name: nameOf(making, name),
  selectors: making.kind.selectors ?? [],
  objects: making.ids,
  pages: making.pages,
  own: making.kind.namespaced ? '' : 'own={x}',
})

/** A GET of an object. */
export function get(given: Making, name: string): void {
  const making = turnVersion(given)
  const { chance, ids } = making
  const query = [
    ...(chance.maybe(0.15) ? ['resourceVersion=0'] : []),
    ...(chance.maybe(0.1) && ids.length > 0 ? [`resourceVersion={rv:${chance.pick(ids)}}`] : []),
    ...(chance.maybe(0.1) ? [`includeObject=${chance.pick(['Object', 'None', 'Bad'])}`] : []),
    ...(chance.maybe(0.05) ? ['pretty=true'] : []),
  ]
  const accept = acceptOf(chance)
  const ask = withQuery(`GET ${pathTo(making, chance.maybe(0.9) ? name : 'missing')}`, query)
  push(making, { ask, ...(accept ? { accept } : {}) })
}

/** A list. */
export function list(given: Making): void {
  const making = turnVersion(given)
  const id = `s${making.steps.length + 1}`
  const accept = acceptOf(making.chance)
  const query = listQuery(making.chance, readContext(making, 'a'))
  making.steps.push({
    id,
    ask: withQuery(`GET ${collectionOf(making)}`, query === '' ? [] : [query]),
    ...(accept ? { accept } : {}),
  })
  if (query.includes('limit=')) making.pages.push(id)
}

/** A watch, whose events are compared. */
export function watch(given: Making): void {
  const making = turnVersion(given)
  const accept = making.chance.maybe(0.7) ? undefined : acceptOf(making.chance)
  const query = watchQuery(making.chance, readContext(making, 'a'))
  making.steps.push({
    ask: `WATCH ${collectionOf(making)}?${query}`,
    ...(accept ? { accept } : {}),
  })
}
