import { apiVersionOf, type OwnerReference } from 'kubewright/machinery'
import type { Attributes, Authorizer } from '../endpoints/authorizer.ts'
import type { Catalog } from '../endpoints/catalog.ts'
import { same } from '../registry/fields.ts'
import type { ResourceInfo } from '../resources/resource.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { namespaceOf } from './attributes.ts'
import { isUnder, refuse } from './refusal.ts'

interface Parts {
  readonly authorizer: Authorizer
  readonly catalog: () => Catalog
}

type References = readonly OwnerReference[]

const ownersOf = (
  it: { readonly metadata?: { readonly ownerReferences?: unknown } } | undefined,
): References => (it?.metadata?.ownerReferences ?? []) as References

/**
 * OwnerReferencesPermissionEnforcement: who gives an object owners must be able to delete it, and whoever blocks the deletion of an owner
 * must be able to set its finalizers (kubernetes/plugin/pkg/admission/gc). Off by default.
 */
export const ownerReferences = (parts: Parts): AdmissionPlugin => ({
  name: 'OwnerReferencesPermissionEnforcement',
  handles: (request) =>
    (request.operation === 'CREATE' || request.operation === 'UPDATE') &&
    // The status of a pod never changes its owners.
    !(request.subresource === 'status' && isUnder(request, '/pods')),
  validate: async (request) => {
    const [after, before] = [ownersOf(request.object), ownersOf(request.old)]
    if (same(after, before)) return
    if (request.operation === 'UPDATE') await checkDeletion(parts, request)
    const blocking = newlyBlocking(after, before)
    if (blocking.length > 0) await checkFinalizers(parts, request, blocking)
  },
})

async function checkDeletion({ authorizer }: Parts, request: AdmissionRequest): Promise<void> {
  const { group, version, plural } = request.context.resource
  const { allowed, reason, error } = await authorizer({
    kind: 'resource',
    user: request.context.user,
    verb: 'delete',
    group,
    version,
    resource: plural,
    subresource: request.subresource,
    namespace: namespaceOf(request),
    name: request.name,
  })
  if (allowed) return
  const why = `${reason}, ${error ?? '<nil>'}`
  throw refuse(request, `cannot set an ownerRef on a resource you can't delete: ${why}`)
}

/** References that block the deletion of their owners and did not before. */
function newlyBlocking(after: References, before: References): References {
  return after.filter((it) => {
    if (it.blockOwnerDeletion !== true) return false
    return before.find((one) => one.uid === it.uid)?.blockOwnerDeletion !== true
  })
}

const finalizersOf = (
  request: AdmissionRequest,
  of: { group: string; version: string; resource: string; namespace: string; name: string },
): Attributes => ({
  kind: 'resource',
  user: request.context.user,
  verb: 'update',
  subresource: 'finalizers',
  ...of,
})

async function checkFinalizers(
  parts: Parts,
  request: AdmissionRequest,
  blocking: References,
): Promise<void> {
  const { authorizer } = parts
  const anything = { group: '*', version: '*', resource: '*', namespace: '', name: '*' }
  if ((await authorizer(finalizersOf(request, anything))).allowed) return
  for (const owner of blocking) {
    for (const info of resourcesOf(parts, request, owner)) {
      const { group, version, plural: resource, scope } = info
      const namespace = scope === 'Namespaced' ? namespaceOf(request) : ''
      const of = { group, version, resource, namespace, name: owner.name }
      const { allowed, reason, error } = await authorizer(finalizersOf(request, of))
      if (allowed) continue
      const why = `${reason}, ${error ?? '<nil>'}`
      throw refuse(
        request,
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${why}`,
      )
    }
  }
}

function resourcesOf(
  { catalog }: Parts,
  request: AdmissionRequest,
  { apiVersion, kind }: OwnerReference,
): readonly ResourceInfo[] {
  const found = [...catalog().all()]
    .map((it) => it.info)
    .filter((it) => it.kind === kind && apiVersionOf(it) === apiVersion)
  if (found.length > 0) return found
  const known = `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`
  throw refuse(
    request,
    `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ${known}`,
  )
}
