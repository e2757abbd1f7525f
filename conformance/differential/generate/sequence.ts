import { type Chance, chance as chanceOf } from '../chance.ts'
import { KINDS } from '../kinds/all.ts'
import { apiVersionOf, type KindModel } from '../kinds/kind.ts'
import type { Sequence, Step } from '../step.ts'
import { type Edit, edited, fairEdit, hostileEdit, isTree, pathsIn, statusEdit } from './edit.ts'
import { jsonPatch, mergePatch, strategicPatch } from './patch.ts'
import { acceptOf, listQuery, type ReadContext, watchQuery } from './read.ts'

/** What has been asked so far in a sequence that is being made. */
interface Making {
  readonly chance: Chance
  readonly kind: KindModel
  readonly base: string
  readonly steps: Step[]
  /** What was last written under a name, as far as is known here. */
  readonly objects: Map<string, Record<string, unknown>>
  readonly ids: string[]
  readonly pages: string[]
}

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
    [2.5, () => remove(making, name)],
    [0.7, () => removeAll(making)],
    [3, () => get(making, name)],
    [3, () => list(making)],
    [1.5, () => watch(making)],
    [0.7, () => odd(making, name)],
  ])()
}

const collectionOf = ({ kind, base }: Making): string =>
  kind.namespaced ? `${base}/namespaces/{ns}/${kind.plural}` : `${base}/${kind.plural}`

const nameOf = ({ kind }: Making, name: string): string => (kind.namespaced ? name : `${name}-{x}`)

const pathTo = (making: Making, name: string): string =>
  `${collectionOf(making)}/${nameOf(making, name)}`

/** Another version of the same resource, now and then. */
function turnVersion(making: Making): Making {
  const base = making.chance.maybe(0.3) ? making.chance.pick(making.kind.bases) : making.base
  return { ...making, base }
}

function fresh(making: Making, name: string): Record<string, unknown> {
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

function spoiled(chance: Chance, object: Record<string, unknown>, odds: number): unknown {
  return chance.maybe(odds) ? edited(object, hostileEdit(chance, object)) : object
}

function writeQuery(chance: Chance): readonly string[] {
  return [
    ...(chance.maybe(0.1) ? [`dryRun=${chance.pick(['All', 'All', 'All', 'Some'])}`] : []),
    ...(chance.maybe(0.25)
      ? [
          `fieldValidation=${chance.pick(['Strict', 'Warn', 'Ignore', 'Strict', 'Warn', 'Ignore', 'Odd'])}`,
        ]
      : []),
    ...(chance.maybe(0.3) ? [`fieldManager=${chance.pick(['one', 'two'])}`] : []),
    ...(chance.maybe(0.02) ? ['pretty=true'] : []),
    ...(chance.maybe(0.02)
      ? [chance.pick(['force=true', 'timeout=1h', 'timeout=x', 'unknown=1'])]
      : []),
  ]
}

const withQuery = (path: string, query: readonly string[]): string =>
  query.length > 0 ? `${path}?${query.join('&')}` : path

/** Adds a step whose answer is an object, which later steps may refer to. */
function push(making: Making, step: Step): void {
  const id = `s${making.steps.length + 1}`
  const accept = making.chance.maybe(0.06) ? acceptOf(making.chance) : undefined
  making.steps.push({ id, ...(accept ? { accept } : {}), ...step })
  making.ids.push(id)
}

function create(making: Making, name: string): void {
  const { chance } = making
  let body: unknown = fresh(making, name)
  making.objects.set(name, body as Record<string, unknown>)
  body = spoiled(chance, body as Record<string, unknown>, making.steps.length === 0 ? 0.12 : 0.3)
  if (chance.maybe(0.04))
    body = edited(edited(body, { path: ['metadata', 'name'], value: undefined }), {
      path: ['metadata', 'generateName'],
      value: 'gen-',
    })
  const ask = withQuery(`POST ${collectionOf(making)}`, writeQuery(chance))
  push(making, { ask, ...bodyOf(chance, body) })
}

/** Now and then a body says something twice, or is no JSON. */
function bodyOf(chance: Chance, body: unknown): Pick<Step, 'type' | 'body'> {
  if (chance.maybe(0.93)) return { body }
  const text = JSON.stringify(body)
  return chance.weighted<() => Pick<Step, 'type' | 'body'>>([
    [2, () => ({ body: text.replace('{', '{"kind":"Twice",') })],
    [2, () => ({ body: text.replace('"metadata":{', '"metadata":{"name":"twice",') })],
    [2, () => ({ body: text.replace('"spec":{', '"spec":{"unknownOne":1,"unknownOne":2,') })],
    [1, () => ({ body: text.slice(0, -1) })],
    [1, () => ({ body: '' })],
    [1, () => ({ body: '[]' })],
    [3, () => ({ type: 'yaml', body: text })],
    [1, () => ({ type: 'yaml', body: `${text}\nmore: [` })],
    [1, () => ({ type: 'text/plain', body: text })],
    [1, () => ({ type: 'application/json; charset=utf-8', body: text })],
  ])()
}

function current(making: Making, name: string): Record<string, unknown> {
  return making.objects.get(name) ?? fresh(making, name)
}

function changed(making: Making, name: string): Record<string, unknown> {
  const { chance, kind } = making
  let object = current(making, name)
  for (let count = 1 + chance.below(2); count > 0; count--)
    object = edited(object, fairEdit(chance, kind))
  making.objects.set(name, object)
  return object
}

function update(given: Making, name: string): void {
  const making = turnVersion(given)
  const { chance, ids } = making
  let body: Record<string, unknown> = {
    ...changed(making, name),
    apiVersion: apiVersionOf(making.base),
  }
  if (chance.maybe(0.3) && ids.length > 0)
    body = edited(body, {
      path: ['metadata', 'resourceVersion'],
      value: `{rv:${chance.pick(ids)}}`,
    })
  if (chance.maybe(0.1) && ids.length > 0)
    body = edited(body, { path: ['metadata', 'uid'], value: `{uid:${chance.pick(ids)}}` })
  const ask = withQuery(`PUT ${pathTo(making, name)}`, writeQuery(chance))
  push(making, { ask, ...bodyOf(chance, spoiled(chance, body, 0.25)) })
}

function editsOf(making: Making, object: Record<string, unknown>): readonly Edit[] {
  const { chance, kind } = making
  const count = 1 + chance.below(2)
  return Array.from({ length: count }, () =>
    chance.maybe(0.25) ? hostileEdit(chance, object) : fairEdit(chance, kind),
  )
}

function patch(given: Making, name: string): void {
  const making = turnVersion(given)
  const object = current(making, name)
  const edits = editsOf(making, object)
  patchWith(making, pathTo(making, name), object, edits)
}

function patchWith(
  making: Making,
  path: string,
  object: Record<string, unknown>,
  edits: readonly Edit[],
): void {
  const { chance } = making
  const type = chance.pick(['jsonpatch', 'merge', 'strategic'])
  const body =
    type === 'jsonpatch'
      ? jsonPatch(chance, edits)
      : type === 'merge'
        ? mergePatch(object, edits)
        : strategicPatch(chance, object, edits)
  const ask = withQuery(`PATCH ${path}`, writeQuery(chance))
  push(making, {
    ask,
    type,
    body: chance.maybe(0.02) ? chance.pick<unknown>(['{', '[]', 'null', '""', 5]) : body,
  })
}

function apply(given: Making, name: string): void {
  const making = turnVersion(given)
  const { chance, kind } = making
  let body: Record<string, unknown> = { ...fresh(making, name) }
  if (chance.maybe(0.5)) body = thinned(chance, body)
  if (chance.maybe(0.3)) body = edited(body, fairEdit(chance, kind))
  applyWith(making, pathTo(making, name), spoiled(chance, body, 0.15))
}

function applyWith(making: Making, path: string, body: unknown): void {
  const { chance } = making
  const query = [
    ...(chance.maybe(0.97) ? [`fieldManager=${chance.pick(['one', 'two', 'three'])}`] : []),
    ...(chance.maybe(0.4) ? [`force=${chance.pick(['true', 'true', 'false'])}`] : []),
    ...(chance.maybe(0.06) ? ['dryRun=All'] : []),
    ...(chance.maybe(0.15) ? [`fieldValidation=${chance.pick(['Strict', 'Warn', 'Ignore'])}`] : []),
  ]
  push(making, { ask: withQuery(`PATCH ${path}`, query), type: 'apply', body })
}

/** An object with a part of it left out. */
function thinned(chance: Chance, object: Record<string, unknown>): Record<string, unknown> {
  const paths = pathsIn(object).filter((it) => it.length > 1 && it[0] !== 'metadata')
  return paths.length === 0
    ? object
    : edited(object, { path: chance.pick(paths), value: undefined })
}

function status(given: Making, name: string): void {
  const making = turnVersion(given)
  const { chance, kind } = making
  const object = current(making, name)
  const path = `${pathTo(making, name)}/status`
  const edits = [statusEdit(chance, kind), ...(chance.maybe(0.3) ? editsOf(making, object) : [])]
  const whole = edits.reduce((it, edit) => edited(it, edit), {
    ...object,
    apiVersion: apiVersionOf(making.base),
  })
  chance.weighted<() => void>([
    [3, () => push(making, { ask: withQuery(`PUT ${path}`, writeQuery(chance)), body: whole })],
    [3, () => patchWith(making, path, object, edits)],
    [
      2,
      () => {
        const { apiVersion, kind: name, metadata, status: own } = whole as Record<string, unknown>
        const { name: called } = isTree(metadata) ? metadata : {}
        const body = {
          apiVersion,
          kind: name,
          metadata: { name: called },
          ...(own ? { status: own } : {}),
        }
        applyWith(making, path, chance.maybe(0.8) ? body : whole)
      },
    ],
    [1, () => push(making, { ask: `GET ${path}` })],
  ])()
}

function scale(given: Making, name: string): void {
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

function remove(given: Making, name: string): void {
  const making = turnVersion(given)
  const { chance } = making
  const body = deleteBody(making)
  const ask = withQuery(`DELETE ${pathTo(making, name)}`, deleteQuery(chance))
  push(making, { ask, ...(body === undefined ? {} : { body }) })
  if (chance.maybe(0.7)) making.objects.delete(name)
}

const readContext = (making: Making, name: string): ReadContext => ({
  collection: collectionOf(making),
  name: nameOf(making, name),
  selectors: making.kind.selectors ?? [],
  objects: making.ids,
  pages: making.pages,
  own: making.kind.namespaced ? '' : 'own={x}',
})

function removeAll(making: Making): void {
  const { chance, kind } = making
  // Without its namespace, a collection is everybody's.
  const own = kind.namespaced ? [] : ['labelSelector=own%3D{x}']
  const selector = kind.namespaced && chance.maybe(0.4) ? ['labelSelector=tier%3Da'] : own
  const body = deleteBody(making)
  const ask = withQuery(`DELETE ${collectionOf(making)}`, [...selector, ...deleteQuery(chance)])
  making.steps.push({ ask, ...(body === undefined ? {} : { body }) })
}

function get(given: Making, name: string): void {
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

function list(given: Making): void {
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

function watch(given: Making): void {
  const making = turnVersion(given)
  const accept = making.chance.maybe(0.7) ? undefined : acceptOf(making.chance)
  const query = watchQuery(making.chance, readContext(making, 'a'))
  making.steps.push({
    ask: `WATCH ${collectionOf(making)}?${query}`,
    ...(accept ? { accept } : {}),
  })
}

/** What no client should ask. */
function odd(making: Making, name: string): void {
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
