import { notFound, type ApiError, type UnknownObject } from 'kubewright/machinery'
import { nodeOf } from '../authorization/node.ts'
import type { Authorizer } from '../endpoints/authorizer.ts'
import { itemsAt, objectAt, same, textAt, type Readable } from '../registry/fields.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { checkMirrorPod } from './node-mirror-pods.ts'
import { checkPodCertificate } from './node-certificates.ts'
import { checkNodeToken } from './node-tokens.ts'
import { refuse } from './refusal.ts'

/** What a rule of NodeRestriction works with. */
export interface NodeParts {
  readonly authorizer: Authorizer
}

type Rule = (request: AdmissionRequest, node: string, parts: NodeParts) => void | Promise<void>

const PODS = { group: '', plural: 'pods' }
const quote = (text: string): string => JSON.stringify(text)

/** The pod that a request is about; 404 where it is not there. */
async function podOf({ context, name }: AdmissionRequest): Promise<UnknownObject> {
  const found = await context.find('/pods', context.namespace, name)
  if (!found) throw notFound(PODS, name)
  return found
}

const nodeNameOf = (pod: object | undefined): string =>
  textAt(objectAt(pod as Readable | undefined, 'spec'), 'nodeName')

const pods: Rule = (request, node, parts) => {
  switch (request.subresource) {
    case '':
      return wholePods(request, node, parts)
    case 'status':
      return podStatus(request, node, parts)
    case 'eviction':
      return podEviction(request, node, parts)
    default:
      throw refuse(
        request,
        `unexpected pod subresource ${quote(request.subresource)}, only 'status' and 'eviction' are allowed`,
      )
  }
}

const wholePods: Rule = async (request, node) => {
  const { operation } = request
  if (operation === 'CREATE') return checkMirrorPod(request, node)
  if (operation !== 'DELETE') {
    throw refuse(
      request,
      `unexpected operation ${quote(operation)}, node ${quote(node)} can only create and delete mirror pods`,
    )
  }
  if (nodeNameOf(await podOf(request)) === node) return
  throw refuse(request, `node ${quote(node)} can only delete pods with spec.nodeName set to itself`)
}

const podStatus: Rule = (request, node) => {
  const { object, old } = request
  if (nodeNameOf(old) !== node) {
    throw refuse(
      request,
      `node ${quote(node)} can only update pod status for pods with spec.nodeName set to itself`,
    )
  }
  const refused = (what: string): ApiError =>
    refuse(request, `node ${quote(node)} cannot update ${what}`)
  if (!same(old?.metadata.labels ?? {}, object?.metadata.labels ?? {})) {
    throw refused('labels through pod status')
  }
  const [before, after] = [old, object].map((it) => objectAt(it, 'status'))
  if (!same(itemsAt(before, 'resourceClaimStatuses'), itemsAt(after, 'resourceClaimStatuses'))) {
    throw refused('resource claim statues')
  }
  if (!same(before?.['extendedResourceClaimStatus'], after?.['extendedResourceClaimStatus'])) {
    throw refused('extended resource claim status')
  }
}

const podEviction: Rule = async (request, node) => {
  if (nodeNameOf(await podOf(request)) === node) return
  throw refuse(request, `node ${node} can only evict pods with spec.nodeName set to itself`)
}

const NODE_RESTRICTION = 'node-restriction.kubernetes.io'
const KUBELET_LABELS: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
])

const isIn = (domain: string, suffix: string): boolean =>
  domain === suffix || domain.endsWith(`.${suffix}`)

function isForbiddenLabel(key: string): boolean {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : ''
  if (isIn(domain, NODE_RESTRICTION)) return true
  if (!isIn(domain, 'kubernetes.io') && !isIn(domain, 'k8s.io')) return false
  const isOwn = isIn(domain, 'kubelet.kubernetes.io') || isIn(domain, 'node.kubernetes.io')
  return !isOwn && !KUBELET_LABELS.has(key)
}

/** Labels that differ and that a node may not change. */
function forbiddenLabels(
  after: Readonly<Record<string, string>> = {},
  before: Readonly<Record<string, string>> = {},
): readonly string[] {
  const changed = [...new Set([...Object.keys(after), ...Object.keys(before)])].filter(
    (it) => after[it] !== before[it],
  )
  return changed.filter(isForbiddenLabel).toSorted()
}

const nodes: Rule = (request, node) => {
  const { object, old, operation, name } = request
  if (name !== node) {
    throw refuse(request, `node ${quote(node)} is not allowed to modify node ${quote(name)}`)
  }
  if (operation === 'DELETE') return
  const labels = forbiddenLabels(object?.metadata.labels, old?.metadata.labels)
  if (operation === 'CREATE') {
    if (labels.length === 0) return
    throw refuse(
      request,
      `node ${quote(node)} is not allowed to set the following labels: ${labels.join(', ')}`,
    )
  }
  const [before, after] = [old, object].map((it) => objectAt(it, 'spec'))
  if (!same(itemsAt(before, 'taints'), itemsAt(after, 'taints'))) {
    throw refuse(request, `node ${quote(node)} is not allowed to modify taints`)
  }
  if (!same(old?.metadata.ownerReferences ?? [], object?.metadata.ownerReferences ?? [])) {
    throw refuse(request, `node ${quote(node)} is not allowed to modify ownerReferences`)
  }
  if (labels.length > 0) {
    throw refuse(request, `is not allowed to modify labels: ${labels.join(', ')}`)
  }
}

/** What a node may write of a claim. */
const CLAIM_FIELDS = ['capacity', 'conditions', 'allocatedResourceStatuses', 'allocatedResources']

const claims: Rule = (request, node) => {
  if (request.subresource !== 'status') throw refuse(request, 'may only update PVC status')
  const kept = (it: Readable | undefined): unknown => {
    const { resourceVersion: _, managedFields: __, ...metadata } = objectAt(it, 'metadata') ?? {}
    const status = { ...objectAt(it, 'status') }
    for (const name of CLAIM_FIELDS) delete status[name]
    return { ...it, metadata, status }
  }
  if (same(kept(request.old), kept(request.object))) return
  throw refuse(
    request,
    `node ${quote(node)} is not allowed to update fields other than status.quantity and status.conditions`,
  )
}

const accounts: Rule = (request, node, { authorizer }) =>
  request.operation === 'CREATE' && request.subresource === 'token'
    ? checkNodeToken(request, node, authorizer)
    : undefined

const leases: Rule = (request, node) => {
  if (request.context.namespace !== 'kube-node-lease') {
    throw refuse(request, 'can only access leases in the "kube-node-lease" system namespace')
  }
  if (request.name === node) return
  throw refuse(request, 'can only access node lease with the same name as the requesting node')
}

const csiNodes: Rule = (request, node) => {
  if (request.name === node) return
  throw refuse(request, 'can only access CSINode with the same name as the requesting node')
}

const slices: Rule = (request, node) => {
  const { operation, object, old } = request
  if (operation === 'UPDATE') return
  if (nodeNameOf(operation === 'CREATE' ? object : old) === node) return
  const what = operation === 'CREATE' ? 'create' : 'delete'
  throw refuse(
    request,
    `can only ${what} ResourceSlice with the same NodeName as the requesting node`,
  )
}

const SIGNERS = ['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet']

const certificates: Rule = async (request, node) => {
  if (request.operation !== 'CREATE') return
  const spec = objectAt(request.object, 'spec')
  if (!SIGNERS.includes(textAt(spec, 'signerName'))) return
  let names: readonly string[]
  try {
    const { commonNamesIn } = await import('./certificate-organizations.ts')
    names = commonNamesIn(textAt(spec, 'request'))
  } catch (error) {
    throw refuse(request, `unable to parse csr: ${(error as Error).message}`)
  }
  const wanted = `system:node:${node}`
  if (names.at(-1) !== wanted) throw refuse(request, `can only create a node CSR with CN=${wanted}`)
}

const RULES: Readonly<Record<string, Rule>> = {
  '/pods': pods,
  '/nodes': nodes,
  '/persistentvolumeclaims': claims,
  '/serviceaccounts': accounts,
  'coordination.k8s.io/leases': leases,
  'storage.k8s.io/csinodes': csiNodes,
  'certificates.k8s.io/podcertificaterequests': checkPodCertificate,
  'resource.k8s.io/resourceslices': slices,
  'certificates.k8s.io/certificatesigningrequests': certificates,
}

const ruleFor = ({ context: { resource } }: AdmissionRequest): Rule | undefined =>
  RULES[`${resource.group}/${resource.plural}`]

/** NodeRestriction: a kubelet writes only what is its own (kubernetes/plugin/pkg/admission/noderestriction). Off by default. */
export const nodeRestriction = (parts: NodeParts): AdmissionPlugin => ({
  name: 'NodeRestriction',
  handles: (request) =>
    request.operation !== 'CONNECT' &&
    nodeOf(request.context.user) !== undefined &&
    ruleFor(request) !== undefined,
  admit: (request) => {
    const { user } = request.context
    const node = nodeOf(user)!
    if (node === '') {
      throw refuse(request, `could not determine node from user ${quote(user.name)}`)
    }
    return ruleFor(request)!(request, node, parts)
  },
})
