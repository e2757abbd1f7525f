/** The types that mutating policies construct (pkg/cel/mutation): `Object`, `Object.spec`, … and `JSONPatch`. */
import type { CelField, ObjectType } from '../cel-type.ts'
import { DYN, STRING, objectOf } from '../cel-type.ts'

/** What a field that is none has in place of a type. */
const NO_TYPE: ObjectType = objectOf('')

const PATCH_FIELDS: ReadonlyMap<string, CelField> = new Map(
  Object.entries({ op: STRING, path: STRING, from: STRING, value: DYN }).map(([property, type]) => [
    property,
    { property, type },
  ]),
)

/** Any other name is a field too, and no value fits it. */
const JSON_PATCH_TYPE: ObjectType = {
  kind: 'object',
  name: 'JSONPatch',
  fields: Object.assign(new Map(PATCH_FIELDS), {
    get: (property: string): CelField => PATCH_FIELDS.get(property) ?? { property, type: NO_TYPE },
    has: () => true,
  }),
}

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
