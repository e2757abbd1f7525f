import { notFound } from 'kubewright/machinery'
import { itemsAt, objectAt, textAt, type Readable } from '../registry/fields.ts'
import type { AdmissionRequest } from './admission.ts'
import { refuse } from './refusal.ts'

const MIRROR = 'kubernetes.io/config.mirror'

/** A node makes only mirrors of the pods that it runs from files (noderestriction admitPodCreate). Rejects with the refusal. */
export async function checkMirrorPod(request: AdmissionRequest, node: string): Promise<void> {
  const { object } = request
  const me = `node ${JSON.stringify(node)}`
  const spec = objectAt(object, 'spec') ?? {}
  if (object?.metadata.annotations?.[MIRROR] === undefined) {
    throw refuse(
      request,
      `pod does not have "${MIRROR}" annotation, ${me} can only create mirror pods`,
    )
  }
  if (textAt(spec, 'nodeName') !== node) {
    throw refuse(request, `${me} can only create pods with spec.nodeName set to itself`)
  }
  await checkOwner(request, node, me)
  const referenced = referenceIn(spec)
  if (referenced === undefined) return
  throw refuse(request, `${me} can not create pods that reference ${referenced}`)
}

async function checkOwner(request: AdmissionRequest, node: string, me: string): Promise<void> {
  const owners = request.object?.metadata.ownerReferences ?? []
  const refused = (what: string): Error =>
    refuse(request, `${me} can only create pods with ${what}`)
  if (owners.length > 1) throw refused('a single owner reference set to itself')
  const [owner] = owners
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node) {
    throw refused('an owner reference set to itself')
  }
  if (owner.controller !== true) throw refused('a controller owner reference set to itself')
  if (owner.blockOwnerDeletion === true) {
    throw refuse(request, `${me} must not set blockOwnerDeletion on an owner reference`)
  }
  const found = await request.context.find('/nodes', '', node)
  // It looks in a cache, which names the kind so.
  if (!found) throw notFound({ group: '', plural: 'node' }, node)
  const { uid } = found.metadata
  if (owner.uid === uid) return
  throw refuse(request, `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`)
}

const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers']

/** Sources in `env` and `envFrom` of any container. */
function hasSource(spec: Readable, direct: string, keyed: string): boolean {
  return CONTAINERS.flatMap((it) => itemsAt(spec, it)).some(
    (container) =>
      itemsAt(container, 'envFrom').some((it) => objectAt(it, direct)) ||
      itemsAt(container, 'env').some((it) => objectAt(objectAt(it, 'valueFrom'), keyed)),
  )
}

/** Volumes that lead to other objects, and to which. */
const VOLUMES: Readonly<Record<string, string>> = {
  configMap: 'configmaps (via configmap volumes)',
  secret: 'secrets (via secret volumes)',
  csi: 'csidrivers (via CSI volumes)',
  glusterfs: 'endpoints (via glusterFS volumes)',
  persistentVolumeClaim: 'persistentvolumeclaims',
  ephemeral: 'persistentvolumeclaims (via ephemeral volumes)',
  azureFile: 'secrets (via azureFile volumes)',
}
const PROJECTED: Readonly<Record<string, string>> = {
  configMap: 'configmaps (via projected volumes)',
  secret: 'secrets (via projected volumes)',
  serviceAccountToken: 'serviceaccounts (via projected volumes)',
  clusterTrustBundle: 'clustertrustbundles',
  podCertificate: 'podcertificates',
}

const firstOf = (from: Readable, known: Readonly<Record<string, string>>): string | undefined =>
  Object.entries(known).find(([name]) => objectAt(from, name))?.[1]

/** What other objects a pod refers to (kubernetes/pkg/api/pod HasAPIObjectReference); undefined for none. */
function referenceIn(spec: Readable): string | undefined {
  if (textAt(spec, 'serviceAccountName') !== '') return 'serviceaccounts'
  const pulls = itemsAt(spec, 'imagePullSecrets').length > 0
  const volumes = itemsAt(spec, 'volumes')
  const secretVolume = volumes.some((it) => objectAt(it, 'secret') ?? objectAt(it, 'azureFile'))
  if (pulls || secretVolume || hasSource(spec, 'secretRef', 'secretKeyRef')) return 'secrets'
  const mapVolume = volumes.some((it) => objectAt(it, 'configMap'))
  if (mapVolume || hasSource(spec, 'configMapRef', 'configMapKeyRef')) return 'configmaps'
  if (itemsAt(spec, 'resourceClaims').length > 0) return 'resourceclaims'
  for (const volume of volumes) {
    const found =
      firstOf(volume, VOLUMES) ??
      itemsAt(objectAt(volume, 'projected'), 'sources')
        .map((it) => firstOf(it, PROJECTED))
        .find((it) => it !== undefined)
    if (found) return found
  }
  return undefined
}
