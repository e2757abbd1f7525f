import { type GroupVersionKind, notFound, type UnknownObject } from 'kubewright/machinery'
import type { ResourceInfo } from '../resources/resource.ts'
import type { AdmissionRequest } from './admission.ts'
import type { GroupVersionResource } from './matching/rules.ts'

/** The namespace of a request as admission sees it: a namespace object lies in itself. */
export function namespaceOf({ context, name }: AdmissionRequest): string {
  return isNamespaces(context.resource) ? name : context.namespace
}

/** Whether a resource is that of namespaces. */
export const isNamespaces = ({ group, plural }: { group: string; plural: string }): boolean =>
  group === '' && plural === 'namespaces'

/** The kind of what a request brings, which under a subresource may be another than the resource's. */
export function kindOf({ context, kind }: AdmissionRequest): GroupVersionKind {
  if (kind) return kind
  const { group, version, kind: own } = context.resource
  return { group, version, kind: own }
}

/** The kind that a (sub)resource takes. */
export function kindUnder(info: ResourceInfo, subresource: string): GroupVersionKind {
  const found = subresource === '' ? info : info.subresources.find((it) => it.name === subresource)
  const { group, version, kind } = found ?? info
  return { group, version, kind }
}

/** The namespace that the object of a request lies in; undefined for one that lies in none. Throws the 404 of one that is not there. */
export async function namespaceObjectOf(
  request: AdmissionRequest,
): Promise<UnknownObject | undefined> {
  const namespace = isNamespaces(request.context.resource) ? '' : request.context.namespace
  if (namespace === '') return undefined
  const found = await request.context.find('/namespaces', '', namespace)
  if (!found) throw notFound({ group: '', plural: 'namespaces' }, namespace)
  return found
}

/**
 * The AdmissionRequest (admission/v1) of a request, but for its uid and its objects, seen as `kind` and `resource`: what a webhook
 * is sent and what expressions know as `request`.
 */
export function requestFields(
  request: AdmissionRequest,
  as: { readonly kind: GroupVersionKind; readonly resource: GroupVersionResource },
): Readonly<Record<string, unknown>> {
  const { context, operation, subresource, name } = request
  const { metadata: _, ...options } = request.options
  const { user } = context
  const namespace = namespaceOf(request)
  return {
    kind: as.kind,
    resource: resourceText(as.resource),
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: kindOf(request),
    requestResource: resourceText(context.resource),
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: {
      ...(user.name === '' ? {} : { username: user.name }),
      ...(user.uid ? { uid: user.uid } : {}),
      ...(user.groups.length > 0 ? { groups: user.groups } : {}),
      ...(Object.keys(user.extra ?? {}).length > 0 ? { extra: user.extra } : {}),
    },
    dryRun: context.dryRun,
    options: Object.keys(options).length > 0 ? options : null,
  }
}

const resourceText = ({ group, version, plural }: GroupVersionResource): object => ({
  group,
  version,
  resource: plural,
})
