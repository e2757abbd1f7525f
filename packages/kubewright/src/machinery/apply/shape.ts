import type { JsonObject, JsonValue } from '../patch/json.ts'
import { isJsonArray } from '../patch/json.ts'
import { itemElement } from './list-element.ts'
import type { FieldType, ListType, MapType } from './type.ts'
import { narrow } from './type.ts'

/** A longer shape is not worth remembering: some hundred fields. */
const longest = 8192

/**
 * What a value looks like to ownership, as text: its members, the elements of its keyed lists, and of each scalar its kind and whether
 * it is Go's zero value. Values of one type and one shape fit the type alike, and differ alike from an object in which nothing is set.
 * Undefined when that cannot be said: an item without an element, a member that the type does not know, a shape that is too long.
 */
export function shapeOf(type: FieldType, value: JsonValue): string | undefined {
  const shape = shapeIn(type, value)
  return shape === undefined || shape.length > longest ? undefined : shape
}

function shapeIn(type: FieldType, value: JsonValue): string | undefined {
  if (value === null) return 'n'
  if (typeof value !== 'object') return scalarShape(value)
  const { map, list } = narrow(type, value)
  if (isJsonArray(value)) return list ? shapeOfItems(list, value) : undefined
  return map ? shapeOfMembers(map, value as JsonObject) : undefined
}

function scalarShape(value: JsonValue): string {
  if (typeof value === 'string') return value === '' ? 'e' : 's'
  if (typeof value === 'boolean') return value ? 't' : 'f'
  return Number(value) === 0 ? 'z' : 'i'
}

function shapeOfMembers(map: MapType, value: JsonObject): string | undefined {
  let shape = '{'
  for (const key of Object.keys(value)) {
    const type = map.fields.get(key)?.type ?? map.element
    const inner = type && shapeIn(type(), value[key] ?? null)
    if (inner === undefined || shape.length > longest) return undefined
    shape += `${key.length} ${key}${inner}`
  }
  return `${shape}}`
}

function shapeOfItems(list: ListType, items: readonly JsonValue[]): string | undefined {
  let shape = '['
  let before = ''
  for (const item of items) {
    const element = list.relationship === 'associative' ? itemElement(list, item) : undefined
    if (typeof element === 'string') return undefined
    const inner = shapeIn(list.element(), item)
    if (inner === undefined || shape.length > longest) return undefined
    const full = element ? `${element.id.length} ${element.id}${inner}` : inner
    // The items of an atomic list are looked at one by one: how many of a shape follow each other does not count.
    if (element || full !== before) shape += full
    before = full
  }
  return `${shape}]`
}

/** Remembers by shape; when it is full it begins anew. */
export class ShapeMemo<T> {
  readonly #most: number
  #type: FieldType | undefined
  #known = new Map<string, T>()

  /** `most`: how many shapes are kept. */
  constructor(most = 256) {
    this.#most = most
  }

  /** What is remembered of a type's shape. Another type than before makes it forget. */
  get(type: FieldType, shape: string): T | undefined {
    return type === this.#type ? this.#known.get(shape) : undefined
  }

  set(type: FieldType, shape: string, value: T): void {
    if (type !== this.#type || this.#known.size >= this.#most) this.#known = new Map()
    this.#type = type
    this.#known.set(shape, value)
  }
}
