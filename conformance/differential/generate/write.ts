import type { Chance } from '../chance.ts'
import { apiVersionOf } from '../kinds/kind.ts'
import type { Step } from '../step.ts'
import { type Edit, edited, fairEdit, isTree, pathsIn, statusEdit } from './edit.ts'
import {
  changed,
  collectionOf,
  current,
  editsOf,
  fresh,
  type Making,
  pathTo,
  push,
  spoiled,
  turnVersion,
  withQuery,
} from './making.ts'
import { jsonPatch, mergePatch, strategicPatch } from './patch.ts'

/** The query of a write. */
export function writeQuery(chance: Chance): readonly string[] {
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

/** A POST. */
export function create(making: Making, name: string): void {
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

/** A PUT. */
export function update(given: Making, name: string): void {
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

/** A patch that is not an apply. */
export function patch(given: Making, name: string): void {
  const making = turnVersion(given)
  const object = current(making, name)
  const edits = editsOf(making, object)
  patchWith(making, pathTo(making, name), object, edits)
}

/** The same of a view of the object, with the changes that it makes. */
export function patchWith(
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

/** A server-side apply of one of three managers. */
export function apply(given: Making, name: string): void {
  const making = turnVersion(given)
  const { chance, kind } = making
  let body: Record<string, unknown> = { ...fresh(making, name) }
  if (chance.maybe(0.5)) body = thinned(chance, body)
  if (chance.maybe(0.3)) body = edited(body, fairEdit(chance, kind))
  applyWith(making, pathTo(making, name), spoiled(chance, body, 0.15))
}

/** The same at another path. */
export function applyWith(making: Making, path: string, body: unknown): void {
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

/** A write or a read of the status. */
export function status(given: Making, name: string): void {
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
