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
  readonly audit: LevelVersion
  readonly warn: LevelVersion
  readonly errors: readonly FieldError[]
}

const FREE: LevelVersion = Object.freeze({ level: 'privileged', version: 'latest' })

/** What holds where a namespace's labels do not say, and for whom nothing holds (PodSecurityConfiguration). */
export interface PodSecurityConfiguration {
  readonly defaults?: Readonly<Partial<Record<PodSecurityDefault, string>>>
  readonly exemptions?: {
    readonly usernames?: readonly string[]
    readonly namespaces?: readonly string[]
    readonly runtimeClasses?: readonly string[]
  }
}

/** A mode, or the version of one. */
export type PodSecurityDefault = Mode | `${Mode}-version`
type Mode = (typeof MODES)[number]

/** The same, ready to be used. */
interface Rules {
  readonly unlabelled: Policy
  readonly usernames: readonly string[]
  readonly namespaces: readonly string[]
  readonly runtimeClasses: readonly string[]
}

function rulesOf({ defaults = {}, exemptions = {} }: PodSecurityConfiguration): Rules {
  const of = (mode: Mode): LevelVersion => ({
    level: defaults[mode] || FREE.level,
    version: defaults[`${mode}-version`] || FREE.version,
  })
  const { usernames = [], namespaces = [], runtimeClasses = [] } = exemptions
  const unlabelled = { enforce: of('enforce'), audit: of('audit'), warn: of('warn'), errors: [] }
  return { unlabelled, usernames, namespaces, runtimeClasses }
}

type Labels = Readonly<Record<string, string>>

/** What a namespace's labels ask (pod-security-admission/api PolicyToEvaluate). What cannot be read is enforced strictly. */
function policyOf(labels: Labels | undefined, unlabelled: Policy): Policy {
  if (!labels) return unlabelled
  const errors = MODES.flatMap((it) => labelErrors(labels, it))
  const asked = (mode: Mode, otherwise: string): LevelVersion => ({
    level: readLevel(labels[`${PREFIX}${mode}`], unlabelled[mode].level, otherwise),
    version: readVersion(labels[`${PREFIX}${mode}-version`], unlabelled[mode].version),
  })
  const enforce = asked('enforce', 'restricted')
  const warn = asked('warn', 'privileged')
  // Who enforces warns as well, unless he says otherwise.
  const isCopied =
    labels[`${PREFIX}warn`] === undefined &&
    labels[`${PREFIX}enforce`] === enforce.level &&
    LEVELS.indexOf(enforce.level) > LEVELS.indexOf(warn.level)
  const { version } = labels[`${PREFIX}warn-version`] === undefined ? enforce : warn
  return {
    enforce,
    audit: asked('audit', 'privileged'),
    warn: isCopied ? { level: enforce.level, version } : warn,
    errors,
  }
}

const readLevel = (written: string | undefined, unwritten: string, otherwise: string): string => {
  if (written === undefined) return unwritten
  return LEVELS.includes(written) ? written : otherwise
}
const isVersion = (text: string): boolean => /^(latest|v1\.([0-9]|[1-9][0-9]*))$/.test(text)
const readVersion = (written: string | undefined, unwritten: string): string => {
  if (written === undefined) return unwritten
  return isVersion(written) ? written : 'latest'
}

/** What is wrong with a level or a version; undefined where it can be read. */
export const levelProblem = (level: string): string | undefined =>
  LEVELS.includes(level) ? undefined : `must be one of ${LEVELS.join(', ')}`
export const versionProblem = (version: string): string | undefined =>
  isVersion(version) ? undefined : 'must be "latest" or "v1.x"'

function labelErrors(
  labels: Readonly<Record<string, string>>,
  mode: string,
): readonly FieldError[] {
  const at = (label: string): string => `metadata.labels[${label}]`
  const level = labels[`${PREFIX}${mode}`]
  const version = labels[`${PREFIX}${mode}-version`]
  const errors: FieldError[] = []
  const wrong = level === undefined ? undefined : levelProblem(level)
  if (wrong !== undefined) errors.push(invalidValue(at(`${PREFIX}${mode}`), level, wrong))
  const why = version === undefined ? undefined : versionProblem(version)
  if (why !== undefined) errors.push(invalidValue(at(`${PREFIX}${mode}-version`), version, why))
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

async function validate(request: AdmissionRequest, rules: Rules): Promise<void> {
  if (isUnder(request, '/namespaces')) return checkNamespace(request, rules)
  const { context, object } = request
  if (rules.namespaces.includes(context.namespace)) return
  if (rules.usernames.includes(context.user.name)) return
  const namespace = await context.find('/namespaces', '', context.namespace)
  const policy = policyOf(namespace?.metadata.labels, rules.unlabelled)
  const isPod = isUnder(request, '/pods')
  if (isPod && request.operation === 'UPDATE' && !isSignificant(object!, request.old!)) return
  const template = isPod ? (object as unknown as Readable) : templateOf(object!)
  if (!template || isExempt(template, rules)) return
  const pod = partsOf(template)
  if (isPod) enforce(request, policy, pod)
  warn(request, policy, pod)
}

const isExempt = (pod: Readable, { runtimeClasses }: Rules): boolean =>
  runtimeClasses.includes(textAt(objectAt(pod, 'spec'), 'runtimeClassName'))

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

async function checkNamespace(request: AdmissionRequest, rules: Rules): Promise<void> {
  const { context, old } = request
  const meta = request.object!.metadata
  const policy = policyOf(meta.labels, rules.unlabelled)
  const before = old ? policyOf(old.metadata.labels, rules.unlabelled) : rules.unlabelled
  if (policy.errors.length > 0 && !(old && same(policy.errors, before.errors))) {
    throw invalid(context.resource, request.name || meta.name || '', policy.errors)
  }
  const name = meta.name ?? ''
  if (!old) return exemption(request, name, policy, rules)
  if (same(policy.enforce, before.enforce) || policy.enforce.level === 'privileged') return
  const isSameVersion = policy.enforce.version === before.enforce.version
  const isStricter = LEVELS.indexOf(policy.enforce.level) > LEVELS.indexOf(before.enforce.level)
  if (isSameVersion && !isStricter) return
  if (rules.namespaces.includes(name)) return exemption(request, name, policy, rules)
  const pods = (await context.all('/pods', name)).filter((it) => !isExempt(it as Readable, rules))
  for (const it of namespaceWarnings(name, policy.enforce, pods)) context.warn(it)
}

/** Tells who labels an exempt namespace that it is for nothing. */
function exemption(request: AdmissionRequest, name: string, policy: Policy, rules: Rules): void {
  if (!rules.namespaces.includes(name)) return
  const isFree = MODES.every((it) => policy[it].level === 'privileged')
  if (isFree || MODES.every((it) => same(policy[it], rules.unlabelled[it]))) return
  const labels = request.object!.metadata.labels ?? {}
  const told = MODES.filter(
    (it) =>
      policy[it].level !== 'privileged' &&
      [`${PREFIX}${it}`, `${PREFIX}${it}-version`].some((label) => Object.hasOwn(labels, label)),
  ).map((it) => `${it}=${policy[it].level}:${policy[it].version}`)
  request.context.warn(
    `namespace ${JSON.stringify(name)} is exempt from Pod Security, and the policy (${told.join(', ')}) will be ignored`,
  )
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

/** PodSecurity: the Pod Security Standards by a namespace's labels (k8s.io/pod-security-admission). */
export function podSecurity(configuration: PodSecurityConfiguration): AdmissionPlugin {
  const rules = rulesOf(configuration)
  return Object.freeze({
    name: 'PodSecurity',
    handles,
    validate: (request: AdmissionRequest) => validate(request, rules),
  })
}

/** The same as it is without a configuration: privileged where no label says otherwise, and nothing is exempt. */
export const POD_SECURITY: AdmissionPlugin = podSecurity({})
