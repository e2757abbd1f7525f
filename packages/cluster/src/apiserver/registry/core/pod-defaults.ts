import {
  ensureObject,
  fillAbsent,
  fillEmpty,
  flagAt,
  has,
  itemsAt,
  numberAt,
  objectAt,
  textAt,
  type Fields,
} from '../fields.ts'
import type { Draft } from '../strategy.ts'
import { canonicalResources, fillResources, resourcesAt } from './resource-list.ts'
import { defaultPodLevelResources } from './pod-resources.ts'
import { defaultDivisor, defaultFieldRef } from './field-ref-defaults.ts'
import { defaultPullPolicy } from './pull-policy.ts'
import { defaultVolume } from './volume-defaults.ts'

const SPEC_DEFAULTS = Object.freeze({
  dnsPolicy: 'ClusterFirst',
  restartPolicy: 'Always',
  schedulerName: 'default-scheduler',
})
const PROBE_DEFAULTS = Object.freeze({
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
})
const CONTAINER_DEFAULTS = Object.freeze({
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
})
const PORT_DEFAULTS = Object.freeze({ protocol: 'TCP' })
const HTTP_DEFAULTS = Object.freeze({ path: '/', scheme: 'HTTP' })
const CONTAINERS = ['containers', 'initContainers', 'ephemeralContainers'] as const

/** The defaults of a pod (kubernetes/pkg/apis/core/v1/defaults.go SetObjectDefaults_Pod), and of no template. */
export function defaultPod(pod: Draft): void {
  const spec = ensureObject(pod, 'spec')
  for (const list of ['containers', 'initContainers'] as const) {
    for (const container of itemsAt(spec, list)) {
      defaultRequests(container)
      if (flagAt(spec, 'hostNetwork')) defaultHostPorts(container)
    }
  }
  defaultPodSpec(spec)
  defaultPodLevelResources(spec)
  fillAbsent(spec, { enableServiceLinks: true })
  if ((numberAt(spec, 'terminationGracePeriodSeconds') ?? 0) < 0) {
    spec['terminationGracePeriodSeconds'] = 1
  }
  dropLegacyAnnotations(pod.metadata as Fields)
  defaultPodStatus(objectAt(pod, 'status'))
}

/** A limit without a request is the request too: for pods only. */
function defaultRequests(container: Fields): void {
  const resources = objectAt(container, 'resources')
  if (!has(resources, 'limits')) return
  const limits = resourcesAt(resources, 'limits')
  if (Object.keys(limits).length === 0) return
  fillResources(ensureObject(resources!, 'requests'), limits)
}

function defaultHostPorts(container: Fields): void {
  for (const port of itemsAt(container, 'ports')) {
    if (!port['hostPort']) port['hostPort'] = port['containerPort']
  }
}

/** Old clients know one IP (Convert_v1_PodStatus_To_core_PodStatus). */
function defaultPodStatus(status: Fields | undefined): void {
  if (status === undefined) return
  const ip = textAt(status, 'podIP')
  const ips = itemsAt(status, 'podIPs')
  if (ip !== '' && textAt(ips[0], 'ip') !== ip) status['podIPs'] = [{ ip }]
  else if (ip === '' && ips.length > 0) status['podIP'] = textAt(ips[0], 'ip')
  for (const list of ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses']) {
    for (const it of itemsAt(status, list)) {
      canonicalResources(it, 'allocatedResources')
      canonicalResources(objectAt(it, 'resources'), 'limits')
      canonicalResources(objectAt(it, 'resources'), 'requests')
    }
  }
}

/** The defaults of a pod template: what every kind that makes pods fills in. */
export function defaultPodTemplate(template: Fields): void {
  const metadata = ensureObject(template, 'metadata')
  dropLegacyAnnotations(metadata)
  defaultPodSpec(ensureObject(template, 'spec'))
}

const LEGACY_ANNOTATIONS = [
  'pod.beta.kubernetes.io/init-containers',
  'pod.alpha.kubernetes.io/init-containers',
  'pod.beta.kubernetes.io/init-container-statuses',
  'pod.alpha.kubernetes.io/init-container-statuses',
]

function dropLegacyAnnotations(metadata: Fields): void {
  const annotations = objectAt(metadata, 'annotations')
  if (annotations === undefined) return
  for (const name of LEGACY_ANNOTATIONS) delete annotations[name]
}

/** The defaults of a pod's spec, alone or in a template (SetDefaults_PodSpec and all below it). */
function defaultPodSpec(spec: Fields): void {
  fillEmpty(spec, SPEC_DEFAULTS)
  fillAbsent(spec, { terminationGracePeriodSeconds: 30 })
  ensureObject(spec, 'securityContext')
  aliasServiceAccount(spec)
  for (const volume of itemsAt(spec, 'volumes')) defaultVolume(volume)
  for (const list of CONTAINERS) {
    for (const container of itemsAt(spec, list)) defaultContainer(container)
  }
  canonicalResources(spec, 'overhead')
  canonicalResources(objectAt(spec, 'resources'), 'limits')
  canonicalResources(objectAt(spec, 'resources'), 'requests')
}

/** `serviceAccount` is the old name of `serviceAccountName`, and always says the same. */
function aliasServiceAccount(spec: Fields): void {
  const name = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount')
  if (name === '') return
  spec['serviceAccountName'] = name
  spec['serviceAccount'] = name
}

/** The defaults of one container (SetDefaults_Container and all below it). */
function defaultContainer(container: Fields): void {
  if (!container['imagePullPolicy']) {
    container['imagePullPolicy'] = defaultPullPolicy(textAt(container, 'image'))
  }
  fillEmpty(container, CONTAINER_DEFAULTS)
  for (const port of itemsAt(container, 'ports')) fillEmpty(port, PORT_DEFAULTS)
  for (const variable of itemsAt(container, 'env')) defaultEnv(objectAt(variable, 'valueFrom'))
  const resources = ensureObject(container, 'resources')
  canonicalResources(resources, 'limits')
  canonicalResources(resources, 'requests')
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    defaultProbe(objectAt(container, probe))
  }
  const lifecycle = objectAt(container, 'lifecycle')
  defaultHttpGet(objectAt(lifecycle, 'postStart'))
  defaultHttpGet(objectAt(lifecycle, 'preStop'))
}

function defaultEnv(source: Fields | undefined): void {
  if (source === undefined) return
  defaultFieldRef(source)
  const file = objectAt(source, 'fileKeyRef')
  if (file) fillAbsent(file, { optional: false })
  defaultDivisor(source)
}

function defaultProbe(probe: Fields | undefined): void {
  if (probe === undefined) return
  fillEmpty(probe, PROBE_DEFAULTS)
  defaultHttpGet(probe)
  const grpc = objectAt(probe, 'grpc')
  if (grpc) fillAbsent(grpc, { service: '' })
}

function defaultHttpGet(handler: Fields | undefined): void {
  const http = objectAt(handler, 'httpGet')
  if (http) fillEmpty(http, HTTP_DEFAULTS)
}
