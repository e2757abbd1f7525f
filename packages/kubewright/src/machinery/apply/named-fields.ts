import type { FieldSet } from './field-set.ts'
import { keepEntries, sameOrNew } from './field-set.ts'
import type { FieldType } from './type.ts'
import { childType } from './type.ts'

/**
 * The set with every declared member that has paths below it added as a path of its own: owning `.spec.replicas`
 * then also means owning `.spec`. Members of free maps and list items are not added.
 */
export function withNamedFields(set: FieldSet, type: FieldType | undefined): FieldSet {
  return keepEntries(set, (entry) => {
    if (!entry.children) return entry
    const { element } = entry
    const isNamed = element.kind === 'field' && type?.map?.fields.has(element.name) === true
    const children = withNamedFields(entry.children, childType(type, element))
    return sameOrNew(entry, entry.isMember || isNamed, children)
  })
}
