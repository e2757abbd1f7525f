import {
  duplicate,
  forbiddenField,
  invalidValue,
  isDns1123Label,
  isPortName,
  isPortNumber,
  notFoundField,
  notSupported,
  required,
  tooMany,
} from 'kubewright/machinery'
import { has, itemsAt, numberAt, objectAt, textAt, type Readable } from '../fields.ts'
import {
  checkOneOf,
  requireName,
  requireOneOf,
  requireText,
  type Errors,
} from '../generic/checks.ts'
import { checkEnv, checkEnvFrom } from './env-validation.ts'
import { checkDevices, checkMounts } from './mount-validation.ts'
import { checkLifecycle, checkProbes, forbidProbes } from './probe-validation.ts'
import { checkContainerResourceName, checkRequirements } from './resource-validation.ts'
import { checkContainerSecurity } from './security-validation.ts'

/** What the containers of a pod are checked against. */
export interface PodFrame {
  readonly volumes: ReadonlyMap<string, Readable>
  readonly claims: readonly string[]
  readonly grace: number | undefined
  readonly restartPolicy: string
  readonly hostUsers: boolean
}

const PROTOCOLS = ['SCTP', 'TCP', 'UDP']
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never']
const RESTART_POLICIES = ['Always', 'Never', 'OnFailure']

/** The containers that make up a pod (validateContainers). */
export function checkContainers(
  errors: Errors,
  field: string,
  containers: readonly Readable[],
  frame: PodFrame,
): void {
  if (containers.length === 0) {
    errors.push(required(field))
    return
  }
  const names = new Set<string>()
  containers.forEach((container, i) => {
    const at = `${field}[${i}]`
    checkContainer(errors, at, container, frame)
    const name = textAt(container, 'name')
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    names.add(name)
    checkLifecycle(errors, at, container, frame.grace)
    checkProbes(errors, at, container, frame.grace)
    checkRestartRules(errors, at, container)
  })
  checkHostPorts(errors, field, containers)
}

/** The containers that run first (validateInitContainers). */
export function checkInitContainers(
  errors: Errors,
  field: string,
  containers: readonly Readable[],
  others: readonly Readable[],
  frame: PodFrame,
): void {
  const names = new Set(others.map((it) => textAt(it, 'name')))
  containers.forEach((container, i) => {
    const at = `${field}[${i}]`
    const name = textAt(container, 'name')
    const stays = textAt(container, 'restartPolicy') === 'Always'
    checkContainer(errors, at, container, frame)
    checkInitRestartRules(errors, at, container)
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    else if (name !== '') names.add(name)
    checkHostPorts(errors, field, [container])
    if (!stays) forbidProbes(errors, at, container)
    else {
      checkLifecycle(errors, at, container, frame.grace)
      checkProbes(errors, at, container, frame.grace)
    }
    if (!stays) forbidRestarts(errors, at, container)
  })
}

function forbidRestarts(errors: Errors, field: string, container: Readable): void {
  itemsAt(container, 'resizePolicy').forEach((it, i) => {
    if (it['restartPolicy'] !== 'RestartContainer') return
    const why = "must not be set to 'RestartContainer' for non-sidecar initContainers"
    const at = `${field}.resizePolicy[${i}].restartPolicy`
    errors.push(invalidValue(at, it['restartPolicy'], why))
  })
}

/** In the order of their Go struct. */
const NOT_IN_EPHEMERAL = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
]
const NOT_EPHEMERAL = 'cannot be set for an Ephemeral Container'

/** The containers that are put into a running pod to look around (validateEphemeralContainers). */
export function checkEphemeralContainers(
  errors: Errors,
  field: string,
  spec: Readable,
  frame: PodFrame,
): void {
  const others = ['containers', 'initContainers'].flatMap((list) =>
    itemsAt(spec, list).map((it) => textAt(it, 'name')),
  )
  const names = new Set(others)
  itemsAt(spec, 'ephemeralContainers').forEach((container, i) => {
    const at = `${field}[${i}]`
    const name = textAt(container, 'name')
    const target = textAt(container, 'targetContainerName')
    checkContainer(errors, at, container, frame)
    checkImage(errors, at, container)
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    names.add(name)
    if (target !== '' && !others.includes(target)) {
      errors.push(notFoundField(`${at}.targetContainerName`, target))
    }
    for (const name of NOT_IN_EPHEMERAL) {
      if (!has(container, name) || (name === 'resources' && isNothing(container[name]))) continue
      errors.push(forbiddenField(`${at}.${name}`, NOT_EPHEMERAL))
    }
    itemsAt(container, 'volumeMounts').forEach((mount, j) => {
      for (const path of ['subPath', 'subPathExpr']) {
        if (textAt(mount, path) === '') continue
        errors.push(forbiddenField(`${at}.volumeMounts[${j}].${path}`, NOT_EPHEMERAL))
      }
    })
  })
}

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** Only a pod, not a template, minds blanks around an image's name. */
export function checkImage(errors: Errors, field: string, container: Readable): void {
  const image = textAt(container, 'image')
  if (image.trim().length === image.length) return
  const why = 'must not have leading or trailing whitespace'
  errors.push(invalidValue(`${field}.image`, image, why))
}

function checkContainer(errors: Errors, field: string, container: Readable, frame: PodFrame): void {
  requireName(errors, `${field}.name`, textAt(container, 'name'), isDns1123Label)
  requireText(errors, `${field}.image`, textAt(container, 'image'))
  const policy = textAt(container, 'terminationMessagePolicy')
  requireOneOf(errors, `${field}.terminationMessagePolicy`, policy, MESSAGE_POLICIES)
  checkPorts(errors, `${field}.ports`, container)
  checkEnv(errors, field, container)
  checkEnvFrom(errors, field, container)
  checkMounts(errors, `${field}.volumeMounts`, container, frame.volumes)
  checkDevices(errors, `${field}.volumeDevices`, container, frame.volumes)
  const pull = textAt(container, 'imagePullPolicy')
  requireOneOf(errors, `${field}.imagePullPolicy`, pull, PULL_POLICIES)
  checkRequirements(
    errors,
    `${field}.resources`,
    objectAt(container, 'resources'),
    checkContainerResourceName,
    frame.claims,
  )
  checkResizePolicy(errors, `${field}.resizePolicy`, container, frame)
  const security = objectAt(container, 'securityContext')
  checkContainerSecurity(errors, `${field}.securityContext`, security, frame.hostUsers)
}

const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError']

function checkPorts(errors: Errors, field: string, container: Readable): void {
  const names = new Set<string>()
  itemsAt(container, 'ports').forEach((port, i) => {
    const at = `${field}[${i}]`
    checkPortName(errors, `${at}.name`, textAt(port, 'name'), names)
    const number = numberAt(port, 'containerPort') ?? 0
    if (number === 0) errors.push(required(`${at}.containerPort`))
    else checkPortNumber(errors, `${at}.containerPort`, number)
    const host = numberAt(port, 'hostPort') ?? 0
    if (host !== 0) checkPortNumber(errors, `${at}.hostPort`, host)
    requireOneOf(errors, `${at}.protocol`, textAt(port, 'protocol'), PROTOCOLS)
  })
}

function checkPortNumber(errors: Errors, field: string, port: number): void {
  for (const problem of isPortNumber(port)) errors.push(invalidValue(field, port, problem))
}

function checkPortName(errors: Errors, field: string, name: string, seen: Set<string>): void {
  if (name === '') return
  const problems = isPortName(name)
  for (const problem of problems) errors.push(invalidValue(field, name, problem))
  if (problems.length > 0) return
  if (seen.has(name)) errors.push(duplicate(field, name))
  seen.add(name)
}

function checkHostPorts(errors: Errors, field: string, containers: readonly Readable[]): void {
  const seen = new Set<string>()
  containers.forEach((container, i) =>
    itemsAt(container, 'ports').forEach((port, j) => {
      const host = numberAt(port, 'hostPort') ?? 0
      if (host === 0) return
      const text = `${textAt(port, 'protocol')}/${textAt(port, 'hostIP')}/${host}`
      if (seen.has(text)) errors.push(duplicate(`${field}[${i}].ports[${j}].hostPort`, text))
      seen.add(text)
    }),
  )
}

function checkResizePolicy(
  errors: Errors,
  field: string,
  container: Readable,
  frame: PodFrame,
): void {
  const seen = new Set<string>()
  itemsAt(container, 'resizePolicy').forEach((it, i) => {
    const resource = textAt(it, 'resourceName')
    const policy = textAt(it, 'restartPolicy')
    if (seen.has(resource)) errors.push(duplicate(`${field}[${i}]`, resource))
    seen.add(resource)
    requireOneOf(errors, field, resource, ['cpu', 'memory'])
    requireOneOf(errors, field, policy, ['NotRequired', 'RestartContainer'])
    if (frame.restartPolicy === 'Never' && policy !== 'NotRequired') {
      const why = "must be 'NotRequired' when pod `restartPolicy` is 'Never'"
      errors.push(invalidValue(field, policy, why))
    }
  })
}

/** A container's own restart policy, and its exceptions (validateContainerRestartPolicy, KEP-5307). */
function checkRestartRules(errors: Errors, field: string, container: Readable): void {
  const rules = itemsAt(container, 'restartPolicyRules')
  if (has(container, 'restartPolicy')) {
    const policy = textAt(container, 'restartPolicy')
    checkOneOf(errors, `${field}.restartPolicy`, policy, RESTART_POLICIES)
  } else if (rules.length > 0) {
    const why = 'must specify restartPolicy when restart rules are used'
    errors.push(required(`${field}.restartPolicy`, why))
  }
  if (rules.length > 20) errors.push(tooMany(`${field}.restartPolicyRules`, rules.length, 20))
  rules.forEach((rule, i) => checkRestartRule(errors, `${field}.restartPolicyRules[${i}]`, rule))
}

/** An init container without a policy of its own has said enough wrong (validateInitContainerRestartPolicy). */
function checkInitRestartRules(errors: Errors, field: string, container: Readable): void {
  if (has(container, 'restartPolicy')) return checkRestartRules(errors, field, container)
  if (itemsAt(container, 'restartPolicyRules').length === 0) return
  const why = 'must specify restartPolicy when restart rules are used'
  errors.push(required(`${field}.restartPolicy`, why))
}

const RULE_ACTIONS = ['Restart', 'RestartAllContainers']

function checkRestartRule(errors: Errors, field: string, rule: Readable): void {
  const action = textAt(rule, 'action')
  if (!RULE_ACTIONS.includes(action)) {
    errors.push(notSupported(`${field}.action`, action, RULE_ACTIONS))
  }
  const codes = objectAt(rule, 'exitCodes')
  if (codes === undefined) {
    errors.push(required(`${field}.exitCodes`, 'must be specified'))
    return
  }
  checkOneOf(errors, `${field}.exitCodes.operator`, textAt(codes, 'operator'), ['In', 'NotIn'])
  const values = (codes['values'] as readonly number[] | undefined) ?? []
  if (values.length > 255) errors.push(tooMany(`${field}.exitCodes.values`, values.length, 255))
}
