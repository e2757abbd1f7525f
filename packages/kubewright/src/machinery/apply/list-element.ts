import type { JsonObject, JsonValue } from '../patch/json.ts'
import { isJsonArray, isJsonObject, member } from '../patch/json.ts'
import type { KeyField, PathElement } from './path-element.ts'
import { keyElement, valueElement } from './path-element.ts'
import type { ListType } from './type.ts'

/** The element that names an item of an associative list, or why it cannot be named. */
export function itemElement(list: ListType, item: JsonValue): PathElement | string {
  return list.keys.length > 0 ? keyedItem(list, item) : setItem(item)
}

function keyedItem(list: ListType, item: JsonValue): PathElement | string {
  if (item === null) return 'associative list with keys may not have a null element'
  if (!isJsonObject(item)) return 'associative list with keys may not have non-map elements'
  const fields: KeyField[] = []
  for (const name of list.keys) {
    const value = member(item, name) ?? keyDefault(list, item, name)
    if (value !== undefined) fields.push([name, value])
  }
  return fields.length > 0 ? keyElement(fields) : omitsKeys(list)
}

/** An explicit null is a key of its own; only an absent one takes the default. */
function keyDefault(list: ListType, item: JsonObject, name: string): JsonValue | undefined {
  if (Object.hasOwn(item, name)) return null
  return list.element().map?.fields.get(name)?.default ?? undefined
}

function omitsKeys(list: ListType): string {
  const names = `["${list.keys.join('" "')}"]`
  const hint = "and doesn't have default values for any key fields"
  return `associative list with keys has an element that omits all key fields ${names} (${hint})`
}

function setItem(item: JsonValue): PathElement | string {
  if (item === null) return "associative list without keys has an element that's an explicit null"
  if (isJsonArray(item)) return 'not supported: associative list with lists as elements'
  if (isJsonObject(item)) return "associative list without keys has an element that's a map type"
  return valueElement(item)
}
