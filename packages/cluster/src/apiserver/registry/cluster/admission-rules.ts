import {
  duplicate,
  invalidValue,
  isPathSegmentName,
  notSupported,
  required,
} from 'kubewright/machinery'
import { has, itemsAt, objectAt, textAt, textsAt, type Readable } from '../fields.ts'
import {
  checkLabelSelector,
  checkName,
  checkOneOf,
  requireText,
  type Errors,
} from '../generic/checks.ts'

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
/** A change has nothing to hold on to in a DELETE. */
const MUTATING_OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE']

/** Which requests a webhook or a policy is about (kubernetes/pkg/apis/admissionregistration/validation validateRuleWithOperations). */
export function checkRule(errors: Errors, field: string, rule: Readable): void {
  const operations = textsAt(rule, 'operations')
  if (operations.length === 0) errors.push(required(`${field}.operations`))
  checkAlone(errors, `${field}.operations`, operations, 'operations')
  operations.forEach((it, i) => checkOneOf(errors, `${field}.operations[${i}]`, it, OPERATIONS))
  for (const [name, what] of [
    ['apiGroups', 'API groups'],
    ['apiVersions', 'API versions'],
  ] as const) {
    const values = textsAt(rule, name)
    if (values.length === 0) errors.push(required(`${field}.${name}`))
    checkAlone(errors, `${field}.${name}`, values, what)
  }
  textsAt(rule, 'apiVersions').forEach((it, i) =>
    requireText(errors, `${field}.apiVersions[${i}]`, it),
  )
  checkResources(errors, `${field}.resources`, textsAt(rule, 'resources'))
  if (has(rule, 'scope')) {
    checkOneOf(errors, `${field}.scope`, textAt(rule, 'scope'), ['*', 'Cluster', 'Namespaced'])
  }
}

function checkAlone(errors: Errors, field: string, values: readonly string[], what: string): void {
  if (values.length < 2 || !values.includes('*')) return
  const why = `if '*' is present, must not specify other ${what}`
  errors.push(invalidValue(field, values, why))
}

function checkResources(errors: Errors, field: string, resources: readonly string[]): void {
  if (resources.length === 0) errors.push(required(field))
  const whole = new Set<string>()
  const every = new Set<string>()
  let plain = false
  resources.forEach((it, i) => {
    const at = `${field}[${i}]`
    if (it === '') return void errors.push(required(at))
    const slash = it.indexOf('/')
    // Only the last one without a subresource counts, as in Kubernetes.
    if (slash < 0) return void (plain = it !== '*')
    const [resource, sub] = [it.slice(0, slash), it.slice(slash + 1)]
    const bad = (other: string): void =>
      void errors.push(invalidValue(at, it, `if '${other}' is present, must not specify ${it}`))
    if (whole.has(resource)) bad(`${resource}/*`)
    if (every.has(sub)) bad(`*/${sub}`)
    if (sub === '*') whole.add(resource)
    if (resource === '*') every.add(sub)
  })
  if (resources.length > 1 && resources.includes('*/*')) {
    const why = "if '*/*' is present, must not specify other resources"
    errors.push(invalidValue(field, resources, why))
  }
  if (plain && resources.includes('*')) {
    const why = "if '*' is present, must not specify other resources without subresources"
    errors.push(invalidValue(field, resources, why))
  }
}

/** Which requests a policy or a binding is about (validateMatchResources). `mutating` says that they are to be changed. */
export function checkMatch(
  errors: Errors,
  field: string,
  match: Readable,
  mutating: boolean,
): void {
  checkOneOf(errors, `${field}.matchPolicy`, textAt(match, 'matchPolicy'), ['Equivalent', 'Exact'])
  for (const name of ['namespaceSelector', 'objectSelector']) {
    checkLabelSelector(errors, `${field}.${name}`, objectAt(match, name))
  }
  for (const list of ['resourceRules', 'excludeResourceRules']) {
    itemsAt(match, list).forEach((it, i) => checkNamedRule(errors, `${field}.${list}[${i}]`, it))
  }
  if (!mutating) return
  for (const rule of itemsAt(match, 'resourceRules')) {
    for (const it of textsAt(rule, 'operations')) {
      if (MUTATING_OPERATIONS.includes(it)) continue
      errors.push(notSupported(`${field}.resourceRules.operations`, it, MUTATING_OPERATIONS))
    }
  }
}

function checkNamedRule(errors: Errors, field: string, rule: Readable): void {
  const names = textsAt(rule, 'resourceNames')
  names.forEach((it, i) => {
    const at = `${field}.resourceNames[${i}]`
    checkName(errors, at, it, isPathSegmentName)
    if (names.indexOf(it) < i) errors.push(duplicate(at, it))
  })
  checkRule(errors, field, rule)
}
