import type { UnknownObject } from 'kubewright/machinery'
import type { RequestInfo } from '../endpoints/request-info.ts'
import type { User } from '../http/message.ts'

/** Which requests a schema is about, and what tells their flows apart (flowcontrol/v1 FlowSchema). */
export interface FlowSchema extends UnknownObject {
  readonly spec?: {
    readonly priorityLevelConfiguration?: { readonly name?: string }
    readonly matchingPrecedence?: number
    readonly distinguisherMethod?: { readonly type?: string } | null
    readonly rules?: readonly FlowRule[] | null
  }
}

interface FlowRule {
  readonly subjects?: readonly FlowSubject[]
  readonly resourceRules?: readonly ResourceRule[]
  readonly nonResourceRules?: readonly PathRule[]
}

interface FlowSubject {
  readonly kind?: string
  readonly user?: { readonly name?: string }
  readonly group?: { readonly name?: string }
  readonly serviceAccount?: { readonly namespace?: string; readonly name?: string }
}

interface ResourceRule {
  readonly verbs?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly clusterScope?: boolean
  readonly namespaces?: readonly string[]
}

interface PathRule {
  readonly verbs?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

/** Schemas in the order in which they are asked: by precedence, then by name. */
export const inOrder = (schemas: readonly FlowSchema[]): readonly FlowSchema[] =>
  schemas.toSorted((a, b) => {
    const byPrecedence = precedenceOf(a) - precedenceOf(b)
    return byPrecedence || (a.metadata.name! < b.metadata.name! ? -1 : 1)
  })

const precedenceOf = ({ spec }: FlowSchema): number => spec?.matchingPrecedence ?? 1000

/** Whether a schema is about a request (apiserver/pkg/util/flowcontrol/rule.go). */
export function schemaMatches({ spec }: FlowSchema, user: User, info: RequestInfo): boolean {
  return (spec?.rules ?? []).some(
    ({ subjects = [], resourceRules = [], nonResourceRules = [] }) =>
      subjects.some((it) => isSubject(it, user)) &&
      (info.isResource
        ? resourceRules.some((it) => isResource(it, info))
        : nonResourceRules.some((it) => isPath(it, info))),
  )
}

function isSubject({ kind, user, group, serviceAccount }: FlowSubject, who: User): boolean {
  switch (kind) {
    case 'User':
      return user !== undefined && (user.name === '*' || user.name === who.name)
    case 'Group':
      return group !== undefined && (group.name === '*' || who.groups.includes(group.name ?? ''))
    case 'ServiceAccount': {
      const { namespace = '', name = '' } = serviceAccount ?? {}
      const prefix = `system:serviceaccount:${namespace}:`
      return name === '*' ? who.name.startsWith(prefix) : who.name === prefix + name
    }
    default:
      return false
  }
}

const among = (list: readonly string[] | undefined, one: string): boolean =>
  list !== undefined && (list.includes('*') || list.includes(one))

function isResource(rule: ResourceRule, info: RequestInfo): boolean {
  const { verb, resource, subresource, group, namespace } = info
  const full = subresource === '' ? resource : `${resource}/${subresource}`
  if (!among(rule.verbs, verb) || !among(rule.resources, full) || !among(rule.apiGroups, group))
    return false
  return namespace === '' ? rule.clusterScope === true : among(rule.namespaces, namespace)
}

const isPath = ({ verbs, nonResourceURLs = [] }: PathRule, { verb, path }: RequestInfo): boolean =>
  among(verbs, verb) &&
  nonResourceURLs.some((it) => {
    if (it === '*' || it === path) return true
    const prefix = it.replace(/\*$/, '')
    return path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`)
  })

/** What tells the flow of a request from others of its schema. */
export function distinguisherOf({ spec }: FlowSchema, user: User, info: RequestInfo): string {
  switch (spec?.distinguisherMethod?.type) {
    case 'ByUser':
      return user.name
    case 'ByNamespace':
      return info.namespace
    default:
      return ''
  }
}
