import type { UnknownObject } from 'kubewright/machinery'
import {
  flagAt,
  has,
  itemsAt,
  mapAt,
  numberAt,
  objectAt,
  textAt,
  textsAt,
  type Readable,
} from '../registry/fields.ts'

/** What the checks look at: a pod, or the template of one. */
export interface PodParts {
  readonly annotations: Readonly<Record<string, string>>
  readonly spec: Readable
  /** Init containers, containers and ephemeral ones. */
  readonly containers: readonly Readable[]
}

/** What a check forbids: a reason, and its detail. */
export interface Violation {
  readonly reason: string
  readonly detail: string
}

/** One rule of the Pod Security Standards, as v1.`since` has it. */
export interface PodSecurityCheck {
  readonly id: string
  readonly level: 'baseline' | 'restricted'
  readonly since: number
  /** The baseline check that this stricter one stands for. */
  readonly overrides?: string
  readonly check: (pod: PodParts, minor: number) => Violation | undefined
}

/** The last version in which a rule changed: later ones, and `latest`, are the same. */
export const LAST_MINOR = 35

export const podParts = (meta: Readable | undefined, spec: Readable): PodParts => ({
  annotations: mapAt(meta, 'annotations'),
  spec,
  containers: ['initContainers', 'containers', 'ephemeralContainers'].flatMap((it) =>
    itemsAt(spec, it),
  ),
})

/** The rules that hold at a level and version, in the order in which they are told. */
export function checksFor(level: string, minor: number): readonly PodSecurityCheck[] {
  if (level === 'privileged') return []
  const known = CHECKS.filter((it) => it.since <= minor)
  if (level === 'baseline') return known.filter((it) => it.level === 'baseline')
  const overridden = known.map((it) => it.overrides)
  return known.filter((it) => !overridden.includes(it.id))
}

const quoted = (items: readonly string[]): string => `"${items.join('", "')}"`
const sorted = (items: Iterable<string>): readonly string[] => [...new Set(items)].toSorted()
const many = (word: string, count: number): string => (count === 1 ? word : `${word}s`)
const context = (it: Readable): Readable | undefined => objectAt(it, 'securityContext')
const namesOf = (items: readonly Readable[]): readonly string[] =>
  items.map((it) => textAt(it, 'name'))
/** `container "a"` or `containers "a", "b"`. */
const containersNamed = (names: readonly string[]): string =>
  `${many('container', names.length)} ${quoted(names)}`
const isWindows = ({ spec }: PodParts): boolean =>
  textAt(objectAt(spec, 'os'), 'name') === 'windows'
/** Rules relax where a pod has users of its own (KEP-127). */
const hasOwnUsers = ({ spec }: PodParts): boolean => spec['hostUsers'] === false

/** Who sets something wrong: `pod and containers "a", "b"`. */
function setters(pod: PodParts, isBad: (context: Readable | undefined) => boolean): string {
  const containers = namesOf(pod.containers.filter((it) => isBad(context(it))))
  return [
    ...(isBad(context(pod.spec)) ? ['pod'] : []),
    ...(containers.length > 0 ? [containersNamed(containers)] : []),
  ].join(' and ')
}

/** What a pod and its containers say of something. */
const said = (
  pod: PodParts,
  read: (context: Readable | undefined) => readonly string[],
): readonly string[] =>
  sorted([...read(context(pod.spec)), ...pod.containers.flatMap((it) => read(context(it)))])

/** One rule about containers alone. */
function containersThat(
  pod: PodParts,
  isBad: (container: Readable) => boolean,
): readonly string[] | undefined {
  const bad = namesOf(pod.containers.filter(isBad))
  return bad.length === 0 ? undefined : bad
}

// Baseline.

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/'

function appArmor(pod: PodParts): Violation | undefined {
  const bad = (it: Readable | undefined): readonly string[] => {
    const profile = objectAt(it, 'appArmorProfile')
    const type = textAt(profile, 'type')
    return profile && type !== 'RuntimeDefault' && type !== 'Localhost' ? [type] : []
  }
  const annotations = Object.entries(pod.annotations).filter(
    ([key, value]) =>
      key.startsWith(APP_ARMOR) && !/^(|runtime\/default|localhost\/.*)$/s.test(value),
  )
  const written = annotations.map(([key, value]) => `${key}=${JSON.stringify(value)}`).toSorted()
  const own = setters(pod, (it) => bad(it).length > 0)
  const who = [own, ...(written.length > 0 ? [many('annotation', written.length)] : [])]
  const what = [...said(pod, bad), ...written]
  if (what.length === 0) return undefined
  return {
    reason: many('forbidden AppArmor profile', what.length),
    detail: `${who.filter((it) => it !== '').join(' and ')} must not set AppArmor profile type to ${quoted(what)}`,
  }
}

const DEFAULT_CAPABILITIES =
  /^(AUDIT_WRITE|CHOWN|DAC_OVERRIDE|FOWNER|FSETID|KILL|MKNOD|NET_BIND_SERVICE|SETFCAP|SETGID|SETPCAP|SETUID|SYS_CHROOT)$/

const capabilitiesOf = (container: Readable, list: string): readonly string[] =>
  textsAt(objectAt(context(container), 'capabilities'), list)

function capabilities(pod: PodParts): Violation | undefined {
  const extra = (it: Readable): readonly string[] =>
    capabilitiesOf(it, 'add').filter((name) => !DEFAULT_CAPABILITIES.test(name))
  const bad = containersThat(pod, (it) => extra(it).length > 0)
  return (
    bad && {
      reason: 'non-default capabilities',
      detail: `${containersNamed(bad)} must not include ${quoted(sorted(pod.containers.flatMap(extra)))} in securityContext.capabilities.add`,
    }
  )
}

function hostNamespaces({ spec }: PodParts): Violation | undefined {
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter((it) => flagAt(spec, it))
  if (shared.length === 0) return undefined
  return { reason: 'host namespaces', detail: shared.map((it) => `${it}=true`).join(', ') }
}

function hostPaths({ spec }: PodParts): Violation | undefined {
  const bad = namesOf(itemsAt(spec, 'volumes').filter((it) => has(it, 'hostPath')))
  if (bad.length === 0) return undefined
  return { reason: 'hostPath volumes', detail: `${many('volume', bad.length)} ${quoted(bad)}` }
}

function hostPorts(pod: PodParts): Violation | undefined {
  const portsOf = (it: Readable): readonly string[] =>
    itemsAt(it, 'ports')
      .map((port) => numberAt(port, 'hostPort') ?? 0)
      .filter((port) => port !== 0)
      .map(String)
  const bad = containersThat(pod, (it) => portsOf(it).length > 0)
  if (!bad) return undefined
  const ports = sorted(pod.containers.flatMap(portsOf))
  return {
    reason: 'hostPort',
    detail: `${containersNamed(bad)} ${bad.length === 1 ? 'uses' : 'use'} ${many('hostPort', ports.length)} ${ports.join(', ')}`,
  }
}

/** The other hosts that a container's probes and hooks call. */
function hostsCalled(container: Readable): readonly string[] {
  const lifecycle = objectAt(container, 'lifecycle')
  const callers = [
    ...['livenessProbe', 'readinessProbe', 'startupProbe'].map((it) => objectAt(container, it)),
    ...['postStart', 'preStop'].map((it) => objectAt(lifecycle, it)),
  ]
  return callers.flatMap((it) =>
    ['httpGet', 'tcpSocket']
      .map((kind) => textAt(objectAt(it, kind), 'host'))
      .filter((host) => host !== ''),
  )
}

function calledHosts(pod: PodParts): Violation | undefined {
  const found = containersThat(pod, (it) => hostsCalled(it).length > 0)
  if (!found) return undefined
  const bad = sorted(found)
  const hosts = sorted(pod.containers.flatMap(hostsCalled))
  return {
    reason: 'probe or lifecycle host',
    detail: `${containersNamed(bad)} ${bad.length === 1 ? 'uses' : 'use'} ${many('probe or lifecycle host', hosts.length)} ${quoted(hosts)}`,
  }
}

function privileged(pod: PodParts): Violation | undefined {
  const bad = containersThat(pod, (it) => flagAt(context(it), 'privileged'))
  return (
    bad && {
      reason: 'privileged',
      detail: `${containersNamed(bad)} must not set securityContext.privileged=true`,
    }
  )
}

function procMount(pod: PodParts): Violation | undefined {
  const mountOf = (it: Readable): readonly string[] =>
    [textAt(context(it), 'procMount')].filter((mount) => mount !== '' && mount !== 'Default')
  const bad = containersThat(pod, (it) => mountOf(it).length > 0)
  return (
    bad && {
      reason: 'procMount',
      detail: `${containersNamed(bad)} must not set securityContext.procMount to ${quoted(sorted(pod.containers.flatMap(mountOf)))}`,
    }
  )
}

const SELINUX_TYPES = ['', 'container_t', 'container_init_t', 'container_kvm_t']

function seLinux(pod: PodParts, minor: number): Violation | undefined {
  const types = minor >= 31 ? [...SELINUX_TYPES, 'container_engine_t'] : SELINUX_TYPES
  const optionsOf = (it: Readable | undefined): Readable | undefined =>
    objectAt(it, 'seLinuxOptions')
  const badTypes = (it: Readable | undefined): readonly string[] =>
    [textAt(optionsOf(it), 'type')].filter((type) => !types.includes(type))
  const sets = (it: Readable | undefined, field: string): boolean =>
    textAt(optionsOf(it), field) !== ''
  const who = setters(pod, (it) => badTypes(it).length > 0 || sets(it, 'user') || sets(it, 'role'))
  if (who === '') return undefined
  const wrong = said(pod, badTypes)
  const anyone = (field: string): boolean =>
    [pod.spec, ...pod.containers].some((it) => sets(context(it), field))
  const what = [
    ...(wrong.length > 0 ? [`${many('type', wrong.length)} ${quoted(wrong)}`] : []),
    ...(anyone('user') ? ['user may not be set'] : []),
    ...(anyone('role') ? ['role may not be set'] : []),
  ]
  return {
    reason: 'seLinuxOptions',
    detail: `${who} set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`,
  }
}

const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod'
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/'

/** Up to v1.18, in annotations. */
function seccompAnnotations(pod: PodParts): Violation | undefined {
  const keys = [SECCOMP_POD, ...namesOf(pod.containers).map((it) => `${SECCOMP_CONTAINER}${it}`)]
  const bad = keys.filter((key) => {
    const value = pod.annotations[key]
    return value !== undefined && !/^(runtime\/default|docker\/default|localhost\/.*)$/s.test(value)
  })
  const written = sorted(bad.map((it) => `${it}=${JSON.stringify(pod.annotations[it])}`))
  if (written.length === 0) return undefined
  const detail = `forbidden ${many('annotation', written.length)} ${written.join(', ')}`
  return { reason: 'seccompProfile', detail }
}

const seccompType = (it: Readable | undefined): string | undefined => {
  const profile = objectAt(it, 'seccompProfile')
  return profile && textAt(profile, 'type')
}
const isSafe = (type: string | undefined): boolean =>
  type === 'RuntimeDefault' || type === 'Localhost'
const unsafe = (it: Readable | undefined): readonly string[] => {
  const type = seccompType(it)
  return type === undefined || isSafe(type) ? [] : [type]
}

function seccomp(pod: PodParts, minor: number): Violation | undefined {
  if (minor < 19) return seccompAnnotations(pod)
  const who = setters(pod, (it) => unsafe(it).length > 0)
  if (who === '') return undefined
  return {
    reason: 'seccompProfile',
    detail: `${who} must not set securityContext.seccompProfile.type to ${quoted(said(pod, unsafe))}`,
  }
}

/** Harmless sysctls, and since when they count as such. */
const SYSCTLS: Readonly<Record<string, number>> = {
  'kernel.shm_rmid_forced': 0,
  'net.ipv4.ip_local_port_range': 0,
  'net.ipv4.tcp_syncookies': 0,
  'net.ipv4.ping_group_range': 0,
  'net.ipv4.ip_unprivileged_port_start': 0,
  'net.ipv4.ip_local_reserved_ports': 27,
  'net.ipv4.tcp_keepalive_time': 29,
  'net.ipv4.tcp_fin_timeout': 29,
  'net.ipv4.tcp_keepalive_intvl': 29,
  'net.ipv4.tcp_keepalive_probes': 29,
  'net.ipv4.tcp_rmem': 32,
  'net.ipv4.tcp_wmem': 32,
}

function sysctls(pod: PodParts, minor: number): Violation | undefined {
  const bad = namesOf(itemsAt(context(pod.spec), 'sysctls')).filter(
    (it) => (SYSCTLS[it] ?? Infinity) > minor,
  )
  if (bad.length === 0) return undefined
  return { reason: 'forbidden sysctls', detail: bad.join(', ') }
}

function windowsHostProcess(pod: PodParts): Violation | undefined {
  const who = setters(pod, (it) => flagAt(objectAt(it, 'windowsOptions'), 'hostProcess'))
  if (who === '') return undefined
  const detail = `${who} must not set securityContext.windowsOptions.hostProcess=true`
  return { reason: 'hostProcess', detail }
}

// Restricted.

function privilegeEscalation(pod: PodParts, minor: number): Violation | undefined {
  if (minor >= 25 && isWindows(pod)) return undefined
  const bad = containersThat(pod, (it) => context(it)?.['allowPrivilegeEscalation'] !== false)
  return (
    bad && {
      reason: 'allowPrivilegeEscalation != false',
      detail: `${containersNamed(bad)} must set securityContext.allowPrivilegeEscalation=false`,
    }
  )
}

function fewCapabilities(pod: PodParts, minor: number): Violation | undefined {
  if (minor >= 25 && isWindows(pod)) return undefined
  const extra = (it: Readable): readonly string[] =>
    capabilitiesOf(it, 'add').filter((name) => name !== 'NET_BIND_SERVICE')
  const keeping = containersThat(pod, (it) => !capabilitiesOf(it, 'drop').includes('ALL'))
  const adding = containersThat(pod, (it) => extra(it).length > 0)
  const details = [
    ...(keeping
      ? [`${containersNamed(keeping)} must set securityContext.capabilities.drop=["ALL"]`]
      : []),
    ...(adding
      ? [
          `${containersNamed(adding)} must not include ${quoted(sorted(pod.containers.flatMap(extra)))} in securityContext.capabilities.add`,
        ]
      : []),
  ]
  if (details.length === 0) return undefined
  return { reason: 'unrestricted capabilities', detail: details.join('; ') }
}

const ALLOWED_VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
]
const RESTRICTED_VOLUMES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
]

function volumeTypes({ spec }: PodParts): Violation | undefined {
  const bad = itemsAt(spec, 'volumes').filter(
    (it) => !ALLOWED_VOLUMES.some((type) => has(it, type)),
  )
  if (bad.length === 0) return undefined
  const types = sorted(
    bad.map((it) => RESTRICTED_VOLUMES.find((type) => has(it, type)) ?? 'unknown'),
  )
  return {
    reason: 'restricted volume types',
    detail: `${many('volume', bad.length)} ${quoted(namesOf(bad))} ${bad.length === 1 ? 'uses' : 'use'} ${many('restricted volume type', types.length)} ${quoted(types)}`,
  }
}

function runAsNonRoot(pod: PodParts, minor: number): Violation | undefined {
  if (minor >= 35 && hasOwnUsers(pod)) return undefined
  const reason = 'runAsNonRoot != true'
  const who = setters(pod, (it) => it?.['runAsNonRoot'] === false)
  if (who !== '') {
    return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` }
  }
  if (flagAt(context(pod.spec), 'runAsNonRoot')) return undefined
  const silent = containersThat(pod, (it) => !has(context(it), 'runAsNonRoot'))
  return (
    silent && {
      reason,
      detail: `pod or ${containersNamed(silent)} must set securityContext.runAsNonRoot=true`,
    }
  )
}

function runAsUser(pod: PodParts, minor: number): Violation | undefined {
  if (minor >= 35 && hasOwnUsers(pod)) return undefined
  const who = setters(pod, (it) => it?.['runAsUser'] === 0)
  return who === ''
    ? undefined
    : { reason: 'runAsUser=0', detail: `${who} must not set runAsUser=0` }
}

function seccompSet(pod: PodParts, minor: number): Violation | undefined {
  if (minor >= 25 && isWindows(pod)) return undefined
  const wrong = seccomp(pod, minor)
  if (wrong) return wrong
  if (isSafe(seccompType(context(pod.spec)))) return undefined
  const silent = containersThat(pod, (it) => seccompType(context(it)) === undefined)
  return (
    silent && {
      reason: 'seccompProfile',
      detail: `pod or ${containersNamed(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
    }
  )
}

/** The Pod Security Standards (k8s.io/pod-security-admission/policy), baseline first, each level by id. */
const CHECKS: readonly PodSecurityCheck[] = Object.freeze([
  { id: 'appArmorProfile', level: 'baseline', since: 0, check: appArmor },
  { id: 'capabilities_baseline', level: 'baseline', since: 0, check: capabilities },
  { id: 'hostNamespaces', level: 'baseline', since: 0, check: hostNamespaces },
  { id: 'hostPathVolumes', level: 'baseline', since: 0, check: hostPaths },
  { id: 'hostPorts', level: 'baseline', since: 0, check: hostPorts },
  { id: 'hostProbesAndHostLifecycle', level: 'baseline', since: 34, check: calledHosts },
  { id: 'privileged', level: 'baseline', since: 0, check: privileged },
  {
    id: 'procMount',
    level: 'baseline',
    since: 0,
    check: (pod, minor) => (minor >= 35 && hasOwnUsers(pod) ? undefined : procMount(pod)),
  },
  { id: 'seLinuxOptions', level: 'baseline', since: 0, check: seLinux },
  { id: 'seccompProfile_baseline', level: 'baseline', since: 0, check: seccomp },
  { id: 'sysctls', level: 'baseline', since: 0, check: sysctls },
  { id: 'windowsHostProcess', level: 'baseline', since: 0, check: windowsHostProcess },
  { id: 'allowPrivilegeEscalation', level: 'restricted', since: 8, check: privilegeEscalation },
  {
    id: 'capabilities_restricted',
    level: 'restricted',
    since: 22,
    overrides: 'capabilities_baseline',
    check: fewCapabilities,
  },
  {
    id: 'procMount_restricted',
    level: 'restricted',
    since: 35,
    overrides: 'procMount',
    check: procMount,
  },
  {
    id: 'restrictedVolumes',
    level: 'restricted',
    since: 0,
    overrides: 'hostPathVolumes',
    check: volumeTypes,
  },
  { id: 'runAsNonRoot', level: 'restricted', since: 0, check: runAsNonRoot },
  { id: 'runAsUser', level: 'restricted', since: 23, check: runAsUser },
  {
    id: 'seccompProfile_restricted',
    level: 'restricted',
    since: 19,
    overrides: 'seccompProfile_baseline',
    check: seccompSet,
  },
])

/** The template of a pod within an object of a kind that has one. */
export function templateOf(object: UnknownObject): Readable | undefined {
  if (has(object as Readable, 'template')) return objectAt(object, 'template')
  const spec = objectAt(object, 'spec')
  const holder = has(spec, 'jobTemplate') ? objectAt(objectAt(spec, 'jobTemplate'), 'spec') : spec
  return objectAt(holder, 'template')
}
