import type { JsonObject, JsonValue } from '../patch/json.ts'
import { isJsonArray, isJsonObject, member, setMember, withoutMember } from '../patch/json.ts'
import type { RefResolver } from './schema-types.ts'

/**
 * What an object of a built-in type is in Go before anything is set: structs that are not pointers are there, and
 * so are members that are written even when empty. OpenAPI tells: the former have `default: {}`, scalars of the
 * latter their zero as default, and lists, maps and pointers among them are required. Creating an object does not
 * make anyone the owner of these. Types that the schemas nest too deeply (themselves) end there.
 */
export function emptyObjectOf(
  schema: JsonObject,
  kind: { readonly apiVersion: string; readonly kind: string },
  resolveRef: RefResolver,
): JsonObject {
  const { apiVersion, kind: name } = kind
  const empty: JsonObject = { ...emptyStruct(schema, resolveRef), apiVersion, kind: name }
  const exceptions = exceptionsOf[`${apiVersion} ${name}`] ?? []
  return exceptions.reduce((object, [path, rule]) => except(object, path.split('.'), rule), empty)
}

type ExceptionRule = 'null' | 'absent'
type Exception = readonly [path: string, rule: ExceptionRule]

/** Where Go's types are otherwise than OpenAPI tells: written though optional, or left out though required. */
const exceptionsOf: Readonly<Record<string, readonly Exception[]>> = Object.freeze({
  'v1 Event': [
    ['eventTime', 'null'],
    ['firstTimestamp', 'null'],
    ['lastTimestamp', 'null'],
  ],
  'v1 ReplicationController': [['spec.minReadySeconds', 'absent']],
  'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding': [
    ['spec.policyName', 'absent'],
    ['spec.validationActions', 'absent'],
  ],
  'apiextensions.k8s.io/v1 CustomResourceDefinition': [
    ['status.conditions', 'null'],
    ['status.storedVersions', 'null'],
  ],
  'apps/v1 ControllerRevision': [['data', 'null']],
  'authentication.k8s.io/v1 TokenReview': [['spec.token', 'absent']],
  'autoscaling/v2 HorizontalPodAutoscaler': [['status.currentMetrics', 'null']],
  'certificates.k8s.io/v1beta1 PodCertificateRequest': [
    ['spec.pkixPublicKey', 'null'],
    ['spec.proofOfPossession', 'null'],
  ],
  'discovery.k8s.io/v1 EndpointSlice': [
    ['endpoints', 'null'],
    ['ports', 'null'],
  ],
  'events.k8s.io/v1 Event': [
    ['deprecatedFirstTimestamp', 'null'],
    ['deprecatedLastTimestamp', 'null'],
  ],
  'networking.k8s.io/v1 IPAddress': [['spec.parentRef', 'absent']],
  'networking.k8s.io/v1beta1 IPAddress': [['spec.parentRef', 'absent']],
  'rbac.authorization.k8s.io/v1 ClusterRole': [['rules', 'null']],
  'rbac.authorization.k8s.io/v1 Role': [['rules', 'null']],
  'resource.k8s.io/v1 ResourceClaim': [['spec.devices.requests', 'null']],
  'resource.k8s.io/v1 ResourceClaimTemplate': [['spec.spec.devices.requests', 'null']],
  'resource.k8s.io/v1beta1 ResourceClaim': [['spec.devices.requests', 'null']],
  'resource.k8s.io/v1beta1 ResourceClaimTemplate': [['spec.spec.devices.requests', 'null']],
  'resource.k8s.io/v1beta2 ResourceClaim': [['spec.devices.requests', 'null']],
  'resource.k8s.io/v1beta2 ResourceClaimTemplate': [['spec.spec.devices.requests', 'null']],
  'scheduling.k8s.io/v1alpha2 PodGroup': [['spec.podGroupTemplateRef', 'null']],
})

function except(object: JsonObject, path: readonly string[], rule: ExceptionRule): JsonObject {
  const [name = '', ...rest] = path
  if (rest.length === 0)
    return rule === 'null' ? { ...object, [name]: null } : withoutMember(object, name)
  const inner = member(object, name)
  return { ...object, [name]: except(isJsonObject(inner) ? inner : {}, rest, rule) }
}

function emptyStruct(schema: JsonObject, resolveRef: RefResolver): JsonObject {
  const out: Record<string, JsonValue> = {}
  const required = member(schema, 'required')
  const names = new Set(isJsonArray(required) ? required : [])
  const properties = member(schema, 'properties')
  for (const [name, property] of Object.entries(isJsonObject(properties) ? properties : {})) {
    if (!isJsonObject(property)) continue
    const value = emptyMember(property, names.has(name), resolveRef)
    if (value !== undefined) setMember(out, name, value)
  }
  return out
}

function emptyMember(
  property: JsonObject,
  isRequired: boolean,
  resolveRef: RefResolver,
): JsonValue | undefined {
  const value = member(property, 'default')
  if (isJsonObject(value)) return emptyOf(property, resolveRef)
  if (value !== undefined && isZero(value)) return value
  return isRequired ? null : undefined
}

function emptyOf(property: JsonObject, resolveRef: RefResolver): JsonValue {
  const target = dereference(property, resolveRef)
  const isStruct = isJsonObject(member(target, 'properties'))
  return isStruct
    ? emptyStruct(target, resolveRef)
    : member(target, 'type') === 'object'
      ? {}
      : null
}

function isZero(value: JsonValue): boolean {
  return value === '' || value === 0 || value === false
}

function dereference(schema: JsonObject, resolveRef: RefResolver): JsonObject {
  const allOf = member(schema, 'allOf')
  const only = isJsonArray(allOf) ? allOf[0] : undefined
  const ref = member(schema, '$ref') ?? (isJsonObject(only) ? member(only, '$ref') : undefined)
  const target = typeof ref === 'string' ? resolveRef(ref) : undefined
  return target ?? schema
}
