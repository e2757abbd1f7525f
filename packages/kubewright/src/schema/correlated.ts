import { canonicalJson, equalJson, isList, isObject } from './json.ts'
import type { SchemaNode } from './schema-node.ts'

/**
 * A value of a new object together with the one of the old object that stands for the same thing: the same field, or the item of a
 * list-map with the same keys. What has no such partner is not correlated (apiserver/pkg/cel/common CorrelatedObject, KEP-4008).
 * Lives for one validation; remembers its comparisons.
 */
export class Correlated {
  readonly #node: SchemaNode
  readonly value: unknown
  readonly old: unknown
  #unchanged: boolean | undefined
  #children: Map<string | number, Correlated> | undefined
  #oldItems: ReadonlyMap<string, unknown> | undefined

  constructor(node: SchemaNode, value: unknown, old: unknown) {
    this.#node = node
    this.value = value
    this.old = old
  }

  /**
   * Whether old and new are equal; items of a list-map are, wherever they stand. An object with a field that its schema does not
   * know never is: such a field has no partner.
   */
  unchanged(): boolean {
    return (this.#unchanged ??= this.#compare())
  }

  /** The field of that name, where both objects have it and the schema knows it. */
  key(name: string): Correlated | undefined {
    const { value, old } = this
    if (!isObject(value) || !isObject(old)) return undefined
    if (!Object.hasOwn(value, name) || !Object.hasOwn(old, name)) return undefined
    const known = this.#node.properties.get(name) ?? this.#node.additional
    return typeof known === 'object' ? this.#child(name, known, value[name], old[name]) : undefined
  }

  /** The item at that index of the new list, where the list is a list-map and the old one has an item of the same keys. */
  index(i: number): Correlated | undefined {
    const { value, old } = this
    const { items } = this.#node
    if (!items || !isList(value) || !isList(old) || !this.#isMap()) return undefined
    const partner = this.#itemsOf(old).get(this.#keyOf(value[i]) ?? '')
    return partner === undefined ? undefined : this.#child(i, items, value[i], partner)
  }

  #child(at: string | number, node: SchemaNode, value: unknown, old: unknown): Correlated {
    this.#children ??= new Map()
    const known = this.#children.get(at)
    if (known) return known
    const made = new Correlated(node, value, old)
    this.#children.set(at, made)
    return made
  }

  #isMap(): boolean {
    return this.#node.source['x-kubernetes-list-type'] === 'map'
  }

  #itemsOf(old: readonly unknown[]): ReadonlyMap<string, unknown> {
    this.#oldItems ??= itemsByKey(this.#node, old)
    return this.#oldItems
  }

  #keyOf(item: unknown): string | undefined {
    return itemKey(this.#node, item)
  }

  #compare(): boolean {
    const { value, old } = this
    if (isList(value) && isList(old)) return this.#compareLists(value, old)
    if (!isObject(value) || !isObject(old)) return equalJson(value, old)
    const names = Object.keys(value)
    if (names.length !== Object.keys(old).length) return false
    return names.every((it) => this.key(it)?.unchanged() === true)
  }

  #compareLists(value: readonly unknown[], old: readonly unknown[]): boolean {
    if (value.length !== old.length) return false
    if (!this.#isMap()) return equalJson(value, old)
    return value.every((_, i) => this.index(i)?.unchanged() === true)
  }
}

/** The key of an item of a list-map, as text; undefined where the item is no object, or a key is absent or no scalar. */
export function itemKey(node: SchemaNode, item: unknown): string | undefined {
  const keys = node.source['x-kubernetes-list-map-keys'] ?? []
  if (!isObject(item) || keys.length === 0) return undefined
  const values = keys.map((it) => item[it])
  const scalars = values.every((it) => it !== undefined && it !== null && typeof it !== 'object')
  return scalars ? canonicalJson(values) : undefined
}

/** The items of a list-map by their keys; of two with the same keys, the first. */
export function itemsByKey(
  node: SchemaNode,
  items: readonly unknown[],
): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>()
  for (const item of items) {
    const key = itemKey(node, item)
    if (key !== undefined && !found.has(key)) found.set(key, item)
  }
  return found
}

/** For each item of a list-map, the one of the old list that has its keys. */
export function partnersOf(
  node: SchemaNode,
  items: readonly unknown[],
  old: readonly unknown[],
): readonly unknown[] {
  const byKey = itemsByKey(node, old)
  return items.map((it) => byKey.get(itemKey(node, it) ?? ''))
}
