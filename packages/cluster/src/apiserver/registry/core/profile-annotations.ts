import { forbiddenField, invalidValue } from 'kubewright/machinery'
import {
  ensureObject,
  itemsAt,
  objectAt,
  same,
  textAt,
  type Fields,
  type Readable,
} from '../fields.ts'
import type { Errors } from '../generic/checks.ts'
import type { Draft, StrategyContext } from '../strategy.ts'
import { checkDescendingPath } from './path-checks.ts'

type Annotations = Readonly<Record<string, string>>

/** Profiles of pods and containers were annotations before they were fields. */
export const SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod'
export const SECCOMP_OF = 'container.seccomp.security.alpha.kubernetes.io/'
export const APP_ARMOR_OF = 'container.apparmor.security.beta.kubernetes.io/'

const LOCAL = 'localhost/'
const isWindows = (spec: Readable): boolean => textAt(objectAt(spec, 'os'), 'name') === 'windows'

export const hasProfileAnnotations = (annotations: Annotations): boolean => {
  for (const key in annotations) {
    if (key === SECCOMP || key.startsWith(SECCOMP_OF) || key.startsWith(APP_ARMOR_OF)) return true
  }
  return false
}

type Located = readonly [container: Fields, path: string]

const containersOf = (spec: Readable, at: string): readonly Located[] =>
  ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    itemsAt(spec, list).map((it, i): Located => [it, `${at}.${list}[${i}]`]),
  )

const profileIn = (holder: Readable, name: string): Fields | undefined =>
  objectAt(objectAt(holder, 'securityContext'), name)

/** The field that an AppArmor annotation stands for. */
export function appArmorProfile(annotation: string): Fields | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' }
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' }
  const name = annotation.startsWith(LOCAL) ? annotation.slice(LOCAL.length) : ''
  return name === '' ? undefined : { type: 'Localhost', localhostProfile: name }
}

/** ValidateSeccompPodAnnotations, ValidateAppArmorPodAnnotations. */
export function checkProfileAnnotations(
  errors: Errors,
  field: string,
  annotations: Annotations,
  spec: Readable,
): void {
  for (const [key, value] of Object.entries(annotations)) {
    if (key === SECCOMP || key.startsWith(SECCOMP_OF))
      checkSeccomp(errors, `${field}.${key}`, value)
    if (key.startsWith(APP_ARMOR_OF)) checkAppArmor(errors, `${field}[${key}]`, key, value, spec)
  }
}

function checkSeccomp(errors: Errors, field: string, value: string): void {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(value)) return
  if (value.startsWith(LOCAL)) checkDescendingPath(errors, field, value.slice(LOCAL.length))
  else errors.push(invalidValue(field, value, 'must be a valid seccomp profile'))
}

function checkAppArmor(
  errors: Errors,
  field: string,
  key: string,
  value: string,
  spec: Readable,
): void {
  const name = key.slice(APP_ARMOR_OF.length)
  if (!containersOf(spec, '').some(([it]) => textAt(it, 'name') === name)) {
    errors.push(invalidValue(field, name, 'container not found'))
  }
  if (['', 'runtime/default', 'unconfined'].includes(value) || value.startsWith(LOCAL)) return
  const why = `invalid AppArmor profile name: ${JSON.stringify(value)}`
  errors.push(invalidValue(field, value, why))
}

/** Where a profile is given both ways, both must say the same. */
export function checkProfilesMatch(
  errors: Errors,
  field: string,
  annotations: Annotations,
  spec: Readable,
): void {
  const own = profileIn(spec, 'seccompProfile')
  if (own) checkMatch(errors, `${field}.securityContext`, 'seccomp', own, annotations[SECCOMP])
  const armor = isWindows(spec) ? undefined : profileIn(spec, 'appArmorProfile')
  for (const [it, path] of containersOf(spec, field)) {
    const name = textAt(it, 'name')
    const at = `${path}.securityContext`
    const seccomp = profileIn(it, 'seccompProfile')
    if (seccomp) checkMatch(errors, at, 'seccomp', seccomp, annotations[`${SECCOMP_OF}${name}`])
    const profile = isWindows(spec) ? undefined : (profileIn(it, 'appArmorProfile') ?? armor)
    if (profile) checkMatch(errors, at, 'apparmor', profile, annotations[`${APP_ARMOR_OF}${name}`])
  }
}

function checkMatch(
  errors: Errors,
  at: string,
  what: 'seccomp' | 'apparmor',
  profile: Readable,
  annotation: string | undefined,
): void {
  if (annotation === undefined) return
  const field = `${at}.${what === 'seccomp' ? 'seccompProfile' : 'appArmorProfile'}`
  const type = textAt(profile, 'type')
  const isOld = what === 'seccomp' && annotation === 'docker/default'
  const isSame =
    type === 'Localhost'
      ? annotation.startsWith(LOCAL)
      : type === 'Unconfined'
        ? annotation === 'unconfined'
        : type !== 'RuntimeDefault' || isOld || annotation === 'runtime/default'
  if (!isSame) {
    errors.push(forbiddenField(`${field}.type`, `${what} type in annotation and field must match`))
  } else if (
    type === 'Localhost' &&
    annotation.slice(LOCAL.length) !== textAt(profile, 'localhostProfile')
  ) {
    const why = `${what} profile in annotation and field must match`
    errors.push(forbiddenField(`${field}.localhostProfile`, why))
  }
}

/** Writes AppArmor annotations into the fields of a new pod, and warns of them (applyAppArmorVersionSkew). */
export function adoptAppArmor(pod: Draft, context: StrategyContext): void {
  const annotations = pod.metadata.annotations
  const spec = objectAt(pod, 'spec') ?? {}
  if (!annotations || isWindows(spec) || !hasProfileAnnotations(annotations)) return
  const own = profileIn(spec, 'appArmorProfile')
  for (const [it] of containersOf(spec, '')) {
    const key = `${APP_ARMOR_OF}${textAt(it, 'name')}`
    const annotation = annotations[key]
    if (annotation === undefined || profileIn(it, 'appArmorProfile')) continue
    const profile = appArmorProfile(annotation)
    if (profile && same(profile, own)) continue
    if (profile) ensureObject(it, 'securityContext')['appArmorProfile'] = profile
    context.warn(
      `metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`,
    )
  }
}
