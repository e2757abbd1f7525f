import type { FieldEntry, FieldSet } from './field-set.ts'
import { keepEntries, sameOrNew } from './field-set.ts'
import type { PathElement } from './path-element.ts'
import type { FieldType } from './type.ts'
import { memberType } from './type.ts'

/**
 * Adapts a set that was written under an older schema: where a list or map has become atomic, paths into it
 * become the path of it. The set itself when nothing changes.
 */
export function reconcileFieldSet(set: FieldSet, type: FieldType): FieldSet {
  const inner = innerTypes(type)
  if (!inner) return set
  return keepEntries(set, (entry) => reconcileEntry(entry, inner(entry.element)))
}

function reconcileEntry(entry: FieldEntry, type: FieldType | undefined): FieldEntry {
  if (!type || !entry.children) return entry
  if (isAtomic(type)) return sameOrNew(entry, true, undefined)
  return sameOrNew(entry, entry.isMember, reconcileFieldSet(entry.children, type))
}

/** A type that takes several kinds of value counts as a map, then as a scalar. */
function isAtomic({ map, scalar, list }: FieldType): boolean {
  if (map) return !map.isDeduced && map.isAtomic
  return scalar === undefined && list?.relationship === 'atomic'
}

function innerTypes({
  map,
  scalar,
  list,
}: FieldType): ((element: PathElement) => FieldType | undefined) | undefined {
  if (map)
    return map.isDeduced
      ? undefined
      : (element) => (element.kind === 'field' ? memberType(map, element.name) : map.element?.())
  return scalar || !list ? undefined : () => list.element()
}
