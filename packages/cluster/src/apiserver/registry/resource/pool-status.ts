import {
  duplicate,
  invalidValue,
  isDns1123Subdomain,
  required,
  tooLong,
  tooMany,
  type FieldError,
  type NameRule,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  ensureObject,
  fillAbsent,
  has,
  itemsAt,
  numberAt,
  objectAt,
  same,
  textAt,
  type Readable,
} from '../fields.ts'
import { checkName, requireName, type Errors } from '../generic/checks.ts'
import { checkConditions } from '../generic/conditions.ts'
import { internalForm } from '../generic/internal-form.ts'
import { statusOnly, whole } from '../generic/whole-and-status.ts'
import type { Draft, Strategy } from '../strategy.ts'

/** A subdomain in letters of any case (apimachinery/pkg/api/validate LongNameCaseless). */
const isCaselessSubdomain: NameRule = (name) =>
  isDns1123Subdomain(name.toLowerCase()).map((it) =>
    it
      .replace(
        'a lowercase RFC 1123 subdomain must consist of lower case',
        'an RFC 1123 subdomain must consist of',
      )
      .replace("'example.com'", "'Example.com'"),
  )

const LONGEST_POOL = 253

/** The name of a pool, part for part (apimachinery/pkg/api/validate ResourcePoolName). */
function checkPool(errors: Errors, field: string, name: string): void {
  if (name.length > LONGEST_POOL) errors.push(tooLong(field, LONGEST_POOL))
  name.split('/').forEach((part, i) => {
    const where = `segment ${i}: `
    if (part === '') errors.push(invalidValue(field, name, `${where}must not be empty`))
    else
      for (const it of isDns1123Subdomain(part)) errors.push(invalidValue(field, part, where + it))
  })
}

function checkRange(
  errors: Errors,
  field: string,
  value: number | undefined,
  least: number,
  most = Infinity,
): void {
  if (value === undefined) return
  if (value < least)
    errors.push(invalidValue(field, value, `must be greater than or equal to ${least}`))
  if (value > most) errors.push(invalidValue(field, value, `must be less than or equal to ${most}`))
}

const MOST_POOLS = 1000

function validateRequest(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec')
  requireName(errors, 'spec.driver', textAt(spec, 'driver'), isCaselessSubdomain)
  if (has(spec, 'poolName')) checkPool(errors, 'spec.poolName', textAt(spec, 'poolName'))
  checkRange(errors, 'spec.limit', numberAt(spec, 'limit'), 1, MOST_POOLS)
  return errors
}

// What is declared immutable is shown as nothing.
const validateRequestUpdate = (object: Draft, old: UnknownObject): readonly FieldError[] =>
  same(object['spec'], (old as Readable)['spec'])
    ? []
    : [invalidValue('spec', null, 'field is immutable')]

/** What is counted of a pool, and the least that it can be. */
const COUNTS: readonly (readonly [name: string, least: number])[] = [
  ['resourceSliceCount', 1],
  ['totalDevices', 0],
  ['allocatedDevices', 0],
  ['availableDevices', 0],
  ['unavailableDevices', 0],
]
const LONGEST_PROBLEM = 256

function checkPoolStatus(errors: Errors, field: string, pool: Readable): void {
  requireName(errors, `${field}.driver`, textAt(pool, 'driver'), isCaselessSubdomain)
  const name = textAt(pool, 'poolName')
  if (name === '') errors.push(required(`${field}.poolName`))
  else checkPool(errors, `${field}.poolName`, name)
  const generation = numberAt(pool, 'generation') ?? 0
  if (generation === 0) errors.push(required(`${field}.generation`))
  else checkRange(errors, `${field}.generation`, generation, 0)
  for (const [count, least] of COUNTS)
    checkRange(errors, `${field}.${count}`, numberAt(pool, count), least)
  if (has(pool, 'nodeName'))
    checkName(errors, `${field}.nodeName`, textAt(pool, 'nodeName'), isDns1123Subdomain)
  if (Buffer.byteLength(textAt(pool, 'validationError')) > LONGEST_PROBLEM)
    errors.push(tooLong(`${field}.validationError`, LONGEST_PROBLEM))
}

const MOST_CONDITIONS = 10

/** A status is told once, whole (validateResourcePoolStatusRequestStatusUpdate and the rules that its types declare). */
function validateStatus(object: Draft, old: UnknownObject): readonly FieldError[] {
  const status = objectAt(object, 'status')
  const before = objectAt(old, 'status')
  if (before) {
    if (same(status, before)) return []
    const shown = status ? internalForm('ResourcePoolStatusRequestStatus', status) : null
    return [invalidValue('status', shown, 'field is immutable')]
  }
  if (!status) return []
  const errors: Errors = []
  const conditions = itemsAt(status, 'conditions')
  checkConditions(errors, 'status.conditions', conditions)
  if (!has(status, 'poolCount')) errors.push(required('status.poolCount'))
  else checkRange(errors, 'status.poolCount', numberAt(status, 'poolCount'), 0)
  const pools = itemsAt(status, 'pools')
  if (pools.length > MOST_POOLS) errors.push(tooMany('status.pools', pools.length, MOST_POOLS))
  else pools.forEach((it, i) => checkPoolStatus(errors, `status.pools[${i}]`, it))
  if (conditions.length > MOST_CONDITIONS)
    errors.push(tooMany('status.conditions', conditions.length, MOST_CONDITIONS))
  else checkKeys(errors, 'status.conditions', conditions)
  return errors
}

function checkKeys(errors: Errors, field: string, conditions: readonly Readable[]): void {
  const types = conditions.map((it) => textAt(it, 'type'))
  conditions.forEach((it, i) => {
    if (types.indexOf(types[i]!) < i) errors.push(duplicate(`${field}[${i}]`, it))
  })
}

const request = whole({})

/** ResourcePoolStatusRequest (kubernetes/pkg/registry/resource/resourcepoolstatusrequest/strategy.go). */
export const RESOURCE_POOL_STATUS_REQUEST: Strategy = Object.freeze({
  ...request,
  applyDefaults: (object: Draft) => fillAbsent(ensureObject(object, 'spec'), { limit: 100 }),
  resetFields: [['f:status']],
  prepareForCreate: (object) => void delete object['status'],
  prepareForUpdate: (object, old) => {
    if (old['status'] === undefined) delete object['status']
    else object['status'] = old['status']
  },
  validate: validateRequest,
  validateUpdate: (object: Draft, old: UnknownObject) => validateRequestUpdate(object, old),
  allowUnconditionalUpdate: false,
  subresources: {
    status: {
      ...statusOnly({ statusKeeps: 'metadata' }),
      validateUpdate: validateStatus,
      allowUnconditionalUpdate: false,
    },
  },
} satisfies Strategy)
