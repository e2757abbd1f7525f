import {
  duplicate,
  forbiddenField,
  invalidValue,
  notSupported,
  rangeProblem,
  required,
  tooLong,
} from 'kubewright/machinery'
import {
  flagAt,
  has,
  itemsAt,
  numberAt,
  objectAt,
  textAt,
  textsAt,
  type Readable,
} from '../fields.ts'
import { checkOneOf, type Errors } from '../generic/checks.ts'
import { internalForm } from '../generic/internal-form.ts'
import { checkDescendingPath } from './path-checks.ts'
import { checkWindowsOptions, containersAt } from './windows-validation.ts'

const MAX_ID = 2 ** 31 - 1
const PROFILES = ['Localhost', 'RuntimeDefault', 'Unconfined']

function checkId(errors: Errors, field: string, id: number | undefined): void {
  if (id !== undefined && (id < 0 || id > MAX_ID)) {
    errors.push(invalidValue(field, id, rangeProblem(0, MAX_ID)))
  }
}

/** What a pod runs as (validatePodSpecSecurityContext). */
export function checkPodSecurity(errors: Errors, field: string, spec: Readable): void {
  const context = objectAt(spec, 'securityContext')
  if (context === undefined) return
  for (const name of ['fsGroup', 'runAsUser', 'runAsGroup']) {
    checkId(errors, `${field}.${name}`, numberAt(context, name))
  }
  const groups = (context['supplementalGroups'] as readonly number[] | undefined) ?? []
  groups.forEach((it, i) => checkId(errors, `${field}.supplementalGroups[${i}]`, it))
  if (flagAt(spec, 'shareProcessNamespace') && flagAt(spec, 'hostPID')) {
    const why = 'ShareProcessNamespace and HostPID cannot both be enabled'
    errors.push(invalidValue(`${field}.shareProcessNamespace`, true, why))
  }
  checkSysctls(errors, `${field}.sysctls`, context, spec)
  if (has(context, 'fsGroupChangePolicy')) {
    const policy = textAt(context, 'fsGroupChangePolicy')
    checkOneOf(errors, `${field}.fsGroupChangePolicy`, policy, ['Always', 'OnRootMismatch'])
  }
  checkSeccomp(errors, `${field}.seccompProfile`, objectAt(context, 'seccompProfile'))
  checkWindowsOptions(errors, `${field}.windowsOptions`, objectAt(context, 'windowsOptions'))
  checkAppArmor(errors, `${field}.appArmorProfile`, objectAt(context, 'appArmorProfile'))
  if (has(context, 'supplementalGroupsPolicy')) {
    const policy = textAt(context, 'supplementalGroupsPolicy')
    checkOneOf(errors, `${field}.supplementalGroupsPolicy`, policy, ['Merge', 'Strict'])
  }
  if (has(context, 'seLinuxChangePolicy')) {
    const policy = textAt(context, 'seLinuxChangePolicy')
    // MountOption belongs to the feature SELinuxMount, which v1.36 has off.
    checkOneOf(errors, `${field}.seLinuxChangePolicy`, policy, ['Recursive'])
  }
}

const SYSCTL = '([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const SYSCTL_SHAPE = new RegExp(`^${SYSCTL}$`)

function checkSysctls(errors: Errors, field: string, context: Readable, spec: Readable): void {
  const seen = new Set<string>()
  itemsAt(context, 'sysctls').forEach((it, i) => {
    const at = `${field}[${i}].name`
    const name = textAt(it, 'name')
    if (name === '') errors.push(required(at))
    else if (name.length > 253 || !SYSCTL_SHAPE.test(name)) {
      const why = `must have at most 253 characters and match regex ^${SYSCTL}$`
      errors.push(invalidValue(at, name, why))
    } else if (seen.has(name)) errors.push(duplicate(at, name))
    seen.add(name)
    const dotted = name.replaceAll('/', '.')
    if (flagAt(spec, 'hostNetwork') && dotted.startsWith('net.')) {
      errors.push(invalidValue(at, name, "may not be specified when 'hostNetwork' is true"))
    }
    if (flagAt(spec, 'hostIPC') && isIpc(dotted)) {
      errors.push(invalidValue(at, name, "may not be specified when 'hostIPC' is true"))
    }
  })
}

const isIpc = (name: string): boolean => /^(kernel\.(shm|msg|sem)|fs\.mqueue\.)/.test(name)

function checkSeccomp(errors: Errors, field: string, profile: Readable | undefined): void {
  if (profile === undefined) return
  const type = textAt(profile, 'type')
  if (type === '') {
    errors.push(required(`${field}.type`, 'type is required when seccompProfile is set'))
  } else if (!PROFILES.includes(type)) {
    errors.push(notSupported(`${field}.type`, type, PROFILES))
  }
  const at = `${field}.localhostProfile`
  if (type === 'Localhost') {
    if (!has(profile, 'localhostProfile')) {
      errors.push(required(at, 'must be set when seccomp type is Localhost'))
    } else checkDescendingPath(errors, at, textAt(profile, 'localhostProfile'))
  } else if (has(profile, 'localhostProfile')) {
    errors.push(
      invalidValue(
        at,
        internalForm('SeccompProfile', profile),
        'can only be set when seccomp type is Localhost',
      ),
    )
  }
}

function checkAppArmor(errors: Errors, field: string, profile: Readable | undefined): void {
  if (profile === undefined) return
  const type = textAt(profile, 'type')
  const at = `${field}.localhostProfile`
  const name = textAt(profile, 'localhostProfile')
  if (type === 'Localhost') checkLocalhostProfile(errors, at, name)
  else if (type === '') {
    errors.push(required(`${field}.type`, 'type is required when appArmorProfile is set'))
  } else if (!PROFILES.includes(type)) {
    errors.push(notSupported(`${field}.type`, type, PROFILES))
  } else if (has(profile, 'localhostProfile')) {
    errors.push(invalidValue(at, name, 'can only be set when AppArmor type is Localhost'))
  }
}

function checkLocalhostProfile(errors: Errors, field: string, name: string): void {
  if (name.trim() !== name) {
    errors.push(invalidValue(field, name, 'must not be padded with whitespace'))
  } else if (name === '') {
    errors.push(required(field, 'must be set when AppArmor type is Localhost'))
  }
  if (name.length > 4095) errors.push(tooLong(field, 4095))
}

/** What a container runs as (ValidateSecurityContext). */
export function checkContainerSecurity(
  errors: Errors,
  field: string,
  context: Readable | undefined,
  hostUsers: boolean,
): void {
  if (context === undefined) return
  for (const name of ['runAsUser', 'runAsGroup']) {
    checkId(errors, `${field}.${name}`, numberAt(context, name))
  }
  if (has(context, 'procMount')) {
    const mount = textAt(context, 'procMount')
    checkOneOf(errors, `${field}.procMount`, mount, ['Default', 'Unmasked'])
    if (hostUsers && mount === 'Unmasked') {
      const why = '`hostUsers` must be false to use `Unmasked`'
      errors.push(invalidValue(`${field}.procMount`, mount, why))
    }
  }
  checkSeccomp(errors, `${field}.seccompProfile`, objectAt(context, 'seccompProfile'))
  if (context['allowPrivilegeEscalation'] === false) {
    const cannot = 'cannot set `allowPrivilegeEscalation` to false and'
    if (flagAt(context, 'privileged')) {
      errors.push(
        invalidValue(
          field,
          internalForm('SecurityContext', context),
          `${cannot} \`privileged\` to true`,
        ),
      )
    }
    if (textsAt(objectAt(context, 'capabilities'), 'add').includes('CAP_SYS_ADMIN')) {
      const why = `${cannot} \`capabilities.Add\` CAP_SYS_ADMIN`
      errors.push(invalidValue(field, internalForm('SecurityContext', context), why))
    }
  }
  checkWindowsOptions(errors, `${field}.windowsOptions`, objectAt(context, 'windowsOptions'))
  checkAppArmor(errors, `${field}.appArmorProfile`, objectAt(context, 'appArmorProfile'))
}

/** A pod with users of its own shares little with its host (validateHostUsers, KEP-127). */
export function checkHostUsers(errors: Errors, field: string, spec: Readable): void {
  if (spec['hostUsers'] !== false) return
  for (const [name, shown] of [
    ['hostNetwork', 'hostNetwork'],
    ['hostPID', 'HostPID'],
    ['hostIPC', 'HostIPC'],
  ] as const) {
    if (flagAt(spec, name)) {
      errors.push(forbiddenField(`${field}.${shown}`, 'when `hostUsers` is false'))
    }
  }
  for (const [it, at] of containersAt(spec, field)) {
    if (itemsAt(it, 'volumeDevices').length === 0) continue
    errors.push(forbiddenField(`${at}.volumeDevices`, 'when `hostUsers` is false'))
  }
}
