/**
 * The types of what admission expressions see beside the object (apiserver/pkg/admission/plugin/cel/compile.go): `request` and
 * `namespaceObject`. They are what the checker knows; at run time both are plain maps, as in kube-apiserver.
 */
import type { ObjectType } from '../cel-type.ts'
import { BOOL, DYN, INT, STRING, TIMESTAMP, listOf, mapOf, objectOf } from '../cel-type.ts'

const KIND = objectOf('kubernetes.GroupVersionKind', {
  group: STRING,
  version: STRING,
  kind: STRING,
})

const RESOURCE = objectOf('kubernetes.GroupVersionResource', {
  group: STRING,
  version: STRING,
  resource: STRING,
})

const USER_INFO = objectOf('kubernetes.UserInfo', {
  username: STRING,
  uid: STRING,
  groups: listOf(STRING),
  extra: mapOf(STRING, listOf(STRING)),
})

/** The type of `request`: an AdmissionRequest (admission/v1) without its uid and its objects. */
export const ADMISSION_REQUEST_TYPE: ObjectType = objectOf('kubernetes.AdmissionRequest', {
  kind: KIND,
  resource: RESOURCE,
  subResource: STRING,
  requestKind: KIND,
  requestResource: RESOURCE,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: USER_INFO,
  dryRun: BOOL,
  options: DYN,
})

const METADATA = objectOf('kubernetes.NamespaceMetadata', {
  name: STRING,
  generateName: STRING,
  namespace: STRING,
  labels: mapOf(STRING, STRING),
  annotations: mapOf(STRING, STRING),
  UID: STRING,
  creationTimestamp: TIMESTAMP,
  deletionGracePeriodSeconds: INT,
  deletionTimestamp: TIMESTAMP,
  generation: INT,
  resourceVersion: STRING,
  finalizers: listOf(STRING),
})

const CONDITION = objectOf('kubernetes.NamespaceCondition', {
  status: STRING,
  type: STRING,
  lastTransitionTime: TIMESTAMP,
  message: STRING,
  reason: STRING,
})

/** The type of `namespaceObject`: the namespace of the object at hand, null where it has none. */
export const NAMESPACE_OBJECT_TYPE: ObjectType = objectOf(
  'kubernetes.Namespace',
  {
    metadata: METADATA,
    spec: objectOf('kubernetes.NamespaceSpec', { finalizers: listOf(STRING) }),
    status: objectOf('kubernetes.NamespaceStatus', {
      conditions: listOf(CONDITION),
      phase: STRING,
    }),
  },
  { nullable: true },
)
