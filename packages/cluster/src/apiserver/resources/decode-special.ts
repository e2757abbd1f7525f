import { stringifyExact } from 'kubewright/base'
import { canonicalQuantity } from 'kubewright/machinery'
import { canonicalBase64 } from './decode-base64.ts'
import {
  integerProblem,
  isObject,
  listPlan,
  never,
  plainPlan,
  readItems,
  type Plan,
} from './decode-plan.ts'
import { DecodeError, DecodeState, jsonTypeOf, TypeMismatch } from './decode-state.ts'
import { canonicalMicroTime, canonicalTime } from './decode-time.ts'
import { keyOrder } from './field-order.ts'
import { restoreByJson, restoreBytes } from './restore.ts'
import { unwritten, WrittenNumber } from './written-number.ts'

const UINT8 = plainPlan('uint8', 'uint8')!

/** The plan of bytes, which are base64 in JSON; Go also takes them as a list of numbers. */
export const BYTES: Plan = {
  ...listPlan(UINT8, '[]uint8'),
  isEmpty: (value) => value === null || value === '',
  restore: restoreBytes(canonicalBase64, UINT8.restore),
  read: (value, state) => {
    if (typeof value === 'string') return readBase64(value, state)
    if (Array.isArray(value)) {
      return Buffer.from(readItems(value, UINT8, state) as number[]).toString('base64')
    }
    state.mismatch(jsonTypeOf(value), '[]uint8')
    return null
  },
}

function readBase64(text: string, state: DecodeState): string {
  try {
    return canonicalBase64(text)
  } catch (error) {
    state.fail(error as DecodeError)
    return ''
  }
}

/** A time in text, which must be a string: any other type is an error inside it, and ends decoding. */
/** A type with a JSON form of its own; unless it says otherwise, that is how it is restored too. */
type JsonForm = Omit<Plan, 'restore'> & Partial<Pick<Plan, 'restore'>>

function time(name: string, canonical: (text: string) => string | null): JsonForm {
  return {
    name,
    zero: () => null,
    isEmpty: never,
    read: (value, state) => {
      if (typeof value === 'string') return canonical(value)
      return abort(jsonTypeOf(value), 'string', state)
    },
  }
}

function abort(value: string, type: string, state: DecodeState): never {
  return state.abort(new TypeMismatch({ value, type, place: [] }))
}

const QUANTITY: JsonForm = {
  name: 'resource.Quantity',
  zero: () => '0',
  isEmpty: never,
  read: (value) => {
    const text = typeof value === 'string' ? value.trim() : numeral(value)
    try {
      return canonicalQuantity(text)
    } catch (error) {
      throw new DecodeError((error as Error).message, { cause: error })
    }
  },
}

const numeral = (value: unknown): string =>
  value instanceof WrittenNumber ? value.source : stringifyExact(value)

const INT_OR_STRING: JsonForm = {
  name: 'intstr.IntOrString',
  zero: () => 0,
  isEmpty: never,
  read: (value, state) => {
    if (typeof value === 'string') return value
    const problem = integerProblem(value, 'int32')
    return problem === undefined ? value : abort(problem, 'int32', state)
  },
}

/** JSON that is kept as it came. */
const raw = (name: string): JsonForm => ({
  name,
  zero: () => null,
  isEmpty: never,
  // Where it has been a map, it is written by key.
  restore: (it) => keyOrder(unwritten(it)),
  read: (it) => unwritten(it),
})

/** A set of fields has no numbers, and is too large to be looked through for them. */
const FIELDS_V1: JsonForm = { ...raw('v1.FieldsV1'), read: (it) => it, restore: (it) => it }

/**
 * The plans of types with a JSON form of their own, by their OpenAPI names. A schema inside another is read by a decoder of its own:
 * what strict decoding would find wrong with it is not told. `schema` is the plan of JSONSchemaProps.
 */
export function specialPlan(name: string, schema: () => Plan): Plan | undefined {
  const form = jsonForm(name, schema)
  return form && { restore: restoreByJson(form.read), ...form }
}

function jsonForm(name: string, schema: () => Plan): JsonForm | undefined {
  switch (name.slice(name.lastIndexOf('.') + 1)) {
    case 'Time':
      return time('v1.Time', canonicalTime)
    case 'MicroTime':
      return time('v1.MicroTime', canonicalMicroTime)
    case 'Quantity':
      return QUANTITY
    case 'IntOrString':
      return INT_OR_STRING
    case 'RawExtension':
      return raw('runtime.RawExtension')
    case 'FieldsV1':
      return FIELDS_V1
    case 'JSON':
      return raw('v1.JSON')
    case 'JSONSchemaPropsOrBool':
      return schemaOrBool(schema)
    case 'JSONSchemaPropsOrArray':
      return schemaOrList('v1.JSONSchemaPropsOrArray', schema, () =>
        listPlan(schema(), '[]v1.JSONSchemaProps'),
      )
    case 'JSONSchemaPropsOrStringArray':
      return schemaOrList('v1.JSONSchemaPropsOrStringArray', schema, () =>
        listPlan(plainPlan('string', 'string')!, '[]string'),
      )
    default:
      return undefined
  }
}

function schemaOrBool(schema: () => Plan): JsonForm {
  return {
    name: 'v1.JSONSchemaPropsOrBool',
    zero: () => false,
    isEmpty: never,
    read: (value, state) => {
      if (isObject(value)) return readNested(value, schema(), state)
      if (typeof value === 'boolean') return value
      throw new DecodeError('boolean or JSON schema expected')
    },
  }
}

/** Of anything but a schema and a list, nothing remains; nor of an empty list. */
function schemaOrList(name: string, schema: () => Plan, many: () => Plan): JsonForm {
  return {
    name,
    zero: () => null,
    isEmpty: never,
    read: (value, state) => {
      if (isObject(value)) return readNested(value, schema(), state)
      if (!Array.isArray(value) || value.length === 0) return null
      return readNested(value, many(), state)
    },
  }
}

function readNested(value: unknown, plan: Plan, state: DecodeState): unknown {
  const inner = new DecodeState()
  try {
    const read = plan.read(value, inner)
    inner.finish()
    return read
  } catch (error) {
    return state.abort(error)
  }
}
