import { formatQuantity, isLabelValue, type UnknownObject } from 'kubewright/machinery'
import {
  has,
  itemsAt,
  mapAt,
  numberAt,
  objectAt,
  same,
  textAt,
  textsAt,
  type Readable,
} from '../fields.ts'
import type { Draft, Strategy } from '../strategy.ts'
import { ipWarnings } from './ip-warnings.ts'
import { nodeLabelWarning, selectorTermWarnings } from './node-label-warnings.ts'
import { claimSpecWarnings } from './persistent-volume-claim-warnings.ts'
import { amountOf, isFractional, resourcesAt } from './resource-list.ts'
import {
  APP_ARMOR_OF,
  appArmorProfile,
  hasProfileAnnotations,
  SECCOMP,
  SECCOMP_OF,
} from './profile-annotations.ts'
import { overlapWarnings } from './volume-overlaps.ts'

/** What is odd about a pod but not wrong (kubernetes/pkg/api/pod/warnings.go). `at` is the field that the pod lies under, or ''. */
export function podWarnings(pod: Readable | undefined, at: string): readonly string[] {
  const spec = objectAt(pod, 'spec') ?? {}
  const within = (field: string): string => (at === '' ? field : `${at}.${field}`)
  const annotations = mapAt(objectAt(pod, 'metadata'), 'annotations')
  const containers = containersOf(spec, within('spec'))
  return [
    ...placementWarnings(spec, within('spec')),
    ...annotationWarnings(annotations, within('metadata.annotations')),
    ...itemsAt(spec, 'volumes').flatMap((it, i) =>
      volumeWarnings(it, `${within('spec.volumes')}[${i}]`),
    ),
    ...overlapWarnings(itemsAt(spec, 'volumes')),
    ...listWarnings(spec, within('spec')),
    ...fractionWarnings(spec, 'overhead', within('spec.overhead')),
    ...profileWarnings(spec, annotations, containers, within('metadata.annotations'), at !== ''),
    ...containers.flatMap(([it, path]) => containerWarnings(it, path)),
    ...portWarnings(containers),
    ...portNameWarnings(containers),
    ...graceWarnings(spec, within('spec')),
    ...affinityWarnings(spec, within('spec.affinity')),
    ...addressWarnings(spec, within('spec')),
  ]
}

/** The warnings of a kind with a template: told at a create, and at each update that counts. */
export const templateWarnings = (
  read: (object: Readable) => Readable | undefined,
  at: string,
): Required<Pick<Strategy, 'warningsOnCreate' | 'warningsOnUpdate'>> => ({
  warningsOnCreate: (object: Draft) => podWarnings(read(object as Readable), at),
  warningsOnUpdate: (object: Draft, old: UnknownObject) =>
    object.metadata.generation === old.metadata.generation
      ? []
      : podWarnings(read(object as Readable), at),
})

type Located = readonly [container: Readable, path: string]

const containersOf = (spec: Readable, at: string): readonly Located[] =>
  ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    itemsAt(spec, list).map((it, i): Located => [it, `${at}.${list}[${i}]`]),
  )

function placementWarnings(spec: Readable, at: string): readonly string[] {
  const selector = mapAt(spec, 'nodeSelector')
  const affinity = objectAt(objectAt(spec, 'affinity'), 'nodeAffinity')
  const hard = 'requiredDuringSchedulingIgnoredDuringExecution'
  const soft = 'preferredDuringSchedulingIgnoredDuringExecution'
  return [
    ...Object.keys(selector).flatMap((key) => {
      const why = nodeLabelWarning(key)
      return why === undefined ? [] : [`${at}.nodeSelector[${key}]: ${why}`]
    }),
    ...itemsAt(objectAt(affinity, hard), 'nodeSelectorTerms').flatMap((term, i) =>
      selectorTermWarnings(term, `${at}.affinity.nodeAffinity.${hard}.nodeSelectorTerms[${i}]`),
    ),
    ...itemsAt(affinity, soft).flatMap((term, i) =>
      selectorTermWarnings(
        objectAt(term, 'preference') ?? {},
        `${at}.affinity.nodeAffinity.${soft}[${i}].preference`,
        isLabelValue,
      ),
    ),
    ...itemsAt(spec, 'topologySpreadConstraints').flatMap((it, i) =>
      spreadWarnings(it, `${at}.topologySpreadConstraints[${i}]`),
    ),
  ]
}

function spreadWarnings(constraint: Readable, at: string): readonly string[] {
  const key = textAt(constraint, 'topologyKey')
  const why = nodeLabelWarning(key)
  return [
    ...(why === undefined ? [] : [`${at}.topologyKey: ${key} is ${why}`]),
    ...(has(constraint, 'labelSelector') ? [] : [selectsNothing(`${at}.labelSelector`)]),
  ]
}

const selectsNothing = (at: string): string =>
  `${at}: a null labelSelector results in matching no pod`

const ANNOTATIONS: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod':
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls':
    'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls':
    'non-functional in v1.11+; use the "sysctls" field instead',
}

const annotationWarnings = (
  annotations: Readonly<Record<string, string>>,
  at: string,
): readonly string[] =>
  Object.entries(ANNOTATIONS).flatMap(([key, why]) =>
    annotations[key] === undefined ? [] : [`${at}[${key}]: ${why}`],
  )

/** Volumes of old, by their field, and what became of them. */
const OLD_VOLUMES: readonly (readonly [field: string, why: string, shown?: string])[] = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+', 'storageOS'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
]

/** Warns of a volume's old type; of a persistent volume's as well. */
export const oldVolumeWarnings = (
  volume: Readable,
  at: string,
  except: readonly string[] = [],
): readonly string[] =>
  OLD_VOLUMES.flatMap(([field, why, shown = field]) =>
    has(volume, field) && !except.includes(field) ? [`${at}.${shown}: ${why}`] : [],
  )

function volumeWarnings(volume: Readable, at: string): readonly string[] {
  const claim = objectAt(objectAt(volume, 'ephemeral'), 'volumeClaimTemplate')
  return [
    ...oldVolumeWarnings(volume, at),
    ...(claim
      ? claimSpecWarnings(objectAt(claim, 'spec'), `${at}.ephemeral.volumeClaimTemplate.spec`)
      : []),
  ]
}

function listWarnings(spec: Readable, at: string): readonly string[] {
  const secrets = itemsAt(spec, 'imagePullSecrets')
  return [
    ...repeated(itemsAt(spec, 'hostAliases'), 'ip', `${at}.hostAliases`),
    ...repeated(secrets, 'name', `${at}.imagePullSecrets`),
    ...secrets.flatMap((it, i) =>
      textAt(it, 'name') === '' ? [`${at}.imagePullSecrets[${i}].name: invalid empty name ""`] : [],
    ),
  ]
}

function repeated(items: readonly Readable[], field: string, at: string): readonly string[] {
  const values = items.map((it) => textAt(it, field))
  return values.flatMap((value, i) =>
    values.indexOf(value) < i
      ? [`${at}[${i}].${field}: duplicate ${field} ${JSON.stringify(value)}`]
      : [],
  )
}

function fractionWarnings(
  holder: Readable | undefined,
  list: string,
  at: string,
): readonly string[] {
  const amounts = resourcesAt(holder, list)
  return ['memory', 'ephemeral-storage'].flatMap((name) => {
    const amount = amountOf(amounts[name])
    if (amount === undefined || !isFractional(amount)) return []
    return [
      `${at}[${name}]: fractional byte value ${JSON.stringify(formatQuantity(amount))} is invalid, must be an integer`,
    ]
  })
}

/** Profiles were annotations once. */
function profileWarnings(
  spec: Readable,
  annotations: Readonly<Record<string, string>>,
  containers: readonly Located[],
  at: string,
  isTemplate: boolean,
): readonly string[] {
  if (!hasProfileAnnotations(annotations)) return []
  const own = objectAt(spec, 'securityContext')
  const seccomp = (key: string): string =>
    `${at}[${key}]: non-functional in v1.27+; use the "seccompProfile" field instead`
  const isSet = (it: Readable | undefined, key: string, field: string): boolean =>
    annotations[key] === undefined || has(it, field)
  const ofPod = isSet(own, SECCOMP, 'seccompProfile') ? [] : [seccomp(SECCOMP)]
  return [
    ...ofPod,
    ...containers.flatMap(([it]) => {
      const name = textAt(it, 'name')
      const context = objectAt(it, 'securityContext')
      const armor = `${APP_ARMOR_OF}${name}`
      return [
        ...(isSet(context, `${SECCOMP_OF}${name}`, 'seccompProfile')
          ? []
          : [seccomp(`${SECCOMP_OF}${name}`)]),
        ...(!isTemplate ||
        isSet(context, armor, 'appArmorProfile') ||
        same(objectAt(own, 'appArmorProfile'), appArmorProfile(annotations[armor] ?? ''))
          ? []
          : [`${at}[${armor}]: deprecated since v1.30; use the "appArmorProfile" field instead`]),
      ]
    }),
  ]
}

function containerWarnings(container: Readable, at: string): readonly string[] {
  const resources = objectAt(container, 'resources')
  return [
    ...fractionWarnings(resources, 'limits', `${at}.resources.limits`),
    ...fractionWarnings(resources, 'requests', `${at}.resources.requests`),
    ...hiddenVariables(itemsAt(container, 'env'), `${at}.env`),
  ]
}

/** A variable set twice is fine only where the second one builds on the first. */
function hiddenVariables(env: readonly Readable[], at: string): readonly string[] {
  const seen = new Set<string>()
  return env.flatMap((it, i) => {
    const name = textAt(it, 'name')
    const isAgain = seen.has(name)
    seen.add(name)
    if (!isAgain) return []
    const value = textAt(it, 'value')
    const reference = `$(${name})`
    const builds = !has(it, 'valueFrom') && value !== reference && value.includes(reference)
    if (builds) return []
    return [
      `${at}[${i}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ]
  })
}

interface Port {
  readonly at: string
  readonly hostIP: string
  readonly hostPort: number
}

function portWarnings(containers: readonly Located[]): readonly string[] {
  const taken = new Map<string, Port[]>()
  const warnings: string[] = []
  for (const [container, path] of containers) {
    itemsAt(container, 'ports').forEach((it, i) => {
      const port: Port = {
        at: `${path}.ports[${i}]`,
        hostIP: textAt(it, 'hostIP'),
        hostPort: numberAt(it, 'hostPort') ?? 0,
      }
      if (port.hostIP !== '' && port.hostPort === 0) {
        warnings.push(`${port.at}: hostIP set without hostPort: ${shownPort(it)}`)
      }
      const key = `${numberAt(it, 'containerPort') ?? 0}/${textAt(it, 'protocol')}`
      const others = taken.get(key) ?? []
      for (const other of others) {
        const clash = clashOf(port, other)
        if (clash) warnings.push(`${port.at}: ${clash} port definition with ${other.at}`)
      }
      taken.set(key, [...others, port])
    })
  }
  return warnings
}

/** A port as Go prints its struct. */
const shownPort = (it: Readable): string =>
  `{Name:${textAt(it, 'name')} HostPort:${numberAt(it, 'hostPort') ?? 0} ContainerPort:${numberAt(it, 'containerPort') ?? 0} Protocol:${textAt(it, 'protocol')} HostIP:${textAt(it, 'hostIP')}}`

function clashOf(a: Port, b: Port): string | undefined {
  if (a.hostIP === b.hostIP && a.hostPort === b.hostPort) return 'duplicate'
  if (a.hostPort === 0 || b.hostPort === 0) return 'overlapping'
  const isOneOpen = (a.hostIP === '') !== (b.hostIP === '')
  return a.hostPort === b.hostPort && isOneOpen ? 'dangerously ambiguous' : undefined
}

function portNameWarnings(containers: readonly Located[]): readonly string[] {
  const taken = new Map<string, string>()
  const warnings: string[] = []
  for (const [container, path] of containers) {
    itemsAt(container, 'ports').forEach((it, i) => {
      const name = textAt(it, 'name')
      if (name === '') return
      const at = `${path}.ports[${i}]`
      const first = taken.get(name)
      if (first === undefined) taken.set(name, at)
      else {
        warnings.push(
          `${at}: duplicate port name ${JSON.stringify(name)} with ${first}, services and probes that select ports by name will use ${first}`,
        )
      }
    })
  }
  return warnings
}

const graceWarnings = (spec: Readable, at: string): readonly string[] =>
  (numberAt(spec, 'terminationGracePeriodSeconds') ?? 0) < 0
    ? [
        `${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
      ]
    : []

function affinityWarnings(spec: Readable, at: string): readonly string[] {
  const affinity = objectAt(spec, 'affinity')
  if (affinity === undefined) return []
  return ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const rules = objectAt(affinity, kind)
    const hard = 'requiredDuringSchedulingIgnoredDuringExecution'
    const soft = 'preferredDuringSchedulingIgnoredDuringExecution'
    return [
      ...itemsAt(rules, hard).flatMap((it, i) =>
        has(it, 'labelSelector')
          ? []
          : [selectsNothing(`${at}.${kind}.${hard}[${i}].labelSelector`)],
      ),
      ...itemsAt(rules, soft).flatMap((it, i) =>
        has(objectAt(it, 'podAffinityTerm'), 'labelSelector')
          ? []
          : [selectsNothing(`${at}.${kind}.${soft}[${i}].podAffinityTerm.labelSelector`)],
      ),
    ]
  })
}

const addressWarnings = (spec: Readable, at: string): readonly string[] => [
  ...textsAt(objectAt(spec, 'dnsConfig'), 'nameservers').flatMap((it, i) =>
    ipWarnings(`${at}.dnsConfig.nameservers[${i}]`, it),
  ),
  ...itemsAt(spec, 'hostAliases').flatMap((it, i) =>
    ipWarnings(`${at}.hostAliases[${i}].ip`, textAt(it, 'ip')),
  ),
]
