import { type CelType, celTypeOfSchema, escapeIdentifier } from '../cel/index.ts'
import type { SchemaNode } from './schema-node.ts'

/** The type of a whole value as its own rules see it; undefined where rules cannot see such values. */
export function typeOfNode(node: SchemaNode, isResourceRoot: boolean): CelType | undefined {
  return celTypeOfSchema(node.source, { isResourceRoot })
}

/** The type of a list's items or a map's values, taken from the type of the list or map. */
export function elementType(type: CelType | undefined): CelType | undefined {
  if (type?.kind === 'list') return type.element
  return type?.kind === 'map' ? type.value : undefined
}

/** The type of a property; one whose name has no identifier has a type of its own. */
export function propertyType(
  type: CelType | undefined,
  name: string,
  property: SchemaNode,
): CelType | undefined {
  const identifier = escapeIdentifier(name)
  if (identifier === undefined) return typeOfNode(property, property.embedded)
  return type?.kind === 'object' ? type.fields.get(identifier)?.type : undefined
}
