import type { JsonValue } from './json.ts'
import { isJsonObject, member } from './json.ts'
import { directive, mergeKeyOf, objectItem } from './strategic-directives.ts'

type List = readonly JsonValue[]

/** What identifies an item: the merge key's value for objects, the item itself for scalars (empty merge key). */
export function identity(item: JsonValue, mergeKey: string): JsonValue | undefined {
  if (mergeKey === '') return item
  return isJsonObject(item) ? member(item, mergeKey) : undefined
}

/** Splits `list` into the items that `by` also has and the others. */
export function partition(list: List, by: List, mergeKey: string): [JsonValue[], JsonValue[]] {
  const named = new Set(by.map((item) => identity(item, mergeKey)))
  const present: JsonValue[] = []
  const absent: JsonValue[] = []
  for (const item of list) {
    const id = mergeKey === '' ? item : mergeKeyOf(item, mergeKey)
    ;(named.has(id) ? present : absent).push(item)
  }
  return [present, absent]
}

/**
 * Merges the items a patch speaks of with those only the server has: the former ordered by `patchOrder`, the
 * latter by `serverOrder`, interleaved so that items of both that the server had before keep the server's order.
 */
export function mergeOrdered(
  patchItems: List,
  serverItems: List,
  patchOrder: List,
  serverOrder: List,
  mergeKey: string,
): JsonValue[] {
  const right = sortByOrder(patchItems, patchOrder, mergeKey)
  const left = sortByOrder(serverItems, serverOrder, mergeKey)
  const rank = ranks(serverOrder, mergeKey)
  const rankOf = (item: JsonValue): number | undefined => rank.get(identity(item, mergeKey))
  const out: JsonValue[] = []
  let i = 0
  for (const item of right) {
    const limit = rankOf(item)
    while (i < left.length && isBefore(rankOf(left[i] as JsonValue), limit))
      out.push(left[i++] as JsonValue)
    out.push(item)
  }
  return out.concat(left.slice(i))
}

function isBefore(left: number | undefined, right: number | undefined): boolean {
  return left !== undefined && right !== undefined && left < right
}

function ranks(order: List, mergeKey: string): Map<JsonValue | undefined, number> {
  const out = new Map<JsonValue | undefined, number>()
  order.forEach((item, i) => {
    const id = identity(item, mergeKey)
    if (!out.has(id)) out.set(id, i)
  })
  return out
}

/**
 * Sorts a list by the order of another; items that carry `$patch: delete` go last.
 * Every item and every entry of the order must have the merge key.
 */
export function sortByOrder(list: List, order: List, mergeKey: string): JsonValue[] {
  if (mergeKey === '') return sortRanked(list, order, mergeKey)
  for (const item of list) mergeKeyOf(item, mergeKey)
  for (const item of order) mergeKeyOf(item, mergeKey)
  const [kept, deleted] = splitDeletions(list)
  return sortRanked(kept, order, mergeKey).concat(deleted)
}

/** Splits off the items that carry `$patch: delete`. */
export function splitDeletions(list: List): [JsonValue[], JsonValue[]] {
  const isDeletion = (item: JsonValue): boolean =>
    member(objectItem(item), directive.marker) === 'delete'
  return [list.filter((item) => !isDeletion(item)), list.filter(isDeletion)]
}

function sortRanked(list: List, order: List, mergeKey: string): JsonValue[] {
  const rank = ranks(order, mergeKey)
  const items = list.map((item) => ({ item, rank: rank.get(identity(item, mergeKey)) }))
  if (items.every((entry) => entry.rank !== undefined))
    return items.sort((a, b) => (a.rank as number) - (b.rank as number)).map(({ item }) => item)
  return insertUnranked(items)
}

interface Ranked {
  readonly item: JsonValue
  readonly rank: number | undefined
}

/** Kubernetes compares an unranked item as smaller than anything; this is where its insertion sort puts it. */
function insertUnranked(items: readonly Ranked[]): JsonValue[] {
  const out: Ranked[] = []
  for (const entry of items) {
    let at = out.length
    while (at > 0 && comesFirst(entry, out[at - 1] as Ranked)) at--
    out.splice(at, 0, entry)
  }
  return out.map(({ item }) => item)
}

function comesFirst(a: Ranked, b: Ranked): boolean {
  return a.rank === undefined || b.rank === undefined || a.rank < b.rank
}
