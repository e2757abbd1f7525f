import {
  duplicate,
  forbiddenField,
  invalidValue,
  isDns1123Label,
  isDns1123Subdomain,
  isDns1123SubdomainWithUnderscore,
  isQualifiedName,
  notFoundField,
  notSupported,
  rangeProblem,
  required,
  tooLong,
  type FieldError,
  type ObjectMeta,
} from 'kubewright/machinery'
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
} from '../fields.ts'
import { checkName, requireOneOf, type Errors } from '../generic/checks.ts'
import { internalForm } from '../generic/internal-form.ts'
import { annotationErrors, labelErrors } from '../generic/object-meta.ts'
import type { Draft } from '../strategy.ts'
import {
  checkContainers,
  checkEphemeralContainers,
  checkImage,
  checkInitContainers,
  type PodFrame,
} from './container-validation.ts'
import { checkIp } from './ip-validation.ts'
import { checkProfileAnnotations, checkProfilesMatch } from './profile-annotations.ts'
import {
  checkContainerResourceName,
  checkPodResources,
  checkRequirements,
} from './resource-validation.ts'
import { checkAffinity, checkSpread, checkTolerations } from './scheduling-validation.ts'
import { checkHostUsers, checkPodSecurity } from './security-validation.ts'
import { checkVolumes } from './volume-validation.ts'
import {
  checkHostProcess,
  checkLinuxOnly,
  checkWindowsOnly,
  containersAt,
} from './windows-validation.ts'

const MAX_INT32 = 2 ** 31 - 1

/** Whether a spec belongs to a pod, which minds more, or to a template. */
export type SpecOwner = { readonly pod: ObjectMeta } | 'template'

/** The rules of a pod's spec (ValidatePodSpec). */
function checkPodSpec(errors: Errors, field: string, spec: Readable, owner: SpecOwner): void {
  const grace = numberAt(spec, 'terminationGracePeriodSeconds')
  if (grace === undefined) errors.push(required(`${field}.terminationGracePeriodSeconds`))
  const meta = owner === 'template' ? undefined : owner.pod
  const volumes = checkVolumes(errors, `${field}.volumes`, spec, meta)
  const frame: PodFrame = {
    volumes,
    claims: claimNames(spec),
    grace,
    restartPolicy: textAt(spec, 'restartPolicy'),
    hostUsers: spec['hostUsers'] !== false,
  }
  checkResourceClaims(errors, `${field}.resourceClaims`, spec)
  const containers = itemsAt(spec, 'containers')
  checkContainers(errors, `${field}.containers`, containers, frame)
  const first = itemsAt(spec, 'initContainers')
  checkInitContainers(errors, `${field}.initContainers`, first, containers, frame)
  checkEphemeralContainers(errors, `${field}.ephemeralContainers`, spec, frame)
  checkPodResources(errors, `${field}.resources`, spec, frame.claims)
  checkHostNetwork(errors, field, spec, owner)
  for (const check of PARTS) check(errors, field, spec)
}

const claimNames = (spec: Readable): readonly string[] => [
  ...new Set(
    itemsAt(spec, 'resourceClaims')
      .map((it) => textAt(it, 'name'))
      .filter((it) => it !== ''),
  ),
]

type Check = (errors: Errors, field: string, spec: Readable) => void

/** The rest of a spec's rules, in Kubernetes' order. */
const PARTS: readonly Check[] = [
  (errors, field, spec) =>
    requireOneOf(errors, `${field}.restartPolicy`, textAt(spec, 'restartPolicy'), [
      'Always',
      'OnFailure',
      'Never',
    ]),
  (errors, field, spec) =>
    requireOneOf(errors, `${field}.dnsPolicy`, textAt(spec, 'dnsPolicy'), [
      'ClusterFirstWithHostNet',
      'ClusterFirst',
      'Default',
      'None',
    ]),
  (errors, field, spec) =>
    labelErrors(mapAt(spec, 'nodeSelector'), `${field}.nodeSelector`, errors),
  (errors, field, spec) => checkPodSecurity(errors, `${field}.securityContext`, spec),
  (errors, field, spec) => checkAffinity(errors, `${field}.affinity`, objectAt(spec, 'affinity')),
  checkDns,
  checkGates,
  (errors, field, spec) => checkSpread(errors, `${field}.topologySpreadConstraints`, spec),
  checkHostProcess,
  checkHostUsers,
  checkHostNames,
  checkNames,
  (errors, field, spec) =>
    checkTolerations(errors, `${field}.tolerations`, itemsAt(spec, 'tolerations')),
  checkHostAliases,
  checkClasses,
  checkOverhead,
  checkOs,
  checkFileKeyVolumes,
]

function checkResourceClaims(errors: Errors, field: string, spec: Readable): void {
  const names = new Set<string>()
  itemsAt(spec, 'resourceClaims').forEach((claim, i) => {
    const at = `${field}[${i}]`
    const name = textAt(claim, 'name')
    if (name === '') errors.push(required(`${at}.name`))
    else if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    else checkName(errors, `${at}.name`, name, isDns1123Label)
    names.add(name)
    const given = ['resourceClaimName', 'resourceClaimTemplateName'].filter((it) => has(claim, it))
    if (given.length === 2) {
      const why =
        'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'
      errors.push(invalidValue(at, internalForm('PodResourceClaim', claim), why))
    }
    if (given.length === 0) {
      const why = 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'
      errors.push(invalidValue(at, internalForm('PodResourceClaim', claim), why))
    }
    for (const it of given) checkName(errors, `${at}.${it}`, textAt(claim, it), isDns1123Subdomain)
  })
}

function checkHostNetwork(errors: Errors, field: string, spec: Readable, owner: SpecOwner): void {
  if (!flagAt(spec, 'hostNetwork')) return
  itemsAt(spec, 'containers').forEach((container, i) =>
    itemsAt(container, 'ports').forEach((port, j) => {
      const host = numberAt(port, 'hostPort') ?? 0
      if (host === (numberAt(port, 'containerPort') ?? 0)) return
      if (owner === 'template' && host === 0) return
      const why = 'must match `containerPort` when `hostNetwork` is true'
      errors.push(invalidValue(`${field}.containers[${i}].ports[${j}].hostPort`, host, why))
    }),
  )
}

function checkDns(errors: Errors, field: string, spec: Readable): void {
  const at = `${field}.dnsConfig`
  const config = objectAt(spec, 'dnsConfig')
  const servers = textsAt(config, 'nameservers')
  if (textAt(spec, 'dnsPolicy') === 'None') {
    if (config === undefined) {
      errors.push(required(at, 'must provide `dnsConfig` when `dnsPolicy` is None'))
      return
    }
    if (servers.length === 0) {
      const why = 'must provide at least one DNS nameserver when `dnsPolicy` is None'
      errors.push(required(`${at}.nameservers`, why))
      return
    }
  }
  if (config === undefined) return
  if (servers.length > 3) {
    errors.push(invalidValue(`${at}.nameservers`, servers, 'must not have more than 3 nameservers'))
  }
  servers.forEach((it, i) => checkIp(errors, `${at}.nameservers[${i}]`, it))
  checkSearches(errors, `${at}.searches`, textsAt(config, 'searches'))
  itemsAt(config, 'options').forEach((it, i) => {
    if (textAt(it, 'name') === '') errors.push(required(`${at}.options[${i}]`, 'must not be empty'))
  })
}

function checkSearches(errors: Errors, field: string, searches: readonly string[]): void {
  if (searches.length > 32) {
    errors.push(invalidValue(field, searches, 'must not have more than 32 search paths'))
  }
  if (searches.join(' ').length > 2048) {
    const why = 'must not have more than 2048 characters (including spaces) in the search list'
    errors.push(invalidValue(field, searches, why))
  }
  searches.forEach((it, i) => {
    if (it === '.') return
    const name = it.endsWith('.') ? it.slice(0, -1) : it
    checkName(errors, `${field}[${i}]`, name, isDns1123SubdomainWithUnderscore)
  })
}

function checkGates(errors: Errors, field: string, spec: Readable): void {
  itemsAt(spec, 'readinessGates').forEach((it, i) =>
    checkName(
      errors,
      `${field}.readinessGates[${i}].conditionType`,
      textAt(it, 'conditionType'),
      isQualifiedName,
    ),
  )
  const seen = new Set<string>()
  itemsAt(spec, 'schedulingGates').forEach((it, i) => {
    const name = textAt(it, 'name')
    checkName(errors, `${field}.schedulingGates[${i}]`, name, isQualifiedName)
    if (seen.has(name)) errors.push(duplicate(`${field}.schedulingGates[${i}]`, name))
    seen.add(name)
  })
}

function checkHostNames(errors: Errors, field: string, spec: Readable): void {
  if (!has(spec, 'hostnameOverride')) return
  const at = `${field}.hostnameOverride`
  const name = textAt(spec, 'hostnameOverride')
  if (flagAt(spec, 'setHostnameAsFQDN')) {
    errors.push(forbiddenField(at, 'may not be specified when setHostnameAsFQDN is true'))
  }
  if (flagAt(spec, 'hostNetwork')) {
    errors.push(forbiddenField(at, 'may not be specified when hostNetwork is true'))
  }
  if (name.length > 64) errors.push(tooLong(at, 64))
  checkName(errors, at, name, isDns1123Subdomain)
}

function checkNames(errors: Errors, field: string, spec: Readable): void {
  for (const name of ['serviceAccountName', 'nodeName']) {
    const value = textAt(spec, name)
    if (value !== '') checkName(errors, `${field}.${name}`, value, isDns1123Subdomain)
  }
  const deadline = numberAt(spec, 'activeDeadlineSeconds')
  if (deadline !== undefined && (deadline < 1 || deadline > MAX_INT32)) {
    const why = rangeProblem(1, MAX_INT32)
    errors.push(invalidValue(`${field}.activeDeadlineSeconds`, deadline, why))
  }
  for (const name of ['hostname', 'subdomain']) {
    const value = textAt(spec, name)
    if (value !== '') checkName(errors, `${field}.${name}`, value, isDns1123Label)
  }
}

function checkHostAliases(errors: Errors, field: string, spec: Readable): void {
  itemsAt(spec, 'hostAliases').forEach((alias, i) => {
    const at = `${field}.hostAliases[${i}]`
    checkIp(errors, `${at}.ip`, textAt(alias, 'ip'))
    textsAt(alias, 'hostnames').forEach((it, j) =>
      checkName(errors, `${at}.hostnames[${j}]`, it, isDns1123Subdomain),
    )
  })
}

function checkClasses(errors: Errors, field: string, spec: Readable): void {
  const priority = textAt(spec, 'priorityClassName')
  if (priority !== '') checkName(errors, `${field}.priorityClassName`, priority, isDns1123Subdomain)
  if (has(spec, 'runtimeClassName')) {
    const name = textAt(spec, 'runtimeClassName')
    checkName(errors, `${field}.runtimeClassName`, name, isDns1123Subdomain)
  }
  if (has(spec, 'preemptionPolicy')) {
    const policy = textAt(spec, 'preemptionPolicy')
    requireOneOf(errors, `${field}.preemptionPolicy`, policy, ['PreemptLowerPriority', 'Never'])
  }
}

function checkOverhead(errors: Errors, field: string, spec: Readable): void {
  if (!has(spec, 'overhead')) return
  const limits = { limits: objectAt(spec, 'overhead') }
  checkRequirements(errors, `${field}.overhead`, limits, checkContainerResourceName, [])
}

function checkOs(errors: Errors, field: string, spec: Readable): void {
  const os = objectAt(spec, 'os')
  if (os === undefined) return
  const name = textAt(os, 'name')
  if (name === '') errors.push(required(`${field}.os.name`))
  else if (name === 'linux') checkLinuxOnly(errors, field, spec)
  else if (name === 'windows') checkWindowsOnly(errors, field, spec)
  else errors.push(notSupported(`${field}.os`, name, ['linux', 'windows']))
}

function checkFileKeyVolumes(errors: Errors, field: string, spec: Readable): void {
  const volumes = new Map(itemsAt(spec, 'volumes').map((it) => [textAt(it, 'name'), it]))
  for (const [container, path] of containersAt(spec, field)) {
    itemsAt(container, 'env').forEach((variable, j) => {
      const ref = objectAt(objectAt(variable, 'valueFrom'), 'fileKeyRef')
      if (ref === undefined) return
      const at = `${path}.env[${j}].valueFrom.fileKeyRef.volumeName`
      const name = textAt(ref, 'volumeName')
      const volume = volumes.get(name)
      if (volume === undefined) errors.push(notFoundField(at, name))
      else if (!has(volume, 'emptyDir')) {
        errors.push(invalidValue(at, name, 'referenced volume must be of type emptyDir'))
      }
    })
  }
}

const MIRROR = 'kubernetes.io/config.mirror'
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'

/** Annotations that pods take at their word (ValidatePodSpecificAnnotations). */
function checkPodAnnotations(
  errors: Errors,
  field: string,
  annotations: Readonly<Record<string, string>>,
  spec: Readable,
): void {
  const mirror = annotations[MIRROR]
  if (mirror !== undefined && textAt(spec, 'nodeName') === '') {
    const why = 'must set spec.nodeName if mirror pod annotation is set'
    errors.push(invalidValue(`${field}[${MIRROR}]`, mirror, why))
  }
  const cost = annotations[DELETION_COST]
  if (cost !== undefined && !isInt32(cost)) {
    errors.push(invalidValue(`${field}[${DELETION_COST}]`, cost, 'must be a 32bit integer'))
  }
  checkProfileAnnotations(errors, field, annotations, spec)
}

const isInt32 = (text: string): boolean =>
  /^(0|-?[1-9][0-9]*)$/.test(text) && Number(text) >= -(2 ** 31) && Number(text) <= MAX_INT32

/** A template of pods (ValidatePodTemplateSpec). */
export function checkPodTemplate(errors: Errors, field: string, template: Readable): void {
  const spec = objectAt(template, 'spec') ?? {}
  checkTemplateMeta(errors, field, template)
  checkPodSpec(errors, `${field}.spec`, spec, 'template')
  const annotations = mapAt(objectAt(template, 'metadata'), 'annotations')
  checkProfilesMatch(errors, `${field}.spec`, annotations, spec)
  if (itemsAt(spec, 'ephemeralContainers').length > 0) {
    const why = 'ephemeral containers not allowed in pod template'
    errors.push(forbiddenField(`${field}.spec.ephemeralContainers`, why))
  }
}

/** The labels and annotations of a template; a StatefulSet's are judged twice. */
export function checkTemplateMeta(errors: Errors, field: string, template: Readable): void {
  const meta = objectAt(template, 'metadata')
  const annotations = mapAt(meta, 'annotations')
  labelErrors(mapAt(meta, 'labels'), `${field}.labels`, errors)
  annotationErrors(annotations, `${field}.annotations`, errors)
  checkPodAnnotations(errors, `${field}.annotations`, annotations, objectAt(template, 'spec') ?? {})
}

/** What holds for a pod whenever it is written (validatePodMetadataAndSpec). */
export function podErrors(object: Draft): Errors {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  const { metadata } = object
  checkPodAnnotations(errors, 'metadata.annotations', metadata.annotations ?? {}, spec)
  checkPodSpec(errors, 'spec', spec, { pod: metadata as ObjectMeta })
  if (textAt(spec, 'serviceAccountName') === '') forbidTokens(errors, spec)
  for (const list of ['containers', 'initContainers']) {
    itemsAt(spec, list).forEach((it, i) => checkImage(errors, `spec.${list}[${i}]`, it))
  }
  return errors
}

function forbidTokens(errors: Errors, spec: Readable): void {
  itemsAt(spec, 'volumes').forEach((volume, i) =>
    itemsAt(objectAt(volume, 'projected'), 'sources').forEach((source, j) => {
      if (!has(source, 'serviceAccountToken')) return
      const at = `spec.volumes[${i}].projected.sources[${j}].serviceAccountToken`
      errors.push(forbiddenField(at, 'must not be specified when serviceAccountName is not set'))
    }),
  )
}

/** A new pod (ValidatePodCreate). */
export function validatePod(object: Draft): readonly FieldError[] {
  const errors = podErrors(object)
  const spec = objectAt(object, 'spec')
  if (itemsAt(spec, 'ephemeralContainers').length > 0) {
    errors.push(forbiddenField('spec.ephemeralContainers', 'cannot be set on create'))
  }
  if (textAt(spec, 'nodeName') !== '' && itemsAt(spec, 'schedulingGates').length > 0) {
    const why = 'cannot be set until all schedulingGates have been cleared'
    errors.push(forbiddenField('spec.nodeName', why))
  }
  checkProfilesMatch(errors, 'spec', object.metadata.annotations ?? {}, spec ?? {})
  return errors
}
