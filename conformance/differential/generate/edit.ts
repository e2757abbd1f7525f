import type { Chance } from '../chance.ts'
import type { KindModel } from '../kinds/kind.ts'

/** One change of an object: the value at a path is set, or taken away. */
export interface Edit {
  readonly path: readonly (string | number)[]
  /** Undefined takes the field away. */
  readonly value: unknown
}

type Tree = Record<string, unknown>

/** A path as kinds write it: dots part the steps, but for those behind a backslash. */
export const pathOf = (text: string): readonly (string | number)[] =>
  text
    .split(/(?<!\\)\./)
    .map((it) => it.replaceAll('\\.', '.'))
    .map((it) => (/^\d+$/.test(it) ? Number(it) : it))

/** A copy of a value with an edit; what is missing on the way is made. */
export function edited<T>(value: T, { path, value: next }: Edit): T {
  const [step, ...rest] = path
  if (step === undefined) return next as T
  if (typeof step === 'number') {
    const items = Array.isArray(value) ? [...(value as readonly unknown[])] : []
    if (rest.length === 0 && next === undefined) items.splice(step, 1)
    else items[Math.min(step, items.length)] = edited(items[step], { path: rest, value: next })
    return items as T
  }
  const before: Tree = isTree(value) ? value : {}
  if (rest.length === 0 && next === undefined) {
    const { [step]: _, ...others } = before
    return others as T
  }
  return { ...before, [step]: edited(before[step], { path: rest, value: next }) } as T
}

/** Whether a value is an object, not a list. */
export const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const META_FIELDS: readonly (readonly [string, ...unknown[]])[] = [
  ['metadata.labels.tier', 'a', 'b', undefined],
  ['metadata.labels', { tier: 'a', app: 'x' }, undefined],
  ['metadata.annotations.note', 'one', 'two', undefined],
  ['metadata.annotations', { note: 'three' }, undefined],
  ['metadata.finalizers', ['example.com/hold'], undefined],
  [
    'metadata.ownerReferences',
    [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: 'owner',
        uid: '11111111-1111-4111-8111-111111111111',
      },
    ],
    undefined,
  ],
]

/** A change to something that the field may well be. */
export function fairEdit(chance: Chance, kind: KindModel): Edit {
  const fields = chance.maybe(0.2) || kind.fields.length === 0 ? META_FIELDS : kind.fields
  const [path, ...values] = chance.pick(fields)
  return { path: pathOf(path), value: chance.pick(values) }
}

/** A change of status. */
export function statusEdit(chance: Chance, kind: KindModel): Edit {
  const [path, ...values] = chance.pick(kind.status ?? [['status.phase', 'Odd']])
  return { path: pathOf(path), value: chance.pick(values) }
}

const HOSTILE: readonly unknown[] = [
  null,
  '',
  'UPPER_case!',
  'x'.repeat(70),
  -1,
  0,
  1.5,
  2 ** 31,
  true,
  false,
  [],
  {},
  [null],
  'a b',
  ' ',
  '1',
  'NaN',
  '10Gi',
]

const HOSTILE_META: readonly (readonly [string, ...unknown[]])[] = [
  ['metadata.labels.bad key', 'a'],
  ['metadata.labels.tier', 'not a label!', 5, null],
  ['metadata.annotations.bad/key/two', 'a'],
  ['metadata.finalizers', ['nodomain'], [''], 'text'],
  ['metadata.name', 'Bad_Name', '', 5],
  ['metadata.namespace', 'elsewhere'],
  ['metadata.resourceVersion', '1', 'x'],
  ['metadata.uid', '22222222-2222-4222-8222-222222222222'],
  ['metadata.generation', 99],
  ['metadata.creationTimestamp', '2020-01-01T00:00:00Z', 'yesterday', null],
  ['metadata.deletionTimestamp', '2020-01-01T00:00:00Z'],
  ['metadata.deletionGracePeriodSeconds', 5],
  ['metadata.managedFields', [], [{ manager: 'm', operation: 'Update' }], [{}]],
  ['metadata.ownerReferences', [{ apiVersion: 'v1', kind: 'ConfigMap', name: '', uid: '' }]],
  ['metadata.generateName', 'gen-'],
  ['metadata.selfLink', '/x'],
  ['metadata', null, 'text'],
  ['metadata.unknown', 1],
  ['unknownTop', { a: 1 }],
  ['apiVersion', 'v9', '', 5],
  ['kind', 'Other', ''],
]

/** A change that a careful client would not make, somewhere in an object. */
export function hostileEdit(chance: Chance, object: unknown): Edit {
  if (chance.maybe(0.25)) {
    const [path, ...values] = chance.pick(HOSTILE_META)
    return { path: pathOf(path), value: chance.pick(values) }
  }
  const path = chance.pick(pathsIn(object).filter((it) => it.length > 0 && it[0] !== 'metadata'))
  return chance.weighted<() => Edit>([
    [3, () => ({ path, value: chance.pick(HOSTILE) })],
    [2, () => ({ path, value: undefined })],
    [1, () => ({ path: [...path.slice(0, -1), 'unknownField'], value: 1 })],
    [1, () => ({ path, value: doubled(at(object, path)) })],
  ])()
}

const doubled = (value: unknown): unknown =>
  Array.isArray(value) ? [...(value as unknown[]), ...(value as unknown[])] : [value, value]

/** The value at a path; undefined where there is none. */
export const at = (value: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((it, step) => (it as Tree | undefined)?.[step], value)

/** Every path in a value, its own first. */
export function pathsIn(
  value: unknown,
  path: readonly (string | number)[] = [],
): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  const steps = Array.isArray(value) ? value.keys() : Object.keys(value)
  return [path, ...[...steps].flatMap((it) => pathsIn((value as Tree)[it], [...path, it]))]
}
