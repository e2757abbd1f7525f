/** The types that mutating policies construct (pkg/cel/mutation): `Object`, `Object.spec`, … and `JSONPatch`. */
import type { CelField, ObjectType } from '../cel-type.ts'
import { DYN, STRING, objectOf } from '../cel-type.ts'

const JSON_PATCH_TYPE: ObjectType = objectOf('JSONPatch', {
  op: STRING,
  path: STRING,
  from: STRING,
  value: DYN,
})

/** Every name is a field, of any type. */
const ANY_FIELD: ReadonlyMap<string, CelField> = Object.assign(new Map<string, CelField>(), {
  get: (property: string): CelField => ({ property, type: DYN }),
  has: () => true,
})

/** The type of a constructed object by name; undefined for other names. */
export function constructedType(name: string): ObjectType | undefined {
  if (name === 'JSONPatch') return JSON_PATCH_TYPE
  if (name !== 'Object' && !name.startsWith('Object.')) return undefined
  return { kind: 'object', name, fields: ANY_FIELD }
}
