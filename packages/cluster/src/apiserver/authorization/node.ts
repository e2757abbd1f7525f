import type { Attributes, Authorizer, Decision } from '../endpoints/authorizer.ts'
import type { User } from '../http/message.ts'
import type { Storage } from '../storage/storage.ts'
import { NO_OPINION } from './chain.ts'
import { isRelated, type Related } from './node-relations.ts'
import { allows, type PolicyRule } from './rbac.ts'

type Asked = Extract<Attributes, { readonly kind: 'resource' }>

const PREFIX = 'system:node:'
const ALLOWED: Decision = Object.freeze({ allowed: true, reason: '' })
const no = (reason: string): Decision => ({ allowed: false, reason })

/** Which node a user is; undefined for one who is none, empty for one who does not say (pkg/auth/nodeidentifier). */
export const nodeOf = ({ name, groups }: User): string | undefined =>
  groups.includes('system:nodes') && name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined

/** How to judge one resource for a node. */
type Rule = (asked: Asked, node: string, storage: Storage) => Decision | Promise<Decision>

const unrelated = (node: string): Decision =>
  no(`no relationship found between node '${node}' and this object`)

async function related(
  kind: Related,
  { namespace, name }: Asked,
  node: string,
  storage: Storage,
): Promise<Decision> {
  if (name === '') return no('No Object name found')
  return (await isRelated(storage, node, kind, namespace, name)) ? ALLOWED : unrelated(node)
}

const get =
  (kind: Related): Rule =>
  (asked, node, storage) => {
    if (asked.verb !== 'get') return no('can only get individual resources of this type')
    if (asked.subresource !== '') return no('cannot get subresource')
    return related(kind, asked, node, storage)
  }

const read =
  (kind: Related): Rule =>
  (asked, node, storage) => {
    if (!['get', 'list', 'watch'].includes(asked.verb))
      return no('can only read resources of this type')
    if (asked.subresource !== '') return no('cannot read subresource')
    if (asked.namespace === '') return no('can only read namespaced object of this type')
    return related(kind, asked, node, storage)
  }

const claim: Rule = (asked, node, storage) => {
  if (asked.subresource !== 'status') return get('/persistentvolumeclaims')(asked, node, storage)
  return ['update', 'patch'].includes(asked.verb)
    ? related('/persistentvolumeclaims', asked, node, storage)
    : no('can only get/update/patch this type')
}

const account: Rule = (asked, node, storage) => {
  const { verb, name, subresource } = asked
  if (verb === 'get' && subresource === '') return read('/serviceaccounts')(asked, node, storage)
  if (verb !== 'create' || name === '')
    return no('can only create tokens for individual service accounts')
  return subresource === 'token'
    ? related('/serviceaccounts', asked, node, storage)
    : no('can only create token subresource of serviceaccount')
}

const OWN_VERBS = ['get', 'create', 'update', 'patch', 'delete']

const lease: Rule = ({ verb, namespace, name }, node) => {
  if (!OWN_VERBS.includes(verb))
    return no('can only get, create, update, patch, or delete a node lease')
  if (namespace !== 'kube-node-lease')
    return no('can only access leases in the "kube-node-lease" system namespace')
  return verb === 'create' || name === node
    ? ALLOWED
    : no('can only access node lease with the same name as the requesting node')
}

const csiNode: Rule = ({ verb, subresource, name }, node) => {
  if (!OWN_VERBS.includes(verb))
    return no('can only get, create, update, patch, or delete a CSINode')
  if (subresource !== '') return no('cannot authorize CSINode subresources')
  return verb === 'create' || name === node
    ? ALLOWED
    : no('can only access CSINode with the same name as the requesting node')
}

/** Whether only what is on the node is asked for. */
const selects = ({ fieldSelector = [] }: Asked, field: string, node: string): boolean =>
  fieldSelector.some(
    ({ key, operator, values }) =>
      key === field && operator === '=' && values.length === 1 && values[0] === node,
  )

const slice: Rule = (asked, node, storage) => {
  const { verb, subresource } = asked
  if (subresource !== '') return no('cannot authorize ResourceSlice subresources')
  if (verb === 'create') return ALLOWED
  if (['get', 'update', 'patch', 'delete'].includes(verb))
    return related('resource.k8s.io/resourceslices', asked, node, storage)
  if (!['watch', 'list', 'deletecollection'].includes(verb)) {
    return no(
      'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
    )
  }
  return selects(asked, 'spec.nodeName', node)
    ? ALLOWED
    : no('can only list/watch/deletecollection resourceslices with nodeName field selector')
}

const certificate: Rule = (asked, node, storage) => {
  const { verb, subresource } = asked
  if (subresource !== '')
    return no('nodes may not access the status subresource of PodCertificateRequests')
  if (verb === 'create') return ALLOWED
  if (verb === 'get')
    return related('certificates.k8s.io/podcertificaterequests', asked, node, storage)
  if (verb !== 'list' && verb !== 'watch') return no(`nodes may not ${verb} podcertificaterequests`)
  return selects(asked, 'spec.nodeName', node)
    ? ALLOWED
    : no('can only list/watch podcertificaterequests with nodeName field selector')
}

const ownNode: Rule = ({ verb, subresource, name }, node) => {
  const writes = verb === 'update' || verb === 'patch'
  if (subresource === 'status' && writes) return ALLOWED
  if (subresource !== '') return NO_OPINION
  if (writes || verb === 'create') return ALLOWED
  if (!['get', 'list', 'watch'].includes(verb)) return NO_OPINION
  if (name === node) return ALLOWED
  return name === ''
    ? no(`node '${node}' cannot read all nodes, only its own Node object`)
    : no(`node '${node}' cannot read '${name}', only its own Node object`)
}

const pod: Rule = (asked, node, storage) => {
  const { verb, subresource, name } = asked
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? ALLOWED : NO_OPINION
  if (subresource === 'eviction') return verb === 'create' ? ALLOWED : NO_OPINION
  if (subresource !== '') return NO_OPINION
  if (verb === 'create' || verb === 'delete') return ALLOWED
  if (verb === 'get') return get('/pods')(asked, node, storage)
  if (verb !== 'list' && verb !== 'watch') return NO_OPINION
  if (selects(asked, 'spec.nodeName', node)) return ALLOWED
  return name === ''
    ? no('can only list/watch pods with spec.nodeName field selector')
    : related('/pods', asked, node, storage)
}

const RULES: Readonly<Record<string, Rule>> = {
  '/secrets': read('/secrets'),
  '/configmaps': read('/configmaps'),
  '/persistentvolumeclaims': claim,
  '/persistentvolumes': get('/persistentvolumes'),
  'resource.k8s.io/resourceclaims': get('resource.k8s.io/resourceclaims'),
  'storage.k8s.io/volumeattachments': get('storage.k8s.io/volumeattachments'),
  '/serviceaccounts': account,
  'coordination.k8s.io/leases': lease,
  'storage.k8s.io/csinodes': csiNode,
  'resource.k8s.io/resourceslices': slice,
  '/nodes': ownNode,
  '/pods': pod,
  'certificates.k8s.io/podcertificaterequests': certificate,
}

/**
 * Lets a kubelet at what its node has to do with (kubernetes/plugin/pkg/auth/authorizer/node); what is not divided up, by `rules`, those
 * of the role `system:node`.
 */
export const nodeAuthorizer =
  (storage: Storage, rules: readonly PolicyRule[]): Authorizer =>
  (attributes) => {
    const node = nodeOf(attributes.user)
    if (node === undefined) return NO_OPINION
    if (node === '') return no(`unknown node for user ${JSON.stringify(attributes.user.name)}`)
    const rule =
      attributes.kind === 'resource'
        ? RULES[`${attributes.group}/${attributes.resource}`]
        : undefined
    if (rule) return rule(attributes as Asked, node, storage)
    return rules.some((it) => allows(it, attributes)) ? ALLOWED : NO_OPINION
  }
