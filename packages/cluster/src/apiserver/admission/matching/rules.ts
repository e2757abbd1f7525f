import type { AdmissionRequest } from '../admission.ts'
import { namespaceOf } from '../attributes.ts'

/** Which requests a webhook or a policy is about (admissionregistration/v1 RuleWithOperations). */
export interface Rule {
  readonly operations?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: string
  /** Of policies alone: the names of the objects, all where there are none. */
  readonly resourceNames?: readonly string[]
}

/** A resource in one version. */
export interface GroupVersionResource {
  readonly group: string
  readonly version: string
  readonly plural: string
}

/** Whether a rule holds for a request, as if that were for another resource (webhook/predicates/rules). */
export function matchesRule(
  rule: Rule,
  request: AdmissionRequest,
  { group, version, plural }: GroupVersionResource,
): boolean {
  return (
    matchesScope(rule, request, group === '' && version === 'v1' && plural === 'namespaces') &&
    has(rule.operations, request.operation) &&
    has(rule.apiGroups, group) &&
    has(rule.apiVersions, version) &&
    (rule.resources ?? []).some((it) => matchesResource(it, plural, request.subresource))
  )
}

/** An empty list of names holds for all. */
export const matchesName = ({ resourceNames = [] }: Rule, name: string): boolean =>
  resourceNames.length === 0 || resourceNames.includes(name)

function matchesScope(
  { scope = '*' }: Rule,
  request: AdmissionRequest,
  namespaces: boolean,
): boolean {
  if (scope === '*') return true
  const cluster = namespaces || namespaceOf(request) === ''
  return scope === (cluster ? 'Cluster' : 'Namespaced')
}

const has = (all: readonly string[] | undefined, one: string): boolean =>
  all !== undefined && (all.includes('*') || all.includes(one))

function matchesResource(pattern: string, plural: string, subresource: string): boolean {
  const slash = pattern.indexOf('/')
  const resource = slash < 0 ? pattern : pattern.slice(0, slash)
  const sub = slash < 0 ? '' : pattern.slice(slash + 1)
  return (resource === '*' || resource === plural) && (sub === '*' || sub === subresource)
}
