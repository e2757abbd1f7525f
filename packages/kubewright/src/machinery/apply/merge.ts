import type { JsonObject, JsonValue } from '../patch/json.ts'
import { jsonEqual, member, setMember } from '../patch/json.ts'
import { itemElement } from './list-element.ts'
import type { PathElement } from './path-element.ts'
import type { FieldType, ListType, MapType } from './type.ts'
import { asList, asObject, memberType, narrow, untypedAtomic } from './type.ts'

/**
 * Merges an applied configuration into a value of the same type: nothing is removed, and where both speak of a
 * leaf the configuration wins. Lists that change take the configuration's order. Both must fit the type, and the
 * configuration may not repeat items. Parts that do not change are the ones of `live`, and so is the result
 * when nothing changes.
 */
export function mergeValues(type: FieldType, live: JsonValue, applied: JsonValue): JsonValue {
  return merge(type, live, applied) ?? null
}

/** A value of one side; undefined when that side has nothing there. */
type Side = JsonValue | undefined

function merge(type: FieldType, live: Side, applied: Side): Side {
  if (applied === undefined || live === applied) return live
  if (live === undefined) return applied
  const narrowed = narrow(type, applied)
  if (narrowed.map) return mergeMaps(narrowed.map, live, applied)
  if (narrowed.scalar || !narrowed.list) return mergeLeaf(live, applied)
  return mergeLists(narrowed.list, live, applied)
}

function mergeLeaf(live: JsonValue, applied: JsonValue): JsonValue {
  return jsonEqual(live, applied) ? live : applied
}

function mergeMaps(type: MapType, live: JsonValue, applied: JsonValue): JsonValue {
  const left = asObject(live)
  const right = asObject(applied)
  // Two empty sides are merged as wholes, so that null and {} stay apart.
  if (type.isAtomic || (isBare(left) && isBare(right))) return mergeLeaf(live, applied)
  if (!left || !right) return right ?? live
  return mergeMembers(type, left, right)
}

function isBare(value: object | undefined): boolean {
  return !value || Object.keys(value).length === 0
}

function mergeMembers(type: MapType, live: JsonObject, applied: JsonObject): JsonObject {
  let out: Record<string, JsonValue> | undefined
  for (const key of Object.keys(applied)) {
    const before = member(live, key)
    const after = merge(memberType(type, key) ?? untypedAtomic, before, applied[key])
    if (after === before || after === undefined) continue
    out ??= { ...live }
    setMember(out, key, after)
  }
  return out ?? live
}

function mergeLists(type: ListType, live: JsonValue, applied: JsonValue): JsonValue {
  const left = asList(live)
  const right = asList(applied)
  const areEmpty = (left?.length ?? 0) === 0 && (right?.length ?? 0) === 0
  if (type.relationship === 'atomic' || areEmpty) return mergeLeaf(live, applied)
  if (!left || !right) return right ?? live
  const merged = new ListMerge(type, left, right).run()
  const isSame = merged.length === left.length && merged.every((item, i) => item === left[i])
  return isSame ? left : merged
}

interface Item {
  readonly element: PathElement
  readonly value: JsonValue
}

/**
 * Merges two associative lists. Items that both have stand in the applied order; items that only one has keep
 * their place relative to those around them.
 */
class ListMerge {
  readonly #type: ListType
  readonly #live: readonly Item[]
  readonly #applied: readonly Item[]
  readonly #liveById: ReadonlyMap<string, JsonValue>
  readonly #appliedIds: ReadonlySet<string>
  /** Ids of the items that both have, in applied order; those before `#nextShared` are done. */
  readonly #shared: readonly string[]
  #nextShared = 0
  readonly #merged = new Set<string>()
  readonly #out: JsonValue[] = []

  constructor(type: ListType, live: readonly JsonValue[], applied: readonly JsonValue[]) {
    this.#type = type
    this.#live = itemsOf(type, live)
    this.#applied = itemsOf(type, applied)
    this.#liveById = indexItems(this.#live)
    this.#appliedIds = new Set(this.#applied.map(({ element }) => element.id))
    this.#shared = this.#applied
      .map(({ element }) => element.id)
      .filter((id) => this.#liveById.has(id))
  }

  run(): readonly JsonValue[] {
    let l = 0
    let a = 0
    while (l < this.#live.length || a < this.#applied.length) {
      const left = this.#live[l]
      const right = this.#applied[a]
      if (left && right && left.element.id === right.element.id) {
        this.#mergeItem(right)
        this.#nextShared++
        l++
        a++
      } else if (left && right && this.#mustWait(left)) l++
      else if (left && !this.#appliedIds.has(left.element.id)) {
        this.#out.push(left.value)
        l++
      } else {
        if (left && this.#merged.has(left.element.id)) l++
        if (right) {
          this.#mergeItem(right)
          if (this.#shared[this.#nextShared] === right.element.id) this.#nextShared++
          a++
        }
      }
    }
    return this.#out
  }

  /** A shared item that is not the next one in the applied order is taken when its turn comes. */
  #mustWait({ element }: Item): boolean {
    const next = this.#shared[this.#nextShared]
    return this.#appliedIds.has(element.id) && next !== undefined && next !== element.id
  }

  #mergeItem({ element, value }: Item): void {
    this.#merged.add(element.id)
    const merged = merge(this.#type.element(), this.#liveById.get(element.id), value)
    if (merged !== undefined) this.#out.push(merged)
  }
}

function itemsOf(type: ListType, values: readonly JsonValue[]): Item[] {
  return values.flatMap((value) => {
    const element = itemElement(type, value)
    return typeof element === 'string' ? [] : [{ element, value }]
  })
}

/** Items by id. What is repeated counts as null: a configuration that names it replaces it. */
function indexItems(items: readonly Item[]): Map<string, JsonValue> {
  const out = new Map<string, JsonValue>()
  for (const { element, value } of items) out.set(element.id, out.has(element.id) ? null : value)
  return out
}
