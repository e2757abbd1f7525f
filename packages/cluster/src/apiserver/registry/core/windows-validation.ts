import { forbiddenField, invalidValue, isDns1123Subdomain } from 'kubewright/machinery'
import { flagAt, has, itemsAt, objectAt, textAt, type Readable } from '../fields.ts'
import { checkName, type Errors } from '../generic/checks.ts'

/** A container of any kind, and where it is. */
export type Located = readonly [container: Readable, path: string]

/** All containers of a pod, in the order in which Kubernetes visits them. */
export const containersAt = (spec: Readable, field: string): readonly Located[] =>
  ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    itemsAt(spec, list).map((it, i): Located => [it, `${field}.${list}[${i}]`]),
  )

const LONGEST_SPEC_KIB = 64
const LONGEST_DOMAIN = 256
const LONGEST_USER = 104
const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/
const DNS =
  /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/
// oxlint-disable-next-line no-control-regex -- what Windows does not take
const CONTROL = /[\x00-\x1f\x7f]/

/** What Windows runs a container as (validateWindowsSecurityContextOptions). */
export function checkWindowsOptions(
  errors: Errors,
  field: string,
  options: Readable | undefined,
): void {
  if (options === undefined) return
  if (has(options, 'gmsaCredentialSpecName')) {
    const name = textAt(options, 'gmsaCredentialSpecName')
    checkName(errors, `${field}.gmsaCredentialSpecName`, name, isDns1123Subdomain)
  }
  if (has(options, 'gmsaCredentialSpec')) {
    const spec = textAt(options, 'gmsaCredentialSpec')
    const problem =
      spec === ''
        ? 'gmsaCredentialSpec cannot be an empty string'
        : Buffer.byteLength(spec) > LONGEST_SPEC_KIB * 1024
          ? `gmsaCredentialSpec size must be under ${LONGEST_SPEC_KIB} KiB`
          : undefined
    if (problem !== undefined) {
      errors.push(invalidValue(`${field}.gmsaCredentialSpec`, spec, problem))
    }
  }
  if (!has(options, 'runAsUserName')) return
  const name = textAt(options, 'runAsUserName')
  for (const problem of userNameProblems(name)) {
    errors.push(invalidValue(`${field}.runAsUserName`, name, problem))
  }
}

/** `DOMAIN\user`, or a user alone. */
function userNameProblems(name: string): readonly string[] {
  if (name === '') return ['runAsUserName cannot be an empty string']
  if (CONTROL.test(name)) return ['runAsUserName cannot contain control characters']
  const parts = name.split('\\')
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash']
  const [user = '', domain] = parts.toReversed()
  return [...domainProblems(domain), ...userProblems(user)]
}

function domainProblems(domain: string | undefined): readonly string[] {
  if (domain === undefined) return []
  const problems: string[] = []
  if (domain.length >= LONGEST_DOMAIN) {
    problems.push(`runAsUserName's Domain length must be under ${LONGEST_DOMAIN} characters`)
  }
  if (!NETBIOS.test(domain) && !DNS.test(domain)) {
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format")
  }
  return problems
}

function userProblems(user: string): readonly string[] {
  const problems: string[] = []
  if (user === '') problems.push("runAsUserName's User cannot be empty")
  else if (user.length > LONGEST_USER) {
    problems.push(`runAsUserName's User length must not be longer than ${LONGEST_USER} characters`)
  }
  if (/^[. ]+$/.test(user)) {
    problems.push("runAsUserName's User cannot contain only periods or spaces")
  }
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    const set = '"/\\:;|=,+*?<>@[]'
    problems.push(`runAsUserName's User cannot contain the following characters: ${set}`)
  }
  return problems
}

const hostProcessOf = (holder: Readable): boolean | undefined => {
  const options = objectAt(objectAt(holder, 'securityContext'), 'windowsOptions')
  return has(options, 'hostProcess') ? flagAt(options, 'hostProcess') : undefined
}

/** Containers that are processes of their host: all of a pod's are, or none (validateWindowsHostProcessPod). */
export function checkHostProcess(errors: Errors, field: string, spec: Readable): void {
  const pod = hostProcessOf(spec)
  const all = containersAt(spec, field)
  for (const [it, at] of all) {
    const own = hostProcessOf(it)
    if (pod === undefined || own === undefined || pod === own) continue
    const why = `pod hostProcess value must be identical if both are specified, was ${pod}`
    errors.push(invalidValue(`${at}.securityContext.windowsOptions.hostProcess`, own, why))
  }
  const count = all.filter(([it]) => hostProcessOf(it) ?? pod).length
  if (count === 0) return
  if (count !== all.length) {
    const why =
      'If pod contains any hostProcess containers then all containers must be HostProcess containers'
    errors.push(invalidValue(field, '', why))
  }
  if (flagAt(spec, 'hostNetwork')) return
  const why = 'hostNetwork must be true if pod contains any hostProcess containers'
  errors.push(invalidValue(`${field}.hostNetwork`, false, why))
}

/** A pod for Linux has nothing for Windows (validateLinux). */
export function checkLinuxOnly(errors: Errors, field: string, spec: Readable): void {
  for (const [it, at] of [[spec, field] as const, ...containersAt(spec, field)]) {
    if (!has(objectAt(it, 'securityContext'), 'windowsOptions')) continue
    const why = 'windows options cannot be set for a linux pod'
    errors.push(forbiddenField(`${at}.securityContext.windowsOptions`, why))
  }
}

/** What belongs to Linux in a pod: in its security context, or beside it where the name begins with a dot. */
const POD_OF_LINUX = [
  'appArmorProfile',
  'seLinuxOptions',
  '.hostUsers',
  '.hostPID',
  '.hostIPC',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  '.shareProcessNamespace',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
]
const CONTAINER_OF_LINUX = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
]
const NOT_FOR_WINDOWS = 'cannot be set for a windows pod'

/** A pod for Windows has nothing for Linux (validateWindows). */
export function checkWindowsOnly(errors: Errors, field: string, spec: Readable): void {
  const context = objectAt(spec, 'securityContext')
  for (const name of POD_OF_LINUX) {
    const path = name.startsWith('.') ? name : `.securityContext.${name}`
    const isSet = name.startsWith('.') ? isGiven(spec, name.slice(1)) : isGiven(context, name)
    if (isSet) errors.push(forbiddenField(field + path, NOT_FOR_WINDOWS))
  }
  for (const [it, at] of containersAt(spec, field)) {
    const own = objectAt(it, 'securityContext')
    for (const name of CONTAINER_OF_LINUX) {
      if (!has(own, name)) continue
      errors.push(forbiddenField(`${at}.securityContext.${name}`, NOT_FOR_WINDOWS))
    }
  }
}

/** Go cannot tell these from absent ones when they are false or empty. */
const ZERO_IS_ABSENT: ReadonlySet<string> = new Set(['hostPID', 'hostIPC', 'sysctls'])

function isGiven(at: Readable | undefined, name: string): boolean {
  if (!has(at, name)) return false
  if (!ZERO_IS_ABSENT.has(name)) return true
  return name === 'sysctls' ? itemsAt(at, name).length > 0 : flagAt(at, name)
}
