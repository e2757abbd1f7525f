import {
  duplicate,
  forbiddenField,
  invalidValue,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  notSupported,
  required,
} from 'kubewright/machinery'
import {
  has,
  itemsAt,
  mapAt,
  numberAt,
  objectAt,
  textAt,
  textsAt,
  type Readable,
} from '../fields.ts'
import {
  checkLabelSelector,
  checkName,
  checkOneOf,
  checkPositive,
  checkSelectorValues,
  type Errors,
} from '../generic/checks.ts'

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** What taints a pod bears (ValidateTolerations). */
export function checkTolerations(
  errors: Errors,
  field: string,
  tolerations: readonly Readable[],
): void {
  tolerations.forEach((it, i) => {
    const at = `${field}[${i}]`
    const key = textAt(it, 'key')
    const operator = textAt(it, 'operator')
    const effect = textAt(it, 'effect')
    if (key !== '') checkName(errors, `${at}.key`, key, isQualifiedName)
    else if (operator !== 'Exists') {
      errors.push(invalidValue(`${at}.operator`, operator, EMPTY_KEY))
    }
    if (has(it, 'tolerationSeconds') && effect !== 'NoExecute') {
      const why = "effect must be 'NoExecute' when `tolerationSeconds` is set"
      errors.push(invalidValue(`${at}.effect`, effect, why))
    }
    checkOperator(errors, `${at}.operator`, operator, textAt(it, 'value'))
    if (effect !== '') checkOneOf(errors, `${at}.effect`, effect, EFFECTS)
  })
}

const EMPTY_KEY =
  'operator must be Exists when `key` is empty, which means "match all values and all keys"'

function checkOperator(errors: Errors, field: string, operator: string, value: string): void {
  switch (operator) {
    case '':
    case 'Equal': {
      const problems = isLabelValue(value)
      if (problems.length > 0) errors.push(invalidValue(field, value, problems.join(';')))
      return
    }
    case 'Exists':
      if (value !== '') {
        errors.push(invalidValue(field, value, "value must be empty when `operator` is 'Exists'"))
      }
      return
    case 'Lt':
    case 'Gt':
      errors.push(notSupported(field, operator, ['Equal', 'Exists', 'Lt', 'Gt']))
      return
    default:
      errors.push(notSupported(field, operator, ['Equal', 'Exists']))
  }
}

/** A toleration that is there may only change its seconds; others may come (validateOnlyAddedTolerations). */
export function checkAddedTolerations(
  errors: Errors,
  field: string,
  tolerations: readonly Readable[],
  old: readonly Readable[],
): void {
  const text = (it: Readable): string =>
    ['key', 'operator', 'value', 'effect'].map((name) => textAt(it, name)).join('\u0000')
  const held = new Set(tolerations.map(text))
  if (!old.every((it) => held.has(text(it)))) {
    const why = 'existing toleration can not be modified except its tolerationSeconds'
    errors.push(forbiddenField(field, why))
    return
  }
  checkTolerations(errors, field, tolerations)
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

/** Where a pod would rather be (validateAffinity). */
export function checkAffinity(errors: Errors, field: string, affinity: Readable | undefined): void {
  const node = objectAt(affinity, 'nodeAffinity')
  const needed = objectAt(node, REQUIRED)
  if (needed) checkNodeSelector(errors, `${field}.nodeAffinity.${REQUIRED}`, needed)
  itemsAt(node, PREFERRED).forEach((it, i) => {
    const at = `${field}.nodeAffinity.${PREFERRED}[${i}]`
    checkWeight(errors, at, it)
    checkNodeTerm(errors, `${at}.preference`, objectAt(it, 'preference'), true)
  })
  for (const name of ['podAffinity', 'podAntiAffinity']) {
    const rules = objectAt(affinity, name)
    itemsAt(rules, REQUIRED).forEach((it, i) =>
      checkPodTerm(errors, `${field}.${name}.${REQUIRED}[${i}]`, it),
    )
    itemsAt(rules, PREFERRED).forEach((it, i) => {
      const at = `${field}.${name}.${PREFERRED}[${i}]`
      checkWeight(errors, at, it)
      checkPodTerm(errors, `${at}.podAffinityTerm`, objectAt(it, 'podAffinityTerm') ?? {})
    })
  }
}

function checkWeight(errors: Errors, field: string, term: Readable): void {
  const weight = numberAt(term, 'weight') ?? 0
  if (weight < 1 || weight > 100) {
    errors.push(invalidValue(`${field}.weight`, weight, 'must be in the range 1-100'))
  }
}

/** A selector of nodes; it has at least one term (ValidateNodeSelector). */
export function checkNodeSelector(errors: Errors, field: string, selector: Readable): void {
  const terms = itemsAt(selector, 'nodeSelectorTerms')
  const at = `${field}.nodeSelectorTerms`
  if (terms.length === 0) {
    errors.push(required(at, 'must have at least one node selector term'))
  }
  terms.forEach((it, i) => checkNodeTerm(errors, `${at}[${i}]`, it, false))
}

function checkNodeTerm(
  errors: Errors,
  field: string,
  term: Readable | undefined,
  anyValues: boolean,
): void {
  itemsAt(term, 'matchExpressions').forEach((it, i) =>
    checkNodeRequirement(errors, `${field}.matchExpressions[${i}]`, it, anyValues),
  )
  itemsAt(term, 'matchFields').forEach((it, i) =>
    checkNodeField(errors, `${field}.matchFields[${i}]`, it),
  )
}

const NODE_OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']

function checkNodeRequirement(
  errors: Errors,
  at: string,
  requirement: Readable,
  anyValues: boolean,
): void {
  const operator = textAt(requirement, 'operator')
  const values = textsAt(requirement, 'values')
  checkSelectorValues(errors, at, operator, values)
  if ((operator === 'Gt' || operator === 'Lt') && values.length !== 1) {
    const why = "must be specified single value when `operator` is 'Lt' or 'Gt'"
    errors.push(required(`${at}.values`, why))
  }
  if (!NODE_OPERATORS.includes(operator)) {
    errors.push(invalidValue(`${at}.operator`, operator, 'not a valid selector operator'))
  }
  checkName(errors, `${at}.key`, textAt(requirement, 'key'), isQualifiedName)
  if (anyValues) return
  values.forEach((it, i) => checkName(errors, `${at}.values[${i}]`, it, isLabelValue))
}

function checkNodeField(errors: Errors, at: string, requirement: Readable): void {
  const operator = textAt(requirement, 'operator')
  const values = textsAt(requirement, 'values')
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalidValue(`${at}.operator`, operator, 'not a valid selector operator'))
  } else if (values.length !== 1) {
    const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
    errors.push(required(`${at}.values`, why))
  }
  const key = textAt(requirement, 'key')
  if (key !== 'metadata.name') {
    errors.push(invalidValue(`${at}.key`, key, 'not a valid field selector key'))
    return
  }
  values.forEach((it, i) => checkName(errors, `${at}.values[${i}]`, it, isDns1123Subdomain))
}

function checkPodTerm(errors: Errors, field: string, term: Readable): void {
  checkLabelSelector(errors, `${field}.labelSelector`, objectAt(term, 'labelSelector'))
  checkLabelSelector(errors, `${field}.namespaceSelector`, objectAt(term, 'namespaceSelector'))
  for (const name of textsAt(term, 'namespaces')) {
    checkName(errors, `${field}.namespace`, name, isDns1123Label)
  }
  checkLabelKeys(errors, field, term)
  const key = textAt(term, 'topologyKey')
  if (key === '') errors.push(required(`${field}.topologyKey`, 'can not be empty'))
  checkName(errors, `${field}.topologyKey`, key, isQualifiedName)
}

/** Keys whose values are the pod's own (ValidateMatchLabelKeysAndMismatchLabelKeys). */
function checkLabelKeys(errors: Errors, field: string, term: Readable): void {
  const selector = objectAt(term, 'labelSelector')
  for (const name of ['matchLabelKeys', 'mismatchLabelKeys']) {
    const keys = textsAt(term, name)
    if (keys.length === 0) continue
    if (selector === undefined) {
      const why = 'must not be specified when labelSelector is not set'
      errors.push(forbiddenField(`${field}.${name}`, why))
      continue
    }
    keys.forEach((it, i) => checkName(errors, `${field}.${name}[${i}]`, it, isQualifiedName))
  }
  const keys = textsAt(term, 'matchLabelKeys')
  const seen = new Set(Object.keys(mapAt(selector, 'matchLabels')))
  for (const { key } of itemsAt(selector, 'matchExpressions')) {
    const i = keys.lastIndexOf(String(key))
    if (i >= 0 && seen.has(String(key))) {
      errors.push(
        invalidValue(`${field}[${i}]`, key, 'exists in both matchLabelKeys and labelSelector'),
      )
    }
    seen.add(String(key))
  }
  const mismatch = textsAt(term, 'mismatchLabelKeys')
  keys.forEach((key, i) => {
    if (!mismatch.includes(key)) return
    const why = 'exists in both matchLabelKeys and mismatchLabelKeys'
    errors.push(invalidValue(`${field}.matchLabelKeys[${i}]`, key, why))
  })
}

/** How pods are spread (validateTopologySpreadConstraints). */
export function checkSpread(errors: Errors, field: string, spec: Readable): void {
  const all = itemsAt(spec, 'topologySpreadConstraints')
  all.forEach((it, i) => {
    const at = `${field}[${i}]`
    const key = textAt(it, 'topologyKey')
    const action = textAt(it, 'whenUnsatisfiable')
    checkPositive(errors, `${at}.maxSkew`, numberAt(it, 'maxSkew') ?? 0)
    if (key === '') errors.push(required(`${at}.topologyKey`, 'can not be empty'))
    checkOneOf(errors, `${at}.whenUnsatisfiable`, action, ['DoNotSchedule', 'ScheduleAnyway'])
    const again = all
      .slice(i + 1)
      .some((other) => other['topologyKey'] === key && other['whenUnsatisfiable'] === action)
    if (again) {
      errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${key}, ${action}}`))
    }
    checkMinDomains(errors, `${at}.minDomains`, numberAt(it, 'minDomains'), action)
    for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
      if (has(it, name)) {
        checkOneOf(errors, `${at}.${name}`, textAt(it, name), ['Honor', 'Ignore'])
      }
    }
    checkLabelKeys(errors, at, it)
    checkLabelSelector(errors, `${at}.labelSelector`, objectAt(it, 'labelSelector'))
  })
}

function checkMinDomains(
  errors: Errors,
  field: string,
  value: number | undefined,
  action: string,
): void {
  if (value === undefined) return
  checkPositive(errors, field, value)
  if (action === 'DoNotSchedule') return
  const why = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`
  errors.push(invalidValue(field, value, why))
}
