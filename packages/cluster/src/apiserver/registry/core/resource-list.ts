import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityProblem,
  quantitySign,
  roundUpQuantity,
  type Quantity,
} from 'kubewright/machinery'
import { objectAt, type Fields, type Readable } from '../fields.ts'

/** Amounts by resource name, as they are written. */
export type ResourceList = Readonly<Record<string, string | number>>

/** The list in `name`; empty when absent. */
export const resourcesAt = (at: Readable | undefined, name: string): ResourceList =>
  (objectAt(at, name) as ResourceList | undefined) ?? {}

const MILLI = -3

/**
 * Writes each amount of a list in Kubernetes' form, rounded up to thousandths (SetDefaults_ResourceList). An amount that cannot be
 * read stays, for validation to name.
 */
export function canonicalResources(at: Fields | undefined, name: string): void {
  const list = objectAt(at, name)
  for (const resource in list) {
    const written = list[resource] as string | number
    if (isCanonicalText(written)) continue
    if (quantityProblem(written) !== undefined) continue
    list[resource] = formatQuantity(roundUpQuantity(parseQuantity(written), MILLI))
  }
}

/** Most amounts are written so that nothing needs to be computed. */
const isCanonicalText = (written: string | number): boolean =>
  typeof written === 'string' && /^[1-9][0-9]{0,2}(m|k|M|G|Ki|Mi|Gi)?$/.test(written)

/** Writes one amount in Kubernetes' form. */
export function canonicalAmount(at: Fields | undefined, name: string): void {
  const written = at?.[name] as string | number | undefined | null
  if (at === undefined || written === undefined || written === null) return
  if (isCanonicalText(written) || quantityProblem(written) !== undefined) return
  at[name] = formatQuantity(parseQuantity(written))
}

/** Copies into `to` what `from` has and `to` lacks. */
export function fillResources(to: Fields, from: ResourceList): void {
  for (const resource in from) {
    if (to[resource] === undefined) to[resource] = from[resource]
  }
}

/** The sum of two lists. */
export function addResources(a: ResourceList, b: ResourceList): ResourceList {
  const sum: Record<string, string | number> = { ...a }
  for (const resource in b) {
    const right = b[resource]!
    const left = sum[resource]
    sum[resource] =
      left === undefined
        ? right
        : formatQuantity(addQuantities(parseQuantity(left), parseQuantity(right)))
  }
  return sum
}

/** The larger amount of each resource. */
export function maxResources(a: ResourceList, b: ResourceList): ResourceList {
  const most: Record<string, string | number> = { ...a }
  for (const resource in b) {
    const right = b[resource]!
    const left = most[resource]
    if (left === undefined || compareQuantities(parseQuantity(right), parseQuantity(left)) > 0) {
      most[resource] = right
    }
  }
  return most
}

/** An amount as a {@link Quantity}, or undefined when it is absent or cannot be read. */
export function amountOf(written: string | number | undefined): Quantity | undefined {
  if (written === undefined || quantityProblem(written) !== undefined) return undefined
  return parseQuantity(written)
}

/** Whether an amount is above zero. */
export const isPositive = (written: string | number | undefined): boolean => {
  const amount = amountOf(written)
  return amount !== undefined && quantitySign(amount) > 0
}

/** Whether an amount has thousandths: nobody has half a byte. */
export const isFractional = (amount: Quantity): boolean => quantityMilliValue(amount) % 1000n !== 0n
