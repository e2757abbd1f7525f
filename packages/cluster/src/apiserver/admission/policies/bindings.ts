import { type AdmissionBindings, authorizerValue, resourceCheckValue } from 'kubewright/cel'
import type { UnknownObject } from 'kubewright/machinery'
import type { AdmissionRequest } from '../admission.ts'
import { namespaceOf, requestFields } from '../attributes.ts'
import type { MatchedAs, Versioned } from '../matching/versions.ts'
import type { RequestAuthorizer } from './request-authorizer.ts'

/** What the expressions of one policy see of a request. */
export interface Sight {
  readonly request: AdmissionRequest
  readonly as: MatchedAs
  readonly versioned: Versioned
  readonly params?: UnknownObject | undefined
  /** Where the object lies; absent for match conditions, which do not see it. */
  readonly namespaceObject?: UnknownObject | undefined
  /** Whom `authorizer` asks; absent for expressions that may not. */
  readonly authorizer?: RequestAuthorizer
}

/** The bindings of expressions (admission/plugin/cel activation.go). */
export function bindingsOf({
  request,
  as,
  versioned,
  params,
  namespaceObject,
  authorizer,
}: Sight): AdmissionBindings {
  return {
    object: versioned.object ?? null,
    oldObject: versioned.old ?? null,
    request: requestFields(request, as),
    namespaceObject: namespaceObject ? withoutType(namespaceObject) : null,
    params: params ?? null,
    ...(authorizer
      ? {
          authorizer: authorizerValue(authorizer),
          requestResource: resourceCheckValue(authorizer, checkOf(request)),
        }
      : {}),
  }
}

const checkOf = (request: AdmissionRequest): Parameters<typeof resourceCheckValue>[1] => ({
  group: request.context.resource.group,
  resource: request.context.resource.plural,
  subresource: request.subresource,
  namespace: namespaceOf(request),
  name: request.name,
})

/** A namespace shows no type, owners or managers of fields. */
function withoutType({ metadata, spec, status }: UnknownObject): object {
  const { managedFields: _, ownerReferences: __, selfLink: ___, ...kept } = metadata
  return { metadata: kept, spec: spec ?? {}, status: status ?? {} }
}
