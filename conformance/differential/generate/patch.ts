import type { Chance } from '../chance.ts'
import { at, type Edit, edited, isTree } from './edit.ts'

type Path = Edit['path']

/** A JSON patch that makes an edit, or tries to. */
export function jsonPatch(chance: Chance, edits: readonly Edit[]): unknown {
  const operations = edits.map(({ path, value }) => {
    const pointer = pointerOf(path)
    if (value === undefined) return { op: 'remove', path: pointer }
    return { op: chance.pick(['add', 'replace', 'add']), path: pointer, value }
  })
  if (chance.maybe(0.15))
    operations.unshift({ op: 'test', path: '/kind', value: chance.pick(['X', 'ConfigMap']) })
  if (chance.maybe(0.1)) operations.push(chance.pick(ODD_OPERATIONS) as never)
  return operations
}

const ODD_OPERATIONS: readonly object[] = [
  { op: 'copy', from: '/metadata/name', path: '/metadata/labels' },
  { op: 'move', from: '/metadata/labels', path: '/metadata/annotations' },
  { op: 'frob', path: '/a' },
  { op: 'remove', path: '/no/such' },
  { op: 'add', path: 'noslash', value: 1 },
  { op: 'add', path: '/metadata/finalizers/-', value: 'example.com/more' },
  { op: 'replace', path: '', value: {} },
  { path: '/a' },
]

const pointerOf = (path: Path): string =>
  path.map((it) => `/${String(it).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** A merge patch that makes edits to an object: lists are replaced whole. */
export function mergePatch(object: unknown, edits: readonly Edit[]): unknown {
  return edits.reduce<unknown>((patch, edit) => {
    const list = edit.path.findIndex((it) => typeof it === 'number')
    if (list < 0) return edited(patch, { path: edit.path, value: edit.value ?? null })
    const path = edit.path.slice(0, list)
    return edited(patch, { path, value: at(edited(object, edit), path) ?? null })
  }, {})
}

const MERGE_KEYS: readonly string[] = [
  'name',
  'containerPort',
  'port',
  'ip',
  'type',
  'key',
  'uid',
  'mountPath',
]

/** A strategic merge patch that makes edits: items of lists are named by a key that they have, and now and then a directive. */
export function strategicPatch(chance: Chance, object: unknown, edits: readonly Edit[]): unknown {
  let patch: unknown = {}
  for (const { path, value } of edits) patch = merged(patch, nested(object, path, value ?? null))
  if (chance.maybe(0.25)) patch = chance.pick(DIRECTIVES)(patch)
  return patch
}

const DIRECTIVES: readonly ((patch: unknown) => unknown)[] = [
  (patch) => merged(patch, { metadata: { labels: { $patch: 'replace', only: 'this' } } }),
  (patch) => merged(patch, { metadata: { labels: { $patch: 'delete' } } }),
  (patch) =>
    merged(patch, { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/hold'] } }),
  (patch) =>
    merged(patch, {
      spec: { template: { spec: { containers: [{ name: 'main', $patch: 'delete' }] } } },
    }),
  (patch) =>
    merged(patch, {
      spec: {
        template: { spec: { containers: [{ $patch: 'replace' }, { name: 'new', image: 'n' }] } },
      },
    }),
  (patch) => merged(patch, { spec: { '$setElementOrder/ports': [{ port: 80 }] } }),
  (patch) => merged(patch, { spec: { $retainKeys: ['replicas'], replicas: 1 } }),
  (patch) => merged(patch, { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }),
  (patch) => merged(patch, { $patch: 'frobnicate' }),
  (patch) => merged(patch, { data: { $patch: 'replace', z: '9' } }),
]

function nested(object: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value
  if (typeof step === 'string')
    return { [step]: nested((isTree(object) ? object : {})[step], rest, value) }
  const item = Array.isArray(object) ? (object as unknown[])[step] : undefined
  const own = nested(item, rest, value)
  const key = isTree(item) ? MERGE_KEYS.find((it) => it in item) : undefined
  return [key && isTree(own) && isTree(item) ? { [key]: item[key], ...own } : own]
}

function merged(a: unknown, b: unknown): unknown {
  if (!isTree(a) || !isTree(b)) return b
  const result: Record<string, unknown> = { ...a }
  for (const [key, value] of Object.entries(b))
    result[key] = key in result ? merged(result[key], value) : value
  return result
}
