import { compareQuantities, type UnknownObject } from 'kubewright/machinery'
import { amountOf, resourcesAt } from '../registry/core/resource-list.ts'
import {
  ensureObject,
  flagAt,
  has,
  itemsAt,
  objectAt,
  textAt,
  type Readable,
} from '../registry/fields.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { isAbout, refuse } from './refusal.ts'

const writes = (request: AdmissionRequest): boolean =>
  request.operation === 'CREATE' || request.operation === 'UPDATE'

const NOT_READY = 'node.kubernetes.io/not-ready'
const UNREACHABLE = 'node.kubernetes.io/unreachable'
/** Five minutes. */
const TOLERATED_SECONDS = 300

function tolerate(request: AdmissionRequest): void {
  const spec = ensureObject(request.object!, 'spec')
  const held = itemsAt(spec, 'tolerations')
  const added = [NOT_READY, UNREACHABLE]
    .filter((key) => !held.some((it) => tolerates(it, key)))
    .map((key) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: TOLERATED_SECONDS,
    }))
  if (added.length > 0) spec['tolerations'] = [...held, ...added]
}

const tolerates = (toleration: Readable, key: string): boolean =>
  ['', key].includes(textAt(toleration, 'key')) &&
  ['', 'NoExecute'].includes(textAt(toleration, 'effect'))

/** DefaultTolerationSeconds: a pod stays five minutes on a node that is gone (kubernetes/plugin/pkg/admission/defaulttolerationseconds). */
export const DEFAULT_TOLERATION_SECONDS: AdmissionPlugin = Object.freeze({
  name: 'DefaultTolerationSeconds',
  handles: (request: AdmissionRequest) => writes(request) && isAbout(request, '/pods'),
  admit: tolerate,
})

function taint(request: AdmissionRequest): void {
  const spec = ensureObject(request.object!, 'spec')
  const held = itemsAt(spec, 'taints')
  if (held.some((it) => it['key'] === NOT_READY && it['effect'] === 'NoSchedule')) return
  spec['taints'] = [...held, { key: NOT_READY, effect: 'NoSchedule' }]
}

/** TaintNodesByCondition: a new node takes no pods until it says that it is ready (kubernetes/plugin/pkg/admission/nodetaint). */
export const TAINT_NODES_BY_CONDITION: AdmissionPlugin = Object.freeze({
  name: 'TaintNodesByCondition',
  handles: (request: AdmissionRequest) =>
    request.operation === 'CREATE' && isAbout(request, '/nodes'),
  admit: taint,
})

const PROTECTION: Readonly<Record<string, string>> = {
  persistentvolumes: 'kubernetes.io/pv-protection',
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
  volumeattributesclasses: 'kubernetes.io/vac-protection',
}

function protect(request: AdmissionRequest): void {
  const meta = request.object!.metadata
  const finalizer = PROTECTION[request.context.resource.plural]!
  if (!meta.finalizers?.includes(finalizer)) {
    meta.finalizers = [...(meta.finalizers ?? []), finalizer]
  }
}

/** StorageObjectInUseProtection: storage in use is not deleted (kubernetes/plugin/pkg/admission/storage/storageobjectinuseprotection). */
export const STORAGE_OBJECT_IN_USE_PROTECTION: AdmissionPlugin = Object.freeze({
  name: 'StorageObjectInUseProtection',
  handles: (request: AdmissionRequest) =>
    request.operation === 'CREATE' &&
    isAbout(
      request,
      '/persistentvolumes',
      '/persistentvolumeclaims',
      'storage.k8s.io/volumeattributesclasses',
    ),
  admit: protect,
})

/** Of several classes marked as default, the newest, then the first by name. */
async function defaultClass(
  request: AdmissionRequest,
  key: string,
  annotations: readonly string[],
): Promise<UnknownObject | undefined> {
  const marked = (await request.context.all(key, '')).filter((it) =>
    annotations.some((name) => it.metadata.annotations?.[name] === 'true'),
  )
  return marked.toSorted(newestFirst)[0]
}

function newestFirst(a: UnknownObject, b: UnknownObject): number {
  const [left, right] = [a, b].map((it) => Date.parse(it.metadata.creationTimestamp ?? '') || 0)
  return right! - left! || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1)
}

const DEFAULT_STORAGE = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
]
const OLD_CLASS = 'volume.beta.kubernetes.io/storage-class'

async function giveStorageClass(request: AdmissionRequest): Promise<void> {
  const claim = request.object!
  const spec = ensureObject(claim, 'spec')
  if (has(spec, 'storageClassName') || claim.metadata.annotations?.[OLD_CLASS] !== undefined) return
  const found = await defaultClass(request, 'storage.k8s.io/storageclasses', DEFAULT_STORAGE)
  if (found) spec['storageClassName'] = found.metadata.name
}

/** DefaultStorageClass (kubernetes/plugin/pkg/admission/storage/storageclass/setdefault). */
export const DEFAULT_STORAGE_CLASS: AdmissionPlugin = Object.freeze({
  name: 'DefaultStorageClass',
  handles: (request: AdmissionRequest) =>
    request.operation === 'CREATE' && isAbout(request, '/persistentvolumeclaims'),
  admit: giveStorageClass,
})

async function giveIngressClass(request: AdmissionRequest): Promise<void> {
  const ingress = request.object!
  const spec = ensureObject(ingress, 'spec')
  if (has(spec, 'ingressClassName')) return
  if (ingress.metadata.annotations?.['kubernetes.io/ingress.class'] !== undefined) return
  const found = await defaultClass(request, 'networking.k8s.io/ingressclasses', [
    'ingressclass.kubernetes.io/is-default-class',
  ])
  if (found) spec['ingressClassName'] = found.metadata.name
}

/** DefaultIngressClass (kubernetes/plugin/pkg/admission/network/defaultingressclass). */
export const DEFAULT_INGRESS_CLASS: AdmissionPlugin = Object.freeze({
  name: 'DefaultIngressClass',
  handles: (request: AdmissionRequest) =>
    request.operation === 'CREATE' && isAbout(request, 'networking.k8s.io/ingresses'),
  admit: giveIngressClass,
})

async function checkResize(request: AdmissionRequest): Promise<void> {
  const size = (claim: Readable | undefined) =>
    amountOf(resourcesAt(objectAt(objectAt(claim, 'spec'), 'resources'), 'requests')['storage'])
  const now = size(request.object)
  const before = size(request.old)
  if (!now || !before || compareQuantities(now, before) <= 0) return
  if (textAt(objectAt(request.old, 'status'), 'phase') !== 'Bound') {
    throw refuse(request, 'Only bound persistent volume claims can be expanded')
  }
  if (await mayResize(request)) return
  throw refuse(
    request,
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
  )
}

async function mayResize(request: AdmissionRequest): Promise<boolean> {
  const name = classNameOf(request.object)
  if (name === '' || name !== classNameOf(request.old)) return false
  const found = await request.context.find('storage.k8s.io/storageclasses', '', name)
  return flagAt(found, 'allowVolumeExpansion')
}

const classNameOf = (claim: Pick<UnknownObject, 'metadata'> | undefined): string =>
  claim?.metadata.annotations?.[OLD_CLASS] ??
  textAt(objectAt(claim as Readable | undefined, 'spec'), 'storageClassName')

/** PersistentVolumeClaimResize (kubernetes/plugin/pkg/admission/storage/persistentvolume/resize). */
export const CLAIM_RESIZE: AdmissionPlugin = Object.freeze({
  name: 'PersistentVolumeClaimResize',
  handles: (request: AdmissionRequest) =>
    request.operation === 'UPDATE' && isAbout(request, '/persistentvolumeclaims'),
  validate: checkResize,
})
