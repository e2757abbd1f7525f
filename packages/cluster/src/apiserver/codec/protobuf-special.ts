const META_V1 = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const APIEXTENSIONS_V1 = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1'

/** Turns the fields of a message into what its Go type writes as JSON. */
type Form = (fields: Readonly<Record<string, unknown>>) => unknown

interface Timestamp {
  readonly seconds?: number
  readonly nanos?: number
}

/** Go's zero time is written as an empty message, and null in JSON. */
const time: Form = ({ seconds = 0, nanos = 0 }: Timestamp) =>
  seconds === 0 && nanos === 0 ? null : `${isoSeconds(seconds)}Z`

const microTime: Form = ({ seconds = 0, nanos = 0 }: Timestamp) => {
  if (seconds === 0 && nanos === 0) return null
  const micros = Math.floor(nanos / 1000)
  return `${isoSeconds(seconds)}.${String(micros).padStart(6, '0')}Z`
}

const isoSeconds = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, '')

/** JSON inside of protobuf: in base64, since its field is bytes. */
const rawJson: Form = ({ raw }) =>
  raw === undefined || raw === ''
    ? null
    : (JSON.parse(Buffer.from(raw as string, 'base64').toString('utf8')) as unknown)

const items: Form = ({ items: list = [] }) => list

const FORMS: Readonly<Record<string, Form>> = {
  [`${META_V1}.Time`]: time,
  [`${META_V1}.MicroTime`]: microTime,
  [`${META_V1}.FieldsV1`]: ({ Raw: raw }) => rawJson({ raw }),
  'io.k8s.apimachinery.pkg.runtime.RawExtension': rawJson,
  'io.k8s.apimachinery.pkg.api.resource.Quantity': ({ string = '0' }) => string,
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': ({ type = 0, intVal = 0, strVal = '' }) =>
    type === 0 ? intVal : strVal,
  'io.k8s.api.authentication.v1.ExtraValue': items,
  'io.k8s.api.authorization.v1.ExtraValue': items,
  'io.k8s.api.certificates.v1.ExtraValue': items,
  [`${APIEXTENSIONS_V1}.JSON`]: rawJson,
  [`${APIEXTENSIONS_V1}.JSONSchemaPropsOrArray`]: ({ schema, jSONSchemas }) =>
    jSONSchemas ?? schema ?? null,
  [`${APIEXTENSIONS_V1}.JSONSchemaPropsOrBool`]: ({ allows = false, schema }) => schema ?? allows,
  [`${APIEXTENSIONS_V1}.JSONSchemaPropsOrStringArray`]: ({ schema, property }) =>
    property ?? schema ?? null,
}

/** What becomes of a message whose Go type has a JSON form of its own, by its OpenAPI name; undefined for all others. */
export const specialForm = (name: string): Form | undefined => FORMS[name]
