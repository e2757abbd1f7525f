import {
  invalidValue,
  type FieldError,
  type ObjectMeta,
  type UnknownObject,
} from 'kubewright/machinery'
import type { ResourceInfo } from '../../resources/resource.ts'
import type { Draft, Strategy } from '../strategy.ts'
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts'

/** How often a kind's own validation of an update looks at metadata: at its changes, and at all of it. */
type Looks = readonly [changes: number, whole: number]

const USUAL: Looks = [1, 0]
const BOTH: Looks = [1, 1]

/**
 * Kubernetes checks the metadata of every update before the kind's own validation does so again, and each finding is a cause of its
 * own. By `group/plural`, with the subresource; counted in the answers of a real server.
 */
const LOOKS: Readonly<Record<string, Looks>> = {
  'admissionregistration.k8s.io/validatingwebhookconfigurations': [0, 1],
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': [0, 1],
  'admissionregistration.k8s.io/validatingadmissionpolicies': [0, 1],
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': [0, 1],
  'admissionregistration.k8s.io/mutatingadmissionpolicies': [0, 1],
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': [0, 1],
  '/configmaps': BOTH,
  '/secrets': BOTH,
  '/pods': BOTH,
  '/namespaces': BOTH,
  '/serviceaccounts': BOTH,
  '/persistentvolumeclaims': BOTH,
  '/persistentvolumes': [0, 2],
  '/limitranges': [0, 1],
  '/nodes': BOTH,
  '/endpoints': BOTH,
  '/events': [0, 0],
  'apps/controllerrevisions': BOTH,
  'batch/jobs': BOTH,
  'batch/cronjobs/status': [0, 0],
  'networking.k8s.io/ingresses': BOTH,
  'networking.k8s.io/ingressclasses': BOTH,
  'policy/poddisruptionbudgets': [0, 0],
  'policy/poddisruptionbudgets/status': [0, 0],
  'rbac.authorization.k8s.io/roles': BOTH,
  'rbac.authorization.k8s.io/rolebindings': BOTH,
  'rbac.authorization.k8s.io/clusterroles': BOTH,
  'rbac.authorization.k8s.io/clusterrolebindings': BOTH,
  'networking.k8s.io/ipaddresses': BOTH,
  'storage.k8s.io/storageclasses': BOTH,
  'storage.k8s.io/csinodes': [0, 1],
  'storage.k8s.io/csistoragecapacities': BOTH,
  'storage.k8s.io/volumeattachments': [0, 1],
  'storage.k8s.io/volumeattributesclasses': BOTH,
  'apiregistration.k8s.io/apiservices': BOTH,
  'certificates.k8s.io/certificatesigningrequests': BOTH,
  'certificates.k8s.io/certificatesigningrequests/approval': BOTH,
  'certificates.k8s.io/certificatesigningrequests/status': BOTH,
  'flowcontrol.apiserver.k8s.io/flowschemas': [0, 1],
  'flowcontrol.apiserver.k8s.io/flowschemas/status': [0, 0],
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': [0, 1],
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations/status': [0, 0],
  'node.k8s.io/runtimeclasses': BOTH,
  'resource.k8s.io/deviceclasses': BOTH,
  'resource.k8s.io/resourceclaims': BOTH,
  'resource.k8s.io/resourceclaimtemplates': BOTH,
  'discovery.k8s.io/endpointslices': [0, 1],
}

const STANDARD_FINALIZERS: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion']

/** Of finalizers without a domain, built-in kinds take only Kubernetes' own (core/validation ValidateObjectMeta). */
export function plainFinalizerErrors({ finalizers = [] }: ObjectMeta): readonly FieldError[] {
  return finalizers.flatMap((it, i) =>
    it.includes('/') || STANDARD_FINALIZERS.includes(it)
      ? []
      : [
          invalidValue(
            `metadata.finalizers[${i}]`,
            it,
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        ],
  )
}

/** Kinds that look at metadata by the rules that custom kinds have too (apimachinery's validation instead of core's). */
const COMMON_RULES: readonly string[] = [
  'admissionregistration.k8s.io/',
  'apiextensions.k8s.io/',
  'apiregistration.k8s.io/',
  'coordination.k8s.io/',
  'node.k8s.io/',
]

/** Whether a kind (`group/plural`) takes of finalizers without a domain only Kubernetes' own. */
export const knowsPlainFinalizers = (place: string): boolean =>
  place !== 'policy/poddisruptionbudgets' && !COMMON_RULES.some((it) => place.startsWith(it))

const BLIND: ReadonlySet<string> = new Set(['/events', 'policy/poddisruptionbudgets'])

/** Whether a kind's own validation of a new object looks at metadata, which is looked at in any case once there is nothing else. */
export const looksAtMetadata = ({ storageKey }: ResourceInfo): boolean => !BLIND.has(storageKey)

/** What a kind's own validation of an update finds in metadata, which has been checked once already. */
export function repeatedMetadataErrors(
  { group, plural, scope, custom }: ResourceInfo,
  subresource: string,
  { validateName }: Strategy,
  draft: Draft,
  old: UnknownObject,
): readonly FieldError[] {
  const place = `${group}/${plural}${subresource === '' ? '' : `/${subresource}`}`
  const [changes, whole] = LOOKS[place] ?? USUAL
  const { metadata } = draft
  const finalizers = custom || !knowsPlainFinalizers(place) ? [] : plainFinalizerErrors(metadata)
  const errors: FieldError[] = []
  for (let i = 0; i < changes; i++)
    errors.push(...validateObjectMetaUpdate(metadata, old.metadata), ...finalizers)
  for (let i = 0; i < whole; i++)
    errors.push(...validateObjectMeta(metadata, scope, validateName), ...finalizers)
  return errors
}
