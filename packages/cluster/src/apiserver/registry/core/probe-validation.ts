import { forbiddenField, invalidValue, isHttpHeaderName, required } from 'kubewright/machinery'
import { has, itemsAt, numberAt, objectAt, textAt, textsAt, type Readable } from '../fields.ts'
import {
  checkName,
  checkNonNegativeFields,
  checkOneOf,
  checkPort,
  requireText,
  type Errors,
} from '../generic/checks.ts'

const COUNTS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
]

/** The probes of a container (validateLivenessProbe and its siblings). */
export function checkProbes(
  errors: Errors,
  field: string,
  container: Readable,
  grace: number | undefined,
): void {
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = objectAt(container, name)
    if (probe) checkProbe(errors, `${field}.${name}`, probe, name, grace)
  }
}

function checkProbe(
  errors: Errors,
  field: string,
  probe: Readable,
  kind: string,
  grace: number | undefined,
): void {
  checkHandler(errors, field, probe, grace)
  checkNonNegativeFields(errors, field, probe, COUNTS)
  const own = numberAt(probe, 'terminationGracePeriodSeconds')
  if (own !== undefined && own <= 0) {
    errors.push(
      invalidValue(`${field}.terminationGracePeriodSeconds`, own, 'must be greater than 0'),
    )
  }
  if (kind === 'readinessProbe') {
    if (own === undefined) return
    const why = 'must not be set for readinessProbes'
    errors.push(invalidValue(`${field}.terminationGracePeriodSeconds`, own, why))
  } else if (probe['successThreshold'] !== 1) {
    errors.push(
      invalidValue(`${field}.successThreshold`, probe['successThreshold'] ?? 0, 'must be 1'),
    )
  }
}

type CheckHandler = (
  errors: Errors,
  field: string,
  handler: Readable,
  grace: number | undefined,
) => void

const HANDLERS: readonly (readonly [string, CheckHandler])[] = [
  [
    'exec',
    (errors, field, it) => {
      if (textsAt(it, 'command').length === 0) errors.push(required(`${field}.command`))
    },
  ],
  ['httpGet', checkHttpGet],
  ['tcpSocket', (errors, field, it) => checkPort(errors, `${field}.port`, it['port'])],
  ['grpc', (errors, field, it) => checkPort(errors, `${field}.port`, it['port'])],
  ['sleep', checkSleep],
]

/** What a probe or a hook does: exactly one thing. */
function checkHandler(
  errors: Errors,
  field: string,
  handler: Readable,
  grace: number | undefined,
): void {
  let found = false
  for (const [name, check] of HANDLERS) {
    const it = objectAt(handler, name)
    if (it === undefined) continue
    if (found) {
      errors.push(forbiddenField(`${field}.${name}`, 'may not specify more than 1 handler type'))
    } else check(errors, `${field}.${name}`, it, grace)
    found = true
  }
  if (!found) errors.push(required(field, 'must specify a handler type'))
}

function checkHttpGet(errors: Errors, field: string, http: Readable): void {
  requireText(errors, `${field}.path`, textAt(http, 'path'))
  checkPort(errors, `${field}.port`, http['port'])
  checkOneOf(errors, `${field}.scheme`, textAt(http, 'scheme'), ['HTTP', 'HTTPS'])
  for (const header of itemsAt(http, 'httpHeaders')) {
    checkName(errors, `${field}.httpHeaders`, textAt(header, 'name'), isHttpHeaderName)
  }
}

function checkSleep(
  errors: Errors,
  field: string,
  sleep: Readable,
  grace: number | undefined,
): void {
  const seconds = numberAt(sleep, 'seconds') ?? 0
  if (grace === undefined || (seconds >= 0 && seconds <= grace)) return
  const why = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`
  errors.push(invalidValue(field, seconds, why))
}

/** The hooks of a container. */
export function checkLifecycle(
  errors: Errors,
  field: string,
  container: Readable,
  grace: number | undefined,
): void {
  const lifecycle = objectAt(container, 'lifecycle')
  for (const name of ['postStart', 'preStop']) {
    const hook = objectAt(lifecycle, name)
    if (hook) checkHandler(errors, `${field}.lifecycle.${name}`, hook, grace)
  }
}

/** A first container ends before the others begin, so it has none of these unless it stays. */
export function forbidProbes(errors: Errors, field: string, container: Readable): void {
  for (const name of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']) {
    if (!has(container, name)) continue
    errors.push(
      forbiddenField(
        `${field}.${name}`,
        'may not be set for init containers without restartPolicy=Always',
      ),
    )
  }
}
