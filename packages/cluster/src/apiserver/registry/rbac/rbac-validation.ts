import {
  invalidValue,
  isDns1123Subdomain,
  isPathSegmentName,
  notSupported,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { has, itemsAt, objectAt, same, textAt, textsAt, type Readable } from '../fields.ts'
import { checkLabelSelector, checkName, requireText, type Errors } from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'

const GROUP = 'rbac.authorization.k8s.io'

/** The rules of a Role, which knows resources alone (kubernetes/pkg/apis/rbac/validation). */
export const validateRole = (object: Draft): readonly FieldError[] => ruleErrors(object, true)

/** The rules of a ClusterRole, and the roles that it is made of. */
export function validateClusterRole(object: Draft): readonly FieldError[] {
  const errors = ruleErrors(object, false)
  const aggregation = objectAt(object, 'aggregationRule')
  if (aggregation === undefined) return errors
  const at = 'aggregationRule.clusterRoleSelectors'
  const selectors = itemsAt(aggregation, 'clusterRoleSelectors')
  if (selectors.length === 0) {
    const why = 'at least one clusterRoleSelector required if aggregationRule is non-nil'
    errors.push(required(at, why))
  }
  selectors.forEach((it, i) => {
    const before = errors.length
    checkLabelSelector(errors, `${at}[${i}]`, it)
    if (errors.length > before) {
      errors.push(invalidValue(`${at}[${i}]`, null, 'invalid label selector.'))
    }
  })
  return errors
}

function ruleErrors(object: Draft, namespaced: boolean): Errors {
  const errors: Errors = []
  itemsAt(object, 'rules').forEach((it, i) => checkRule(errors, `rules[${i}]`, it, namespaced))
  return errors
}

function checkRule(errors: Errors, field: string, rule: Readable, namespaced: boolean): void {
  const urls = textsAt(rule, 'nonResourceURLs')
  const groups = textsAt(rule, 'apiGroups')
  const resources = textsAt(rule, 'resources')
  const must = (name: string, what: string): void =>
    void errors.push(required(`${field}.${name}`, what))
  if (textsAt(rule, 'verbs').length === 0) must('verbs', 'verbs must contain at least one value')
  if (urls.length > 0) {
    const mixed = groups.length + resources.length + textsAt(rule, 'resourceNames').length > 0
    const at = `${field}.nonResourceURLs`
    if (namespaced) {
      const why = 'namespaced rules cannot apply to non-resource URLs'
      errors.push(invalidValue(at, urls, why))
    }
    if (mixed) {
      const why = 'rules cannot apply to both regular resources and non-resource URLs'
      errors.push(invalidValue(at, urls, why))
    }
    return
  }
  if (groups.length === 0) must('apiGroups', 'resource rules must supply at least one api group')
  if (resources.length === 0) must('resources', 'resource rules must supply at least one resource')
}

/** Who may do what in a namespace (ValidateRoleBinding). */
export const validateRoleBinding = (object: Draft): readonly FieldError[] =>
  bindingErrors(object, ['Role', 'ClusterRole'])

/** Who may do what everywhere. */
export const validateClusterRoleBinding = (object: Draft): readonly FieldError[] =>
  bindingErrors(object, ['ClusterRole'])

function bindingErrors(object: Draft, kinds: readonly string[]): readonly FieldError[] {
  const errors: Errors = []
  const ref = objectAt(object, 'roleRef') ?? {}
  const group = textAt(ref, 'apiGroup')
  if (group !== GROUP) errors.push(notSupported('roleRef.apiGroup', group, [GROUP]))
  const kind = textAt(ref, 'kind')
  if (!kinds.includes(kind)) errors.push(notSupported('roleRef.kind', kind, kinds))
  const name = textAt(ref, 'name')
  if (name === '') errors.push(required('roleRef.name'))
  else checkName(errors, 'roleRef.name', name, isPathSegmentName)
  const local = kinds.length > 1
  itemsAt(object, 'subjects').forEach((it, i) => checkSubject(errors, `subjects[${i}]`, it, local))
  return errors
}

function checkSubject(errors: Errors, field: string, subject: Readable, local: boolean): void {
  const name = textAt(subject, 'name')
  const kind = textAt(subject, 'kind')
  const group = textAt(subject, 'apiGroup')
  requireText(errors, `${field}.name`, name)
  if (kind === 'ServiceAccount') {
    if (name !== '') checkName(errors, `${field}.name`, name, isDns1123Subdomain)
    if (group !== '') errors.push(notSupported(`${field}.apiGroup`, group, ['']))
    if (!local && textAt(subject, 'namespace') === '') errors.push(required(`${field}.namespace`))
  } else if (kind === 'User' || kind === 'Group') {
    if (group !== GROUP) errors.push(notSupported(`${field}.apiGroup`, group, [GROUP]))
  } else {
    errors.push(notSupported(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group']))
  }
}

/** What a binding binds to stays. */
export const bindingUpdate =
  (rules: (object: Draft) => readonly FieldError[]) =>
  (object: Draft, old: UnknownObject): readonly FieldError[] => {
    const ref = objectAt(object, 'roleRef')
    const stays = same(ref, objectAt(old, 'roleRef')) || !has(old, 'roleRef')
    const shown = {
      APIGroup: textAt(ref, 'apiGroup'),
      Kind: textAt(ref, 'kind'),
      Name: textAt(ref, 'name'),
    }
    return stays
      ? rules(object)
      : [...rules(object), invalidValue('roleRef', shown, 'cannot change roleRef')]
  }
