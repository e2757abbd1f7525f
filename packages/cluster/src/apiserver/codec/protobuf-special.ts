import { parseExact, stringifyExact } from 'kubewright/base'
const META_V1 = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const APIEXTENSIONS_V1 = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1'

/** Turns the fields of a message into what its Go type writes as JSON. */
type Form = (fields: Readonly<Record<string, unknown>>) => unknown

interface Timestamp {
  readonly seconds?: number
  readonly nanos?: number
}

/** Go's zero time is written as an empty message, and null in JSON; the epoch is written out. */
const isZero = ({ seconds, nanos }: Timestamp): boolean =>
  seconds === undefined && nanos === undefined

const time: Form = (fields: Timestamp) =>
  isZero(fields) ? null : `${isoSeconds(fields.seconds ?? 0)}Z`

const microTime: Form = (fields: Timestamp) => {
  if (isZero(fields)) return null
  const { seconds = 0, nanos = 0 } = fields
  const micros = Math.floor(nanos / 1000)
  return `${isoSeconds(seconds)}.${String(micros).padStart(6, '0')}Z`
}

const isoSeconds = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, '')

/** JSON inside of protobuf: in base64, since its field is bytes. */
const rawJson: Form = ({ raw }) =>
  raw === undefined || raw === ''
    ? null
    : parseExact(Buffer.from(raw as string, 'base64').toString('utf8'))

const items: Form = ({ items: list = [] }) => list

const FORMS: Readonly<Record<string, Form>> = {
  [`${META_V1}.Time`]: time,
  [`${META_V1}.MicroTime`]: microTime,
  [`${META_V1}.FieldsV1`]: ({ Raw: raw }) => rawJson({ raw }),
  'io.k8s.apimachinery.pkg.runtime.RawExtension': rawJson,
  'io.k8s.apimachinery.pkg.api.resource.Quantity': ({ string = '0' }) => string,
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': ({ type = 0, intVal = 0, strVal = '' }) =>
    type === 0 ? intVal : strVal,
  [`${META_V1}.Verbs`]: items,
  [`${APIEXTENSIONS_V1}.JSON`]: rawJson,
  [`${APIEXTENSIONS_V1}.JSONSchemaPropsOrArray`]: ({ schema, jSONSchemas }) =>
    jSONSchemas ?? schema ?? null,
  [`${APIEXTENSIONS_V1}.JSONSchemaPropsOrBool`]: ({ allows = false, schema }) => schema ?? allows,
  [`${APIEXTENSIONS_V1}.JSONSchemaPropsOrStringArray`]: ({ schema, property }) =>
    property ?? schema ?? null,
}

/** What becomes of a message whose Go type has a JSON form of its own, by its OpenAPI name; undefined for all others. */
export const specialForm = (name: string): Form | undefined =>
  FORMS[name] ?? (isExtraValue(name) ? items : undefined)

/** A list under a name of its own, in several packages. */
const isExtraValue = (name: string): boolean => name.endsWith('.ExtraValue')

/** What a message holds, made from what its Go type writes as JSON; undefined where the message is empty. */
type Unform = (value: unknown) => Readonly<Record<string, unknown>> | undefined

const seconds = (text: string): number => Date.parse(`${text.slice(0, 19)}Z`) / 1000

const fromTime: Unform = (value) =>
  typeof value === 'string' ? { seconds: seconds(value), nanos: 0 } : undefined

const fromMicroTime: Unform = (value) =>
  typeof value === 'string'
    ? { seconds: seconds(value), nanos: Number(value.slice(20, 26).padEnd(6, '0')) * 1000 }
    : undefined

const jsonBytes = (value: unknown): Buffer => Buffer.from(stringifyExact(value))

const fromJson: Unform = (value) =>
  value === undefined || value === null ? undefined : { raw: jsonBytes(value) }

const fromItems: Unform = (value) => ({ items: value })

const isSchema = (value: unknown): boolean => typeof value === 'object' && !Array.isArray(value)

const UNFORMS: Readonly<Record<string, Unform>> = {
  [`${META_V1}.Time`]: fromTime,
  [`${META_V1}.MicroTime`]: fromMicroTime,
  [`${META_V1}.FieldsV1`]: (value) => (value ? { Raw: jsonBytes(value) } : undefined),
  [`${META_V1}.Verbs`]: fromItems,
  'io.k8s.apimachinery.pkg.runtime.RawExtension': fromJson,
  'io.k8s.apimachinery.pkg.api.resource.Quantity': (value) => ({ string: value ?? '0' }),
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': (value) =>
    typeof value === 'string' ? { type: 1, strVal: value } : { type: 0, intVal: value },
  [`${APIEXTENSIONS_V1}.JSON`]: fromJson,
  [`${APIEXTENSIONS_V1}.JSONSchemaPropsOrArray`]: (value) =>
    isSchema(value) ? { schema: value } : { jSONSchemas: value },
  [`${APIEXTENSIONS_V1}.JSONSchemaPropsOrBool`]: (value) =>
    isSchema(value) ? { allows: true, schema: value } : { allows: value },
  [`${APIEXTENSIONS_V1}.JSONSchemaPropsOrStringArray`]: (value) =>
    isSchema(value) ? { schema: value } : { property: value },
}

/** How a message is made whose Go type has a JSON form of its own, by its OpenAPI name; undefined for all others. */
export const messageOf = (name: string): Unform | undefined =>
  UNFORMS[name] ?? (isExtraValue(name) ? fromItems : undefined)
