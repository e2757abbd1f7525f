import { parseQuantity, quantitiesEqual, quantityProblem } from 'kubewright/machinery'

/** Fields that hold quantities by name. */
const AMOUNTS: ReadonlySet<string> = new Set([
  'allocatable',
  'allocatedResources',
  'capacity',
  'default',
  'defaultRequest',
  'hard',
  'limits',
  'max',
  'maxLimitRequestRatio',
  'min',
  'overhead',
  'requests',
  'used',
])

/** Whether a field holds equal quantities: Go compares them by value, however they are written (`1Gi`, `1073741824`). */
export function sameAmounts(field: string, a: unknown, b: unknown): boolean {
  if (!AMOUNTS.has(field) || !isTree(a) || !isTree(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((it) => Object.hasOwn(b, it) && sameAmount(a[it], b[it]))
  )
}

const isTree = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const sameAmount = (a: unknown, b: unknown): boolean =>
  a === b || (isAmount(a) && isAmount(b) && quantitiesEqual(parseQuantity(a), parseQuantity(b)))

const isAmount = (value: unknown): value is string =>
  typeof value === 'string' && quantityProblem(value) === undefined
