import {
  duplicate,
  forbiddenField,
  invalidValue,
  isDns1123Subdomain,
  nameIsDnsLabel,
  notSupported,
  required,
  type FieldError,
} from 'kubewright/machinery'
import flowControl from '../../bootstrap/data/flow-control.json' with { type: 'json' }
import {
  flagAt,
  has,
  itemsAt,
  numberAt,
  objectAt,
  same,
  textAt,
  textsAt,
  type Readable,
} from '../fields.ts'
import { checkName, requireOneOf, requireText, type Errors } from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'

/** What no server can be without, as it is made (flowcontrol/internalbootstrap). */
const MANDATORY: readonly string[] = ['catch-all', 'exempt']

const fixedSpec = (of: object, name: string): Readable | undefined =>
  MANDATORY.includes(name) ? objectAt(of as Readable, name) : undefined

const LAST_PRECEDENCE = 10_000

/** Which requests a flow takes (kubernetes/pkg/apis/flowcontrol/validation). */
export function validateFlowSchema(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  const { name = '' } = object.metadata
  checkPrecedence(errors, numberAt(spec, 'matchingPrecedence') ?? 0, name)
  const method = objectAt(spec, 'distinguisherMethod')
  const type = textAt(method, 'type')
  if (method && type !== 'ByNamespace' && type !== 'ByUser') {
    const known = ['ByNamespace', 'ByUser']
    errors.push(notSupported('spec.distinguisherMethod.type', { Type: type }, known))
  }
  const level = textAt(objectAt(spec, 'priorityLevelConfiguration'), 'name')
  const at = 'spec.priorityLevelConfiguration.name'
  if (level === '') errors.push(required(at, 'must reference a priority level'))
  else checkName(errors, at, level, isDns1123Subdomain)
  itemsAt(spec, 'rules').forEach((it, i) => checkRule(errors, `spec.rules[${i}]`, it))
  const fixed = fixedSpec(flowControl.flowSchemas, name)
  if (fixed && !same(spec, fixed)) {
    errors.push(invalidValue('spec', spec, `spec of '${name}' must equal the fixed value`))
  }
  checkConditions(errors, object)
  return errors
}

function checkPrecedence(errors: Errors, precedence: number, name: string): void {
  const at = 'spec.matchingPrecedence'
  if (precedence <= 0) errors.push(invalidValue(at, precedence, 'must be a positive value'))
  if (precedence > LAST_PRECEDENCE) {
    errors.push(invalidValue(at, precedence, `must not be greater than ${LAST_PRECEDENCE}`))
  }
  if (precedence === 1 && name !== 'exempt') {
    const why = "only the schema named 'exempt' may have matchingPrecedence 1"
    errors.push(invalidValue(at, precedence, why))
  }
}

/** What the status of a flow schema, or of a priority level, says: each type once. */
export function validateFlowStatus(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  checkConditions(errors, object)
  return errors
}

function checkConditions(errors: Errors, object: Draft): void {
  const types = itemsAt(objectAt(object, 'status'), 'conditions').map((it) => textAt(it, 'type'))
  types.forEach((type, i) => {
    const at = `status.conditions[${i}].type`
    if (types.indexOf(type) < i) errors.push(duplicate(at, type))
    requireText(errors, at, type)
  })
}

function checkRule(errors: Errors, field: string, rule: Readable): void {
  const subjects = itemsAt(rule, 'subjects')
  const resources = itemsAt(rule, 'resourceRules')
  const others = itemsAt(rule, 'nonResourceRules')
  if (subjects.length === 0) {
    errors.push(required(`${field}.subjects`, 'subjects must contain at least one value'))
  }
  subjects.forEach((it, i) => checkSubject(errors, `${field}.subjects[${i}]`, it))
  if (resources.length === 0 && others.length === 0) {
    const why = 'at least one of resourceRules and nonResourceRules has to be non-empty'
    errors.push(required(field, why))
  }
  resources.forEach((it, i) => checkResourceRule(errors, `${field}.resourceRules[${i}]`, it))
  others.forEach((it, i) => checkPathRule(errors, `${field}.nonResourceRules[${i}]`, it))
}

/** Kinds of subjects, and the field that tells more of each. */
const SUBJECTS: readonly (readonly [string, string])[] = [
  ['ServiceAccount', 'serviceAccount'],
  ['User', 'user'],
  ['Group', 'group'],
]

function checkSubject(errors: Errors, field: string, subject: Readable): void {
  const kind = textAt(subject, 'kind')
  if (!SUBJECTS.some(([known]) => known === kind)) {
    const known = ['Group', 'ServiceAccount', 'User']
    errors.push(notSupported(`${field}.kind`, kind, known))
    return
  }
  for (const [name, of] of SUBJECTS) {
    const at = `${field}.${of}`
    const about = objectAt(subject, of)
    if (name !== kind) {
      const why = `${of} is forbidden when subject kind is not '${name}'`
      if (about) errors.push(forbiddenField(at, why))
    } else if (!about) {
      errors.push(required(at, `${of} is required when subject kind is '${name}'`))
    } else if (name === 'ServiceAccount') checkAccount(errors, at, about)
    else requireText(errors, `${at}.name`, textAt(about, 'name'))
  }
}

function checkAccount(errors: Errors, field: string, account: Readable): void {
  const name = textAt(account, 'name')
  if (name === '') errors.push(required(`${field}.name`))
  else if (name !== '*') checkName(errors, `${field}.name`, name, isDns1123Subdomain)
  const namespace = textAt(account, 'namespace')
  if (namespace === '') {
    const why = 'must specify namespace for service account'
    errors.push(required(`${field}.namespace`, why))
  } else checkNamespace(errors, `${field}.namespace`, namespace)
}

function checkNamespace(errors: Errors, field: string, namespace: string, intro = ''): void {
  for (const problem of nameIsDnsLabel(namespace, false)) {
    errors.push(invalidValue(field, namespace, `${intro}${problem}`))
  }
}

const VERBS = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'proxy',
  'update',
  'watch',
]

function checkVerbs(errors: Errors, field: string, rule: Readable): void {
  const verbs = textsAt(rule, 'verbs')
  const at = `${field}.verbs`
  if (verbs.length === 0) errors.push(required(at, 'verbs must contain at least one value'))
  else if (verbs.includes('*')) checkAlone(errors, at, verbs, 'verbs')
  else if (!verbs.every((it) => VERBS.includes(it))) errors.push(notSupported(at, verbs, VERBS))
}

/** `*` says everything, so nothing goes with it. */
function checkAlone(errors: Errors, field: string, values: readonly string[], what: string): void {
  if (values.length === 1 || !values.includes('*')) return
  errors.push(invalidValue(field, values, `if '*' is present, must not specify other ${what}`))
}

function checkResourceRule(errors: Errors, field: string, rule: Readable): void {
  checkVerbs(errors, field, rule)
  const must = 'resource rules must supply at least one'
  const groups = textsAt(rule, 'apiGroups')
  if (groups.length === 0) errors.push(required(`${field}.apiGroups`, `${must} api group`))
  else checkAlone(errors, `${field}.apiGroups`, groups, 'api groups')
  const resources = textsAt(rule, 'resources')
  if (resources.length === 0) errors.push(required(`${field}.resources`, `${must} resource`))
  else checkAlone(errors, `${field}.resources`, resources, 'resources')
  const namespaces = textsAt(rule, 'namespaces')
  const at = `${field}.namespaces`
  if (namespaces.length === 0 && !flagAt(rule, 'clusterScope')) {
    const why = 'resource rules that are not cluster scoped must supply at least one namespace'
    errors.push(required(at, why))
  } else if (namespaces.includes('*')) checkAlone(errors, at, namespaces, 'namespaces')
  else {
    const intro = "each member of this list must be '*' or a DNS-1123 label; "
    namespaces.forEach((it, i) => checkNamespace(errors, `${at}[${i}]`, it, intro))
  }
}

function checkPathRule(errors: Errors, field: string, rule: Readable): void {
  checkVerbs(errors, field, rule)
  const paths = textsAt(rule, 'nonResourceURLs')
  const at = `${field}.nonResourceURLs`
  if (paths.length === 0) {
    errors.push(required(at, 'nonResourceURLs must contain at least one value'))
  } else if (paths.includes('*')) checkAlone(errors, at, paths, 'non-resource URLs')
  else {
    paths.forEach((path, i) => {
      const problem = pathProblem(path)
      if (problem !== undefined) errors.push(invalidValue(`${at}[${i}]`, path, problem))
    })
  }
}

function pathProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty'
  if (path === '/') return undefined
  if (!path.startsWith('/')) return 'must start with slash'
  if (path.includes(' ')) return 'must not contain white-space'
  if (path.includes('//')) return 'must not contain double slash'
  const stars = path.split('*').length - 1
  const fine = stars === 0 || (stars === 1 && path.endsWith('/*'))
  return fine ? undefined : 'wildcard can only do suffix matching'
}

const ROUNDTRIP = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares'

/** How much a level of priority may do at once. */
export function validatePriorityLevel(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  const { name = '', annotations = {} } = object.metadata
  if (Object.hasOwn(annotations, ROUNDTRIP)) {
    errors.push(forbiddenField('metadata.annotations', `annotation '${ROUNDTRIP}' is forbidden`))
  }
  checkType(errors, spec, name)
  checkMandatory(errors, spec, name)
  checkConditions(errors, object)
  return errors
}

function checkType(errors: Errors, spec: Readable, name: string): void {
  const type = textAt(spec, 'type')
  if ((name === 'exempt') !== (type === 'Exempt')) {
    const why = "must be 'Exempt' if and only if `name` is 'exempt'"
    errors.push(invalidValue('spec.type', type, why))
  }
  requireOneOf(errors, 'spec.type', type, ['Exempt', 'Limited'])
  const limited = objectAt(spec, 'limited')
  const exempt = objectAt(spec, 'exempt')
  if (type === 'Exempt') {
    const why = 'must be nil if the type is not Limited'
    if (limited) errors.push(forbiddenField('spec.limited', why))
    if (exempt) checkShares(errors, 'spec.exempt', exempt)
  }
  if (type !== 'Limited') return
  if (exempt) errors.push(forbiddenField('spec.exempt', 'must be nil if the type is Limited'))
  if (limited) checkLimited(errors, 'spec.limited', limited)
  else errors.push(required('spec.limited', 'must not be empty when type is Limited'))
}

/** The levels that a server cannot be without are what they are; how much is lent of `exempt` may change. */
function checkMandatory(errors: Errors, spec: Readable, name: string): void {
  const fixed = fixedSpec(flowControl.priorityLevels, name)
  if (!fixed) return
  const isExempt = name === 'exempt'
  const compared = isExempt ? { ...spec, exempt: fixed['exempt'] } : spec
  if (same(compared, fixed)) return
  const but = isExempt ? " except the 'spec.exempt' field" : ''
  errors.push(invalidValue('spec', spec, `spec of '${name}'${but} must equal the fixed value`))
}

function checkShares(errors: Errors, field: string, level: Readable): void {
  const shares = numberAt(level, 'nominalConcurrencyShares') ?? 0
  if (shares < 0) {
    const why = 'must be a non-negative integer'
    errors.push(invalidValue(`${field}.nominalConcurrencyShares`, shares, why))
  }
  const percent = numberAt(level, 'lendablePercent') ?? 0
  if (percent < 0 || percent > 100) {
    const why = 'must be between 0 and 100, inclusive'
    errors.push(invalidValue(`${field}.lendablePercent`, percent, why))
  }
}

function checkLimited(errors: Errors, field: string, limited: Readable): void {
  checkShares(errors, field, limited)
  checkResponse(errors, `${field}.limitResponse`, objectAt(limited, 'limitResponse'))
  const borrowed = numberAt(limited, 'borrowingLimitPercent') ?? 0
  if (borrowed < 0) {
    const why = 'if specified, must be a non-negative integer'
    errors.push(invalidValue(`${field}.borrowingLimitPercent`, borrowed, why))
  }
}

function checkResponse(errors: Errors, field: string, response: Readable | undefined): void {
  const type = textAt(response, 'type')
  const queuing = objectAt(response, 'queuing')
  const at = `${field}.queuing`
  if (type === 'Queue') {
    const why = 'must not be empty if limited.limitResponse.type is Limited'
    if (queuing) checkQueuing(errors, at, queuing)
    else errors.push(required(at, why))
  } else if (type === 'Reject') {
    const why = 'must be nil if limited.limitResponse.type is not Limited'
    if (has(response, 'queuing')) errors.push(forbiddenField(at, why))
  } else requireOneOf(errors, `${field}.type`, type, ['Queue', 'Reject'])
}

const MOST_QUEUES = 10_000_000
const HASH_BITS = 60

function checkQueuing(errors: Errors, field: string, queuing: Readable): void {
  const queues = numberAt(queuing, 'queues') ?? 0
  const hand = numberAt(queuing, 'handSize') ?? 0
  const length = numberAt(queuing, 'queueLengthLimit') ?? 0
  const at = `${field}.handSize`
  if (length <= 0) errors.push(invalidValue(`${field}.queueLengthLimit`, length, POSITIVE))
  if (queues <= 0) errors.push(invalidValue(`${field}.queues`, queues, POSITIVE))
  else if (queues > MOST_QUEUES) {
    errors.push(invalidValue(`${field}.queues`, queues, `must not be greater than ${MOST_QUEUES}`))
  }
  const entropy = hand > 0 && hand <= queues ? entropyBits(queues, hand) : 0
  if (hand <= 0) errors.push(invalidValue(at, hand, POSITIVE))
  else if (hand > queues) {
    errors.push(invalidValue(at, hand, `should not be greater than queues (${queues})`))
  } else if (entropy > HASH_BITS) {
    const why = `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${HASH_BITS}`
    errors.push(invalidValue(at, hand, why))
  }
}

const POSITIVE = 'must be positive'

/** How many bits of a hash it takes to deal a hand (apiserver/pkg/util/shufflesharding RequiredEntropyBits). */
const entropyBits = (deck: number, hand: number): number => Math.ceil(Math.log2(deck) * hand)
