import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from 'kubewright/machinery'
import type { SchemaNode } from 'kubewright/schema'

type Errors = readonly FieldError[]

/** What is wrong with x-kubernetes-map-type. */
export function mapTypeErrors(node: SchemaNode, path: string): Errors {
  const mapType = node.source['x-kubernetes-map-type']
  if (mapType === undefined) return []
  const allowed = ['atomic', 'granular']
  return [
    ...typeError(node, path, 'object', 'must be object if x-kubernetes-map-type is specified'),
    ...(allowed.includes(mapType)
      ? []
      : [notSupported(`${path}.x-kubernetes-map-type`, mapType, allowed)]),
  ]
}

function typeError(node: SchemaNode, path: string, type: string, sentence: string): Errors {
  if (node.type === type) return []
  return [
    node.type === ''
      ? required(`${path}.type`, sentence)
      : invalidValue(`${path}.type`, node.type, sentence),
  ]
}

/** What is wrong with x-kubernetes-list-type and its map keys. */
export function listErrors(node: SchemaNode, path: string): Errors {
  const listType = node.source['x-kubernetes-list-type']
  const allowed = ['atomic', 'set', 'map']
  return [
    ...listTypeErrors(node, path),
    ...(listType !== undefined && !allowed.includes(listType)
      ? [notSupported(`${path}.x-kubernetes-list-type`, listType, allowed)]
      : []),
    ...strayKeys(node, path),
    ...(listType === 'map' ? mapErrors(node, path) : []),
    ...(listType === 'map' || listType === 'set' ? itemErrors(node, path, listType) : []),
  ]
}

const ATOMIC = 'must be atomic as item of a list with x-kubernetes-list-type=set'

function listTypeErrors(node: SchemaNode, path: string): Errors {
  const listType = node.source['x-kubernetes-list-type']
  if (listType === undefined) return []
  if (node.type !== 'array')
    return typeError(node, path, 'array', 'must be array if x-kubernetes-list-type is specified')
  const items = node.items
  if (listType !== 'set' || !items) return []
  const { 'x-kubernetes-list-type': inner, 'x-kubernetes-map-type': mapType } = items.source
  if (items.type === 'array' && inner !== undefined && inner !== 'atomic')
    return [invalidValue(`${path}.items.x-kubernetes-list-type`, inner, ATOMIC)]
  // Kubernetes shows the list type here, which objects do not have.
  if (items.type === 'object' && mapType !== 'atomic')
    return [invalidValue(`${path}.items.x-kubernetes-map-type`, inner ?? null, ATOMIC)]
  return []
}

function strayKeys(node: SchemaNode, path: string): Errors {
  const listType = node.source['x-kubernetes-list-type']
  if (!node.source['x-kubernetes-list-map-keys']?.length || listType === 'map') return []
  const at = `${path}.x-kubernetes-list-type`
  const sentence = 'must be map if x-kubernetes-list-map-keys is non-empty'
  return [listType === undefined ? required(at, sentence) : invalidValue(at, listType, sentence)]
}

function mapErrors(node: SchemaNode, path: string): Errors {
  const keys = node.source['x-kubernetes-list-map-keys'] ?? []
  const { items } = node
  return [
    ...(keys.length
      ? []
      : [
          required(
            `${path}.x-kubernetes-list-map-keys`,
            'must not be empty if x-kubernetes-list-type is map',
          ),
        ]),
    ...(items
      ? []
      : [required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map')]),
    ...(items && items.type !== 'object'
      ? [
          invalidValue(
            `${path}.items.type`,
            items.type,
            "must be object if parent array's x-kubernetes-list-type is map",
          ),
        ]
      : []),
    ...(items?.type === 'object' ? keyErrors(items, keys, path) : []),
  ]
}

function keyErrors(items: SchemaNode, keys: readonly string[], path: string): Errors {
  const at = `${path}.x-kubernetes-list-map-keys`
  return keys.flatMap((key, i) => {
    const type = items.properties.get(key)?.type
    const unknown = !items.properties.has(key)
    return [
      ...(unknown ? [invalidValue(at, keys, 'entries must all be names of item properties')] : []),
      ...(type === 'array' || type === 'object'
        ? [
            invalidValue(
              `${path}.items.properties[${key}].type`,
              items.type,
              "must be a scalar type if parent array's x-kubernetes-list-type is map",
            ),
          ]
        : []),
      ...(keys.indexOf(key) < i
        ? [invalidValue(at, keys, 'must not contain duplicate entries')]
        : []),
    ]
  })
}

/** Items of sets and maps are no nulls, and a key is always there. */
function itemErrors(node: SchemaNode, path: string, listType: 'map' | 'set'): Errors {
  const { items } = node
  if (!items) return []
  const keys = listType === 'map' ? (node.source['x-kubernetes-list-map-keys'] ?? []) : []
  return [
    ...(items.nullable
      ? [
          forbiddenField(
            `${path}.items.nullable`,
            `cannot be nullable when x-kubernetes-list-type is ${listType}`,
          ),
        ]
      : []),
    ...keys.flatMap((it) => alwaysThere(items, it, `${path}.items.properties[${it}]`)),
  ]
}

const KEY = 'this property is in x-kubernetes-list-map-keys, so it'

function alwaysThere(items: SchemaNode, key: string, path: string): Errors {
  const property = items.properties.get(key)
  if (!property) return []
  const required_ = items.source.required?.includes(key)
  return [
    ...(required_ || property.source.default !== undefined
      ? []
      : [required(`${path}.default`, `${KEY} must have a default or be a required property`)]),
    ...(property.nullable ? [forbiddenField(`${path}.nullable`, `${KEY} cannot be nullable`)] : []),
  ]
}
