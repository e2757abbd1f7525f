import { type FieldError, duplicate, invalidValue } from '../machinery/index.ts'
import { canonicalJson, isList, isObject, sortedJson } from './json.ts'
import type { SchemaNode } from './schema-node.ts'

/**
 * Items that stand twice in a set, or share their keys in a list-map; each said once, at its second place
 * (apiextensions-apiserver/pkg/apiserver/schema/listtype).
 */
export function validateListTypes(
  node: SchemaNode | undefined,
  value: unknown,
  path: string = '',
): readonly FieldError[] {
  if (!node?.below.listTypes) return []
  if (isList(value)) return validateList(node, value, path)
  if (!isObject(value)) return []
  return Object.keys(value).flatMap((name) => {
    const property = node.properties.get(name)
    const field = path === '' ? name : `${path}.${name}`
    if (property) return validateListTypes(property, value[name], field)
    const { additional } = node
    return typeof additional === 'object'
      ? validateListTypes(additional, value[name], `${path}[${name}]`)
      : []
  })
}

function validateList(
  node: SchemaNode,
  list: readonly unknown[],
  path: string,
): readonly FieldError[] {
  return [
    ...duplicates(node, list, path),
    ...list.flatMap((it, i) => validateListTypes(node.items, it, `${path}[${i}]`)),
  ]
}

function duplicates(
  node: SchemaNode,
  list: readonly unknown[],
  path: string,
): readonly FieldError[] {
  switch (node.source['x-kubernetes-list-type']) {
    case 'set':
      return repeated(list).map((i) => duplicate(`${path}[${i}]`, sortedJson(list[i])))
    case 'map':
      return repeatedKeys(node.source['x-kubernetes-list-map-keys'] ?? [], list, path)
    default:
      return []
  }
}

function repeatedKeys(
  names: readonly string[],
  list: readonly unknown[],
  path: string,
): readonly FieldError[] {
  const wrong = list.findIndex((it) => it !== null && !isObject(it))
  if (wrong >= 0)
    return [
      invalidValue(
        `${path}[${wrong}]`,
        list[wrong],
        'must be an object for an array of list-type map',
      ),
    ]
  const keys = list.map((it) => keyOf(names, it))
  return repeated(keys).map((i) => duplicate(`${path}[${i}]`, sortedJson(keys[i])))
}

/** The key fields that an item has; an absent one is told from a null. */
function keyOf(names: readonly string[], item: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(item)) return {}
  return Object.fromEntries(
    names.filter((it) => Object.hasOwn(item, it)).map((it) => [it, item[it]]),
  )
}

/** The places where a value stands the second time. */
function repeated(values: readonly unknown[]): readonly number[] {
  const times = new Map<string, number>()
  const found: number[] = []
  for (const [i, value] of values.entries()) {
    const text = canonicalJson(value)
    const count = times.get(text) ?? 0
    if (count === 1) found.push(i)
    times.set(text, count + 1)
  }
  return found
}
