import { type CelType, maxCardinality } from 'kubewright/cel'
import { type SchemaNode, elementType, propertyType, typeOfNode } from 'kubewright/schema'

/** The greatest cost that one rule may be estimated at. */
export const RULE_COST_LIMIT = 10_000_000n

/** The greatest cost that all rules of a schema may be estimated at. */
export const SCHEMA_COST_LIMIT = 100_000_000n

const UNBOUNDED = 2n ** 64n - 1n

const capped = (value: bigint): bigint => (value > UNBOUNDED ? UNBOUNDED : value)

/** The costs of a schema's rules so far: their sum, and the four dearest that take more than a hundredth of the limit. */
export interface TotalCost {
  total: bigint
  dearest: readonly { readonly path: string; readonly cost: bigint }[]
}

/** Adds the cost of the rule at a path. */
export function observeCost(total: TotalCost, path: string, cost: bigint): void {
  total.total = capped(total.total + cost)
  if (cost < SCHEMA_COST_LIMIT / 100n) return
  total.dearest = [...total.dearest, { path, cost }]
    .sort((a, b) => (a.cost < b.cost ? 1 : a.cost > b.cost ? -1 : 0))
    .slice(0, 4)
}

/**
 * What is known of a place in a schema for the sake of its rules: the type of `self` there, and how often the place can occur
 * (undefined: no bound but the size of a request). `typed` says that rules stand here or above, so that types are passed down.
 */
export interface RulePlace {
  readonly node: SchemaNode
  readonly typed: boolean
  readonly type: () => CelType | undefined
  readonly cardinality: bigint | undefined
  readonly total: TotalCost
}

/** The place of a whole object. */
export function rootPlace(node: SchemaNode): RulePlace {
  return place(node, node.rules.length > 0, () => typeOfNode(node, true), 1n, {
    total: 0n,
    dearest: [],
  })
}

function place(
  node: SchemaNode,
  typed: boolean,
  make: () => CelType | undefined,
  cardinality: bigint | undefined,
  total: TotalCost,
): RulePlace {
  let made: { readonly type: CelType | undefined } | undefined
  return { node, typed, type: () => (made ??= { type: make() }).type, cardinality, total }
}

/** The place of a child. Where no type comes down from above, the child's own schema makes one. */
export function childPlace(
  parent: RulePlace | undefined,
  node: SchemaNode,
  step: { readonly property: string } | 'items' | 'values',
): RulePlace | undefined {
  if (!parent) return undefined
  const inherited = (): CelType | undefined => {
    if (!parent.typed) return undefined
    const type = parent.type()
    return typeof step === 'object' ? propertyType(type, step.property, node) : elementType(type)
  }
  const type = (): CelType | undefined => inherited() ?? typeOfNode(node, node.embedded)
  const most = maxElements(parent.node)
  const cardinality =
    parent.cardinality === undefined || most === undefined
      ? undefined
      : capped(parent.cardinality * most)
  return place(node, parent.typed || node.rules.length > 0, type, cardinality, parent.total)
}

/** How many children a place can have: the declared bound of a list or map, one for the rest. */
function maxElements(node: SchemaNode): bigint | undefined {
  const { maxItems, maxProperties } = node.source
  const bound = (it: number | undefined): bigint | undefined =>
    it === undefined ? undefined : BigInt(Math.max(0, it))
  if (node.type === 'array') return bound(maxItems)
  if (node.type === 'object' && node.additional !== undefined) return bound(maxProperties)
  return 1n
}

/** The cost of a rule at a place: what it costs once, times how often the place can occur. */
export function ruleCost(at: RulePlace, type: CelType, once: bigint): bigint {
  if (once === 0n) return 0n
  return capped(once * (at.cardinality ?? BigInt(maxCardinality(type.minSize ?? 0))))
}

/** `estimated rule cost exceeds budget by factor of 2.3x (try …)`. */
export function costMessage(what: string, cost: bigint, limit: bigint): string {
  const times = Number(cost) / Number(limit)
  const factor =
    times > 100 ? 'more than 100x' : times < 1.5 ? `${times.toFixed(6)}x` : `${times.toFixed(1)}x`
  return `${what} exceeds budget by factor of ${factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
}
