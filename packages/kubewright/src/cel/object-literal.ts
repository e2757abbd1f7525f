/** An object that an expression constructed, as in `Object{spec: Object.spec{replicas: 1}}`. */
import type { ObjectType } from './cel-type.ts'
import type { MapValue, Value } from './value.ts'

/** See the file. Two are equal if their types have one name and their fields are equal. */
export class ObjectLiteral implements MapValue {
  readonly tag = 'map'
  readonly objectType: ObjectType
  readonly #fields: ReadonlyMap<string, Value>

  constructor(objectType: ObjectType, fields: ReadonlyMap<string, Value>) {
    this.objectType = objectType
    this.#fields = fields
  }

  get size(): number {
    return this.#fields.size
  }

  find(key: Value): Value | undefined {
    return typeof key === 'string' ? this.#fields.get(key) : undefined
  }

  keys(): readonly Value[] {
    return [...this.#fields.keys()]
  }
}
