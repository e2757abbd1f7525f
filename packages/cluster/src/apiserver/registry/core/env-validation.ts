import {
  formatQuantity,
  invalidValue,
  isConfigMapKey,
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  isRelaxedEnvVarName,
  nameIsDnsSubdomain,
  notSupported,
  parseQuantity,
  quantityProblem,
  required,
} from 'kubewright/machinery'
import { has, itemsAt, objectAt, textAt, type Readable } from '../fields.ts'
import { checkName, requireName, requireText, type Errors } from '../generic/checks.ts'
import { checkNoBacksteps } from './path-checks.ts'

/** Fields that a container may see in its environment. */
const ENV_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]
/** Fields that a container may see in a file. */
export const VOLUME_FIELDS: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...ENV_FIELDS,
  ...VOLUME_FIELDS,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
  'spec.host',
  'status.nominatedNodeName',
])
const SUBSCRIPTED: ReadonlySet<string> = new Set(['metadata.annotations', 'metadata.labels'])
const RESOURCES = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
]

/** The environment of a container (ValidateEnv). */
export function checkEnv(errors: Errors, field: string, container: Readable): void {
  itemsAt(container, 'env').forEach((variable, i) => {
    const at = `${field}.env[${i}]`
    requireName(errors, `${at}.name`, textAt(variable, 'name'), isRelaxedEnvVarName)
    const source = objectAt(variable, 'valueFrom')
    if (source) checkSource(errors, `${at}.valueFrom`, source, textAt(variable, 'value'))
  })
}

type Check = (errors: Errors, field: string, source: Readable) => void

const SOURCES: readonly (readonly [string, Check])[] = [
  ['fieldRef', (errors, field, it) => checkFieldRef(errors, field, it, ENV_FIELDS)],
  ['resourceFieldRef', (errors, field, it) => checkResourceRef(errors, field, it, false)],
  ['configMapKeyRef', checkKeyRef],
  ['secretKeyRef', checkKeyRef],
  ['fileKeyRef', checkFileKey],
]

function checkSource(errors: Errors, field: string, source: Readable, value: string): void {
  let count = 0
  for (const [name, check] of SOURCES) {
    const found = objectAt(source, name)
    if (found === undefined) continue
    count++
    check(errors, `${field}.${name}`, found)
  }
  const problem = sourceProblem(count, value)
  if (problem !== undefined) errors.push(invalidValue(field, '', problem))
}

function sourceProblem(count: number, value: string): string | undefined {
  if (count === 0) {
    return 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'
  }
  if (value !== '') return 'may not be specified when `value` is not empty'
  return count > 1 ? 'may not have more than one field specified at a time' : undefined
}

/** A reference to a field of the pod (validateObjectFieldSelector). */
export function checkFieldRef(
  errors: Errors,
  field: string,
  ref: Readable,
  allowed: readonly string[],
): void {
  const path = textAt(ref, 'fieldPath')
  if (textAt(ref, 'apiVersion') === '') return void errors.push(required(`${field}.apiVersion`))
  if (path === '') return void errors.push(required(`${field}.fieldPath`))
  const subscript = /^([^[]+)\['([^']*)'\]$/.exec(path)
  const base = subscript?.[1] ?? path
  if (textAt(ref, 'apiVersion') !== 'v1') {
    return void errors.push(
      invalidValue(
        `${field}.fieldPath`,
        path,
        `error converting fieldPath: unsupported pod version: ${textAt(ref, 'apiVersion')}`,
      ),
    )
  }
  if (!KNOWN_FIELDS.has(base)) {
    return void errors.push(
      invalidValue(
        `${field}.fieldPath`,
        path,
        `error converting fieldPath: field label not supported: ${base}`,
      ),
    )
  }
  if (subscript && !SUBSCRIPTED.has(base)) {
    const why = `error converting fieldPath: field label does not support subscript: ${path}`
    return void errors.push(invalidValue(`${field}.fieldPath`, path, why))
  }
  if (subscript) checkSubscript(errors, field, base, subscript[2] ?? '')
  else if (!allowed.includes(path)) {
    errors.push(notSupported(`${field}.fieldPath`, path, allowed))
  }
}

function checkSubscript(errors: Errors, field: string, base: string, key: string): void {
  const name = base === 'metadata.annotations' ? key.toLowerCase() : key
  checkName(errors, field, name, isQualifiedName)
}

/** A reference to what a container asks for (validateContainerResourceFieldSelector). */
export function checkResourceRef(
  errors: Errors,
  field: string,
  ref: Readable,
  volume: boolean,
): void {
  const resource = textAt(ref, 'resource')
  if (volume && textAt(ref, 'containerName') === '') {
    errors.push(required(`${field}.containerName`))
  } else if (resource === '') errors.push(required(`${field}.resource`))
  else if (!RESOURCES.includes(resource) && !isHugePages(resource)) {
    errors.push(notSupported(`${field}.resource`, resource, RESOURCES))
  }
  checkDivisor(errors, field, resource, ref['divisor'] as string | number | undefined)
}

const isHugePages = (resource: string): boolean => /^(requests|limits)\.hugepages-/.test(resource)

const BYTES = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei'

/** Which divisors each resource takes, and what it is called. */
function divisorsOf(resource: string): readonly [string, string] | undefined {
  const name = resource.replace(/^(limits|requests)\./, '')
  if (name === 'cpu') return ['1m and 1', 'cpu']
  if (name === 'memory') return [BYTES, 'memory']
  if (name === 'ephemeral-storage') return [BYTES, 'local ephemeral storage']
  return isHugePages(resource) ? [BYTES, 'hugepages'] : undefined
}

function checkDivisor(
  errors: Errors,
  field: string,
  resource: string,
  divisor: string | number | undefined,
): void {
  if (divisor === undefined || quantityProblem(divisor) !== undefined) return
  const text = formatQuantity(parseQuantity(divisor))
  const known = divisorsOf(resource)
  if (text === '0' || known === undefined) return
  const [list, name] = known
  if (list.split(/, | and /).includes(text)) return
  errors.push(
    invalidValue(
      `${field}.divisor`,
      resource,
      `only divisor's values ${list} are supported with the ${name} resource`,
    ),
  )
}

function checkKeyRef(errors: Errors, field: string, ref: Readable): void {
  checkName(errors, `${field}.name`, textAt(ref, 'name'), isDns1123Subdomain)
  requireName(errors, `${field}.key`, textAt(ref, 'key'), isConfigMapKey)
}

function checkFileKey(errors: Errors, field: string, ref: Readable): void {
  requireName(errors, `${field}.key`, textAt(ref, 'key'), isRelaxedEnvVarName)
  requireName(errors, `${field}.volumeName`, textAt(ref, 'volumeName'), isDns1123Label)
  const path = textAt(ref, 'path')
  requireText(errors, `${field}.path`, path)
  checkNoBacksteps(errors, `${field}.path`, path)
}

/** Whole ConfigMaps and Secrets in the environment (ValidateEnvFrom). */
export function checkEnvFrom(errors: Errors, field: string, container: Readable): void {
  itemsAt(container, 'envFrom').forEach((from, i) => {
    const at = `${field}.envFrom[${i}]`
    const prefix = textAt(from, 'prefix')
    if (prefix !== '') checkName(errors, `${at}.prefix`, prefix, isRelaxedEnvVarName)
    const found = ['configMapRef', 'secretRef'].filter((it) => has(from, it))
    for (const name of found) {
      requireName(errors, `${at}.${name}.name`, textAt(objectAt(from, name), 'name'), (it) =>
        nameIsDnsSubdomain(it, true),
      )
    }
    if (found.length === 1) return
    const problem =
      found.length === 0
        ? 'must specify one of: `configMapRef` or `secretRef`'
        : 'may not have more than one field specified at a time'
    errors.push(invalidValue(`${field}.envFrom`, '', problem))
  })
}
