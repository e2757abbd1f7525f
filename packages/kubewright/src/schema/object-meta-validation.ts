import {
  type FieldError,
  type ObjectMeta,
  type OwnerReference,
  invalidValue,
  isDns1123Label,
  isLabelValue,
  isPathSegmentName,
  isPathSegmentPrefix,
  isQualifiedName,
  parseApiVersion,
  tooLong,
} from '../machinery/index.ts'

const MAX_ANNOTATIONS = 256 * 1024

/**
 * What is wrong with the metadata of an embedded object, which need have no name (apimachinery/pkg/api/validation ValidateObjectMeta
 * with names that are path segments).
 */
export function validateEmbeddedMetadata(
  metadata: ObjectMeta,
  path: string,
): readonly FieldError[] {
  const { name, generateName, namespace, generation } = metadata
  return [
    ...problems(`${path}.generateName`, generateName, isPathSegmentPrefix),
    ...problems(`${path}.name`, name, isPathSegmentName),
    ...problems(`${path}.namespace`, namespace, isDns1123Label),
    ...(generation !== undefined && generation < 0
      ? [invalidValue(`${path}.generation`, generation, 'must be greater than or equal to 0')]
      : []),
    ...labelProblems(metadata.labels, `${path}.labels`),
    ...annotationProblems(metadata.annotations, `${path}.annotations`),
    ...ownerProblems(metadata.ownerReferences, `${path}.ownerReferences`),
    ...finalizerProblems(metadata.finalizers, `${path}.finalizers`),
  ]
}

function problems(
  path: string,
  value: string | undefined,
  rule: (value: string) => readonly string[],
): readonly FieldError[] {
  return value ? rule(value).map((it) => invalidValue(path, value, it)) : []
}

function labelProblems(labels: ObjectMeta['labels'] = {}, path: string): readonly FieldError[] {
  return Object.entries(labels).flatMap(([name, value]) => [
    ...isQualifiedName(name).map((it) => invalidValue(path, name, it)),
    ...isLabelValue(value).map((it) => invalidValue(path, value, it)),
  ])
}

function annotationProblems(
  annotations: ObjectMeta['annotations'] = {},
  path: string,
): readonly FieldError[] {
  const bytes = (it: string): number => Buffer.byteLength(it)
  const size = Object.entries(annotations).reduce((sum, [k, v]) => sum + bytes(k) + bytes(v), 0)
  return [
    ...Object.keys(annotations).flatMap((name) =>
      isQualifiedName(name.toLowerCase()).map((it) => invalidValue(path, name, it)),
    ),
    ...(size > MAX_ANNOTATIONS ? [tooLong(path, MAX_ANNOTATIONS)] : []),
  ]
}

function ownerProblems(
  owners: readonly OwnerReference[] = [],
  path: string,
): readonly FieldError[] {
  const controllers = owners.filter((it) => it.controller).map((it) => `${it.kind}/${it.name}`)
  return [
    ...owners.flatMap((it) => ownerReferenceProblems(it, path)),
    ...controllers
      .slice(1)
      .map((it) =>
        invalidValue(
          path,
          owners.map(inOrder),
          `Only one reference can have Controller set to true. Found "true" in references for ${controllers[0]} and ${it}`,
        ),
      ),
  ]
}

/** The fields in the order in which Go prints them. */
function inOrder(owner: OwnerReference): OwnerReference {
  const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = owner
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(controller === undefined ? {} : { controller }),
    ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
  }
}

function ownerReferenceProblems(owner: OwnerReference, path: string): readonly FieldError[] {
  const { group, version } = parseApiVersion(owner.apiVersion)
  const isEvent = group === '' && version === 'v1' && owner.kind === 'Event'
  return [
    ...(version
      ? []
      : [invalidValue(`${path}.apiVersion`, owner.apiVersion, 'version must not be empty')]),
    ...(['kind', 'name', 'uid'] as const)
      .filter((it) => owner[it] === '')
      .map((it) => invalidValue(`${path}.${it}`, '', 'must not be empty')),
    ...(isEvent
      ? [invalidValue(path, owner, '/v1, Kind=Event is disallowed from being an owner')]
      : []),
  ]
}

function finalizerProblems(
  finalizers: readonly string[] = [],
  path: string,
): readonly FieldError[] {
  const both = finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')
  const clash = 'finalizer orphan and foregroundDeletion cannot be both set'
  return [
    ...finalizers.flatMap((name) =>
      isQualifiedName(name).map((it) => invalidValue(path, name, it)),
    ),
    ...(both ? [invalidValue(path, finalizers, clash)] : []),
  ]
}
