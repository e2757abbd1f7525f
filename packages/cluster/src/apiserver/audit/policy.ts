import {
  type FieldError,
  invalidValue,
  isDns1123Subdomain,
  notSupported,
} from 'kubewright/machinery'
import type { Attributes } from '../endpoints/authorizer.ts'

/** How much is written down of a request, from nothing to all of it. */
export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse'

/** When something is written down of it. */
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic'

/** The levels, from least to most. */
export const LEVELS: readonly AuditLevel[] = ['None', 'Metadata', 'Request', 'RequestResponse']
const STAGES: readonly string[] = [
  'RequestReceived',
  'ResponseStarted',
  'ResponseComplete',
  'Panic',
]

/** The file of `--audit-policy-file` (audit.k8s.io/v1 Policy). */
export interface AuditPolicy {
  readonly rules?: readonly AuditRule[]
  readonly omitStages?: readonly string[]
  readonly omitManagedFields?: boolean
}

/** One rule: which requests it is about, and how much is written down of them. The first that matches counts. */
export interface AuditRule {
  readonly level: string
  readonly users?: readonly string[]
  readonly userGroups?: readonly string[]
  readonly verbs?: readonly string[]
  readonly resources?: readonly AuditResources[]
  readonly namespaces?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
  readonly omitStages?: readonly string[]
  readonly omitManagedFields?: boolean
}

/** Resources of a group, `*` for any; none: all of the group. */
export interface AuditResources {
  readonly group?: string
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
}

/** What a policy says of one request. */
export interface AuditConfig {
  readonly level: AuditLevel
  readonly omitStages: ReadonlySet<string>
  readonly omitManagedFields: boolean
}

/** Finds what a policy says (apiserver/pkg/audit/policy/checker.go). Nothing is written down of what no rule is about. */
export function auditPolicy(policy: AuditPolicy): (attributes: Attributes) => AuditConfig {
  const { rules = [], omitStages = [], omitManagedFields = false } = policy
  const configs = rules.map((rule) => ({
    rule,
    config: {
      level: rule.level as AuditLevel,
      omitStages: new Set([...omitStages, ...(rule.omitStages ?? [])]),
      omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
    },
  }))
  const other: AuditConfig = { level: 'None', omitStages: new Set(omitStages), omitManagedFields }
  return (attributes) => configs.find(({ rule }) => matches(rule, attributes))?.config ?? other
}

const names = (list: readonly string[] | undefined, name: string): boolean =>
  !list?.length || list.includes(name)

function matches(rule: AuditRule, attributes: Attributes): boolean {
  const { user, verb } = attributes
  if (!names(rule.users, user.name) || !names(rule.verbs, verb)) return false
  const { userGroups = [] } = rule
  if (userGroups.length > 0 && !user.groups.some((it) => userGroups.includes(it))) return false
  if (rule.namespaces?.length || rule.resources?.length) return matchesResource(rule, attributes)
  return rule.nonResourceURLs?.length ? matchesPath(rule.nonResourceURLs, attributes) : true
}

function matchesPath(urls: readonly string[], attributes: Attributes): boolean {
  if (attributes.kind !== 'path') return false
  const { path } = attributes
  return urls.some(
    (it) =>
      it === '*' || it === path || (it.endsWith('*') && path.startsWith(it.replace(/\*+$/, ''))),
  )
}

function matchesResource(
  { namespaces, resources = [] }: AuditRule,
  attributes: Attributes,
): boolean {
  if (attributes.kind !== 'resource') return false
  if (!names(namespaces, attributes.namespace)) return false
  return resources.length === 0 || resources.some((it) => isAmong(it, attributes))
}

function isAmong(
  { group = '', resources = [], resourceNames = [] }: AuditResources,
  asked: Extract<Attributes, { readonly kind: 'resource' }>,
): boolean {
  if (group !== asked.group && group !== '*') return false
  if (resources.length === 0) return true
  if (resourceNames.length > 0 && !resourceNames.includes(asked.name)) return false
  const { resource, subresource } = asked
  const full = subresource === '' ? resource : `${resource}/${subresource}`
  return resources.some(
    (it) =>
      it === full ||
      it === '*' ||
      (subresource !== '' && it === `*/${subresource}`) ||
      it === `${resource}/*`,
  )
}

/** Everything that is wrong with a policy (apiserver/pkg/apis/audit/validation). */
export function policyErrors({ rules = [], omitStages = [] }: AuditPolicy): readonly FieldError[] {
  return [
    ...stageErrors(omitStages, 'omitStages'),
    ...rules.flatMap((rule, i) => ruleErrors(rule, `rules[${i}]`)),
  ]
}

const stageErrors = (stages: readonly string[], at: string): readonly FieldError[] =>
  stages.flatMap((it, i) => {
    const why = `allowed stages are ${STAGES.join(',')}`
    return STAGES.includes(it) ? [] : [invalidValue(`${at}[${i}]`, it, why)]
  })

function ruleErrors(rule: AuditRule, at: string): readonly FieldError[] {
  const { level = '', nonResourceURLs = [], resources = [], namespaces = [] } = rule
  const errors: FieldError[] = []
  if (!(LEVELS as readonly string[]).includes(level))
    errors.push(notSupported(`${at}.level`, level, LEVELS))
  nonResourceURLs.forEach((it, i) => errors.push(...urlErrors(it, `${at}.nonResourceURLs[${i}]`)))
  for (const it of resources) errors.push(...resourceErrors(it, `${at}.resources`))
  if (nonResourceURLs.length > 0 && resources.length + namespaces.length > 0) {
    const why = 'rules cannot apply to both regular resources and non-resource URLs'
    errors.push(invalidValue(`${at}.nonResourceURLs`, nonResourceURLs, why))
  }
  return [...errors, ...stageErrors(rule.omitStages ?? [], `${at}.omitStages`)]
}

function urlErrors(url: string, at: string): readonly FieldError[] {
  if (url === '*') return []
  if (!url.startsWith('/'))
    return [invalidValue(at, url, "non-resource URL rules must begin with a '/' character")]
  if (!url.slice(0, -1).includes('*')) return []
  const why = "non-resource URL wildcards '*' must be the final character of the rule"
  return [invalidValue(at, url, why)]
}

function resourceErrors(
  { group = '', resources = [], resourceNames = [] }: AuditResources,
  at: string,
): readonly FieldError[] {
  const errors: FieldError[] = []
  if (group !== '' && group !== '*')
    for (const why of isDns1123Subdomain(group))
      errors.push(invalidValue(`${at}.group`, group, why))
  if (resourceNames.length > 0 && resources.length === 0) {
    const why = 'using resourceNames requires at least one resource'
    errors.push(invalidValue(`${at}.resourceNames`, resourceNames, why))
  }
  return errors
}
