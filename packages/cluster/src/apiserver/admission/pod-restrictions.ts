import { type ApiError, forbidden, notSupported, fieldErrorText } from 'kubewright/machinery'
import {
  ensureObject,
  itemsAt,
  objectAt,
  textAt,
  type Fields,
  type Readable,
} from '../registry/fields.ts'
import { isExtended } from '../registry/core/resource-validation.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { isAbout, joined, refuse } from './refusal.ts'

const writesPod = (request: AdmissionRequest): boolean =>
  (request.operation === 'CREATE' || request.operation === 'UPDATE') && isAbout(request, '/pods')

const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers']

/** All containers of a pod's spec, each with its path. */
const containersIn = (spec: Readable | undefined): readonly (readonly [string, Fields])[] =>
  CONTAINERS.flatMap((list) =>
    itemsAt(spec, list).map((it, i) => [`spec.${list}[${i}]`, it] as const),
  )

const specOf = (it: object | undefined): Readable | undefined =>
  objectAt(it as Readable | undefined, 'spec')

/** An update that brings no image that was not there before is left alone. */
function bringsImages({ operation, object, old }: AdmissionRequest): boolean {
  if (operation !== 'UPDATE') return true
  const before = new Set(containersIn(specOf(old)).map(([, it]) => it['image']))
  return containersIn(specOf(object)).some(([, it]) => !before.has(it['image']))
}

function pullAlways({ object }: AdmissionRequest): void {
  const spec = specOf(object)
  for (const [, it] of containersIn(spec)) it['imagePullPolicy'] = 'Always'
  for (const it of itemsAt(spec, 'volumes')) {
    if (objectAt(it, 'image')) ensureObject(it, 'image')['pullPolicy'] = 'Always'
  }
}

function checkPulls(request: AdmissionRequest): void {
  const spec = specOf(request.object)
  const problems = containersIn(spec).flatMap(([path, it]) =>
    wrongPolicy(`${path}.imagePullPolicy`, it['imagePullPolicy']),
  )
  itemsAt(spec, 'volumes').forEach((it, i) => {
    const image = objectAt(it, 'image')
    if (image)
      problems.push(...wrongPolicy(`spec.volumes[${i}].image.pullPolicy`, image['pullPolicy']))
  })
  if (problems.length > 0) throw refuse(request, joined(problems))
}

const wrongPolicy = (field: string, value: unknown): string[] =>
  value === 'Always' ? [] : [fieldErrorText(notSupported(field, value ?? '', ['Always']))]

/** AlwaysPullImages: nobody uses an image that others have pulled (kubernetes/plugin/pkg/admission/alwayspullimages). Off by default. */
export const ALWAYS_PULL_IMAGES: AdmissionPlugin = Object.freeze({
  name: 'AlwaysPullImages',
  handles: (request: AdmissionRequest) => writesPod(request) && bringsImages(request),
  admit: pullAlways,
  validate: checkPulls,
})

const HOSTNAME = 'kubernetes.io/hostname'

function checkTopology(request: AdmissionRequest): void {
  const affinity = objectAt(objectAt(specOf(request.object), 'affinity'), 'podAntiAffinity')
  for (const it of itemsAt(affinity, 'requiredDuringSchedulingIgnoredDuringExecution')) {
    const key = textAt(it, 'topologyKey')
    if (key !== HOSTNAME) throw wrongTopology(request, key)
  }
}

const wrongTopology = ({ context, object }: AdmissionRequest, key: string): ApiError =>
  forbidden(
    context.resource,
    object?.metadata.name ?? '',
    `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${key} but only key ${HOSTNAME} is allowed`,
  )

/** LimitPodHardAntiAffinityTopology: a pod keeps others from a node, not from a zone (kubernetes/plugin/pkg/admission/antiaffinity). Off by default. */
export const LIMIT_HARD_ANTI_AFFINITY: AdmissionPlugin = Object.freeze({
  name: 'LimitPodHardAntiAffinityTopology',
  handles: writesPod,
  validate: checkTopology,
})

function tolerateExtended({ object }: AdmissionRequest): void {
  const spec = ensureObject(object!, 'spec')
  const asked = [...itemsAt(spec, 'containers'), ...itemsAt(spec, 'initContainers')].flatMap((it) =>
    Object.keys(objectAt(objectAt(it, 'resources'), 'requests') ?? {}),
  )
  for (const key of [...new Set(asked.filter(isExtended))].toSorted()) {
    const wanted = { key, operator: 'Exists', effect: 'NoSchedule' }
    const held = itemsAt(spec, 'tolerations')
    const at = held.findIndex((it) => isSameToleration(it, wanted))
    spec['tolerations'] = at < 0 ? [...held, wanted] : held.with(at, wanted)
  }
}

/** Tolerations that match differ at most in how long they hold (Toleration.MatchToleration). */
const isSameToleration = (a: Readable, b: Readable): boolean =>
  ['key', 'operator', 'effect', 'value'].every((it) => textAt(a, it) === textAt(b, it))

/** ExtendedResourceToleration: who asks for a device tolerates the taint of nodes that have it (kubernetes/plugin/pkg/admission/extendedresourcetoleration). Off by default. */
export const EXTENDED_RESOURCE_TOLERATION: AdmissionPlugin = Object.freeze({
  name: 'ExtendedResourceToleration',
  handles: writesPod,
  admit: tolerateExtended,
})
