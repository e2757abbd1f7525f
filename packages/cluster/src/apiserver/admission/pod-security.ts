import {
  forbidden,
  invalid,
  invalidValue,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { itemsAt, objectAt, same, textAt, type Readable } from '../registry/fields.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import {
  checksFor,
  LAST_MINOR,
  podParts,
  templateOf,
  type PodParts,
  type Violation,
} from './pod-security-checks.ts'
import { isUnder } from './refusal.ts'

const MODES = ['enforce', 'audit', 'warn'] as const
const LEVELS: readonly string[] = ['privileged', 'baseline', 'restricted']
const PREFIX = 'pod-security.kubernetes.io/'
const MOST_PODS = 3000

interface LevelVersion {
  readonly level: string
  /** `latest` or `v1.30`. */
  readonly version: string
}

interface Policy {
  readonly enforce: LevelVersion
  readonly warn: LevelVersion
  readonly errors: readonly FieldError[]
}

const FREE: LevelVersion = Object.freeze({ level: 'privileged', version: 'latest' })
const UNLABELLED: Policy = Object.freeze({ enforce: FREE, warn: FREE, errors: [] })

/** What a namespace's labels ask (pod-security-admission/api PolicyToEvaluate). What cannot be read is enforced strictly. */
function policyOf(labels: Readonly<Record<string, string>> | undefined): Policy {
  if (!labels) return UNLABELLED
  const errors = MODES.flatMap((it) => labelErrors(labels, it))
  const written = labels[`${PREFIX}enforce`]
  const enforce = {
    level: readLevel(written, 'restricted'),
    version: readVersion(labels[`${PREFIX}enforce-version`]),
  }
  const own = labels[`${PREFIX}warn`]
  const ownVersion = labels[`${PREFIX}warn-version`]
  const isCopied = own === undefined && written === enforce.level
  const version =
    isCopied && ownVersion === undefined && enforce.level !== 'privileged'
      ? enforce.version
      : readVersion(ownVersion)
  const level = isCopied ? enforce.level : readLevel(own, 'privileged')
  return { enforce, warn: { level, version }, errors }
}

const readLevel = (written: string | undefined, otherwise: string): string => {
  if (written === undefined) return 'privileged'
  return LEVELS.includes(written) ? written : otherwise
}
const isVersion = (text: string): boolean => /^(latest|v1\.([0-9]|[1-9][0-9]*))$/.test(text)
const readVersion = (written: string | undefined): string =>
  written !== undefined && isVersion(written) ? written : 'latest'

function labelErrors(
  labels: Readonly<Record<string, string>>,
  mode: string,
): readonly FieldError[] {
  const at = (label: string): string => `metadata.labels[${label}]`
  const level = labels[`${PREFIX}${mode}`]
  const version = labels[`${PREFIX}${mode}-version`]
  const errors: FieldError[] = []
  if (level !== undefined && !LEVELS.includes(level)) {
    const why = `must be one of ${LEVELS.join(', ')}`
    errors.push(invalidValue(at(`${PREFIX}${mode}`), level, why))
  }
  if (version !== undefined && !isVersion(version)) {
    const why = 'must be "latest" or "v1.x"'
    errors.push(invalidValue(at(`${PREFIX}${mode}-version`), version, why))
  }
  return errors
}

function violations(pod: PodParts, { level, version }: LevelVersion): readonly Violation[] {
  const asked = version === 'latest' ? LAST_MINOR : Number(version.slice('v1.'.length))
  const minor = Math.min(asked, LAST_MINOR)
  return checksFor(level, minor).flatMap((it) => it.check(pod, minor) ?? [])
}

const told = (found: readonly Violation[]): string =>
  found.map((it) => (it.detail === '' ? it.reason : `${it.reason} (${it.detail})`)).join(', ')
const named = (it: LevelVersion): string => JSON.stringify(`${it.level}:${it.version}`)

const TEMPLATED: readonly string[] = [
  '/replicationcontrollers',
  '/podtemplates',
  'apps/deployments',
  'apps/replicasets',
  'apps/statefulsets',
  'apps/daemonsets',
  'batch/jobs',
  'batch/cronjobs',
]
/** Subresources of pods that change nothing that the rules are about. */
const HARMLESS: readonly string[] = ['binding', 'eviction', 'status']

function handles(request: AdmissionRequest): boolean {
  const { operation, subresource } = request
  if (operation !== 'CREATE' && operation !== 'UPDATE') return false
  if (isUnder(request, '/pods')) return !HARMLESS.includes(subresource)
  return subresource === '' && isUnder(request, '/namespaces', ...TEMPLATED)
}

async function validate(request: AdmissionRequest): Promise<void> {
  if (isUnder(request, '/namespaces')) return checkNamespace(request)
  const { context, object } = request
  const namespace = await context.find('/namespaces', '', context.namespace)
  const policy = policyOf(namespace?.metadata.labels)
  if (policy === UNLABELLED) return
  if (!isUnder(request, '/pods')) {
    const template = templateOf(object!)
    if (template) warn(request, policy, partsOf(template))
    return
  }
  if (request.operation === 'UPDATE' && !isSignificant(object!, request.old!)) return
  const pod = partsOf(object as unknown as Readable)
  enforce(request, policy, pod)
  warn(request, policy, pod)
}

const partsOf = (pod: Readable): PodParts =>
  podParts(objectAt(pod, 'metadata'), objectAt(pod, 'spec') ?? {})

function enforce(request: AdmissionRequest, policy: Policy, pod: PodParts): void {
  const found = violations(pod, policy.enforce)
  if (found.length === 0) return
  const name = request.name || request.object?.metadata.name || ''
  const why = `violates PodSecurity ${named(policy.enforce)}: ${told(found)}`
  throw forbidden(request.context.resource, name, why)
}

function warn(request: AdmissionRequest, policy: Policy, pod: PodParts): void {
  const found = violations(pod, policy.warn)
  if (found.length === 0) return
  request.context.warn(`would violate PodSecurity ${named(policy.warn)}: ${told(found)}`)
}

/** An update matters to the rules when it brings a container or an image (isSignificantPodUpdate). */
function isSignificant(pod: UnknownObject, old: UnknownObject): boolean {
  const [after, before] = [objectAt(pod, 'spec'), objectAt(old, 'spec')]
  const grew = ['containers', 'initContainers'].some((list) => {
    const [now, then] = [itemsAt(after, list), itemsAt(before, list)]
    return (
      now.length !== then.length ||
      now.some((it, i) => textAt(it, 'image') !== textAt(then[i], 'image'))
    )
  })
  const debugging = itemsAt(before, 'ephemeralContainers')
  return (
    grew ||
    itemsAt(after, 'ephemeralContainers').some((it) => {
      const then = debugging.find((each) => each['name'] === it['name'])
      return then === undefined || textAt(then, 'image') !== textAt(it, 'image')
    })
  )
}

async function checkNamespace(request: AdmissionRequest): Promise<void> {
  const { context, old } = request
  const meta = request.object!.metadata
  const policy = policyOf(meta.labels)
  const before = old ? policyOf(old.metadata.labels) : UNLABELLED
  if (policy.errors.length > 0 && !(old && same(policy.errors, before.errors))) {
    throw invalid(context.resource, request.name || meta.name || '', policy.errors)
  }
  if (!old || policy.enforce.level === 'privileged') return
  const isSameVersion = policy.enforce.version === before.enforce.version
  const isStricter = LEVELS.indexOf(policy.enforce.level) > LEVELS.indexOf(before.enforce.level)
  if (isSameVersion && !isStricter) return
  const pods = await context.all('/pods', old.metadata.name ?? '')
  for (const it of namespaceWarnings(old.metadata.name ?? '', policy.enforce, pods))
    context.warn(it)
}

/** Which pods of a namespace would not be let in today. */
function namespaceWarnings(
  namespace: string,
  wanted: LevelVersion,
  pods: readonly UnknownObject[],
): readonly string[] {
  const guilty = new Map<string, string[]>()
  for (const pod of pods.slice(0, MOST_PODS)) {
    const found = violations(partsOf(pod as unknown as Readable), wanted)
    if (found.length === 0) continue
    const why = found.map((it) => it.reason).join(', ')
    guilty.set(why, [...(guilty.get(why) ?? []), pod.metadata.name ?? ''])
  }
  const warnings: string[] = []
  if (pods.length > MOST_PODS) {
    warnings.push(
      `new PodSecurity enforce level only checked against the first ${MOST_PODS} of ${pods.length} existing pods`,
    )
  }
  if (guilty.size === 0) return warnings
  warnings.push(
    `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${named(wanted)}`,
  )
  return [...warnings, ...[...guilty].map(([why, names]) => `${counted(names)}: ${why}`).toSorted()]
}

function counted(names: readonly string[]): string {
  const [first] = names.toSorted()
  if (names.length === 1) return first!
  const others = names.length - 1
  return `${first} (and ${others} other ${others === 1 ? 'pod' : 'pods'})`
}

/** PodSecurity: the Pod Security Standards by a namespace's labels (k8s.io/pod-security-admission). Nothing is exempt. */
export const POD_SECURITY: AdmissionPlugin = Object.freeze({
  name: 'PodSecurity',
  handles,
  validate,
})
