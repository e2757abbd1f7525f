import type { Clock } from 'kubewright/base'
import type { UnknownObject } from 'kubewright/machinery'
import { has, itemsAt, keep, objectAt, textAt, type Fields, type Readable } from '../fields.ts'
import type { Draft } from '../strategy.ts'

/** What v1beta1 has in a request itself, and v1 in its `exactly`, in the order in which v1 writes it. */
const EXACTLY = [
  'deviceClassName',
  'selectors',
  'allocationMode',
  'count',
  'adminAccess',
  'tolerations',
  'capacity',
] as const

const picked = (from: Readable, names: readonly string[]): Fields =>
  Object.fromEntries(names.filter((it) => has(from, it)).map((it) => [it, from[it]]))

const without = (from: Readable, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(from).filter(([it]) => !names.includes(it)))

function requestToV1(request: Readable): Fields {
  const exactly = picked(request, EXACTLY)
  // A request that names no class and nothing else offers alternatives.
  if (!exactly['deviceClassName'] && Object.keys(exactly).length <= 1) return alternatives(request)
  return { ...without(request, EXACTLY), exactly: { deviceClassName: '', ...exactly } }
}

const alternatives = (request: Readable): Fields => without(request, EXACTLY)

function requestToBeta(request: Readable): Fields {
  const { exactly, name, ...rest } = request
  return { name, deviceClassName: '', ...(exactly as Fields | undefined), ...rest }
}

const deviceToV1 = ({ basic, ...rest }: Readable): Fields => ({
  ...rest,
  ...(basic as Fields | undefined),
})

const deviceToBeta = ({ name, ...basic }: Readable): Fields => ({ name, basic })

/** What a change does to each item of a list of `holder`; a list that is not there stays away. */
const mapped = (holder: Readable, name: string, change: (it: Readable) => Fields): Fields =>
  has(holder, name) ? { ...holder, [name]: itemsAt(holder, name).map(change) } : { ...holder }

const inRequests = (spec: Readable, change: (it: Readable) => Fields): Fields => {
  const devices = objectAt(spec, 'devices')
  return devices ? { ...spec, devices: mapped(devices, 'requests', change) } : { ...spec }
}

interface Changes {
  readonly request: (it: Readable) => Fields
  readonly device: (it: Readable) => Fields
}

function converted(object: UnknownObject, { request, device }: Changes): UnknownObject {
  const spec = objectAt(object, 'spec')
  if (!spec) return object
  switch (object.kind) {
    case 'ResourceClaim':
      return { ...object, spec: inRequests(spec, request) }
    case 'ResourceClaimTemplate': {
      const inner = objectAt(spec, 'spec')
      return inner ? { ...object, spec: { ...spec, spec: inRequests(inner, request) } } : object
    }
    case 'ResourceSlice':
      return { ...object, spec: mapped(withoutZeros(spec), 'devices', device) }
    default:
      return object
  }
}

/** Where v1 tells nothing from empty, v1beta1 does not. */
function withoutZeros(spec: Readable): Fields {
  const zeros = [
    textAt(spec, 'nodeName') === '' ? 'nodeName' : '',
    spec['allNodes'] === true ? '' : 'allNodes',
  ]
  return without(spec, zeros)
}

/** An object of resource.k8s.io/v1beta1 as v1 has it (kubernetes/pkg/apis/resource/v1beta1/conversion.go). */
export const devicesToV1 = (object: UnknownObject): UnknownObject =>
  converted(object, { request: requestToV1, device: deviceToV1 })

/** An object of resource.k8s.io/v1 as v1beta1 has it. */
export const devicesToBeta = (object: UnknownObject): UnknownObject =>
  converted(object, { request: requestToBeta, device: deviceToBeta })

/** Defaults of v1beta1 by those of v1: a request that names no class gets none (SetDefaults_DeviceRequest). */
export const betaDefaults =
  (applyDefaults: (object: Draft, clock?: Clock) => void) =>
  (object: Draft, clock?: Clock): void => {
    const before = requestsOf(object).map((it) => ({ ...it }))
    applyDefaults(object, clock)
    for (const [i, it] of requestsOf(object).entries())
      if (textAt(it, 'deviceClassName') === '') restore(it, before[i]!)
  }

function requestsOf(object: Draft): readonly Fields[] {
  const outer = objectAt(object, 'spec')
  const spec = object['kind'] === 'ResourceClaimTemplate' ? objectAt(outer, 'spec') : outer
  return itemsAt(objectAt(spec, 'devices'), 'requests')
}

function restore(request: Fields, before: Readable): void {
  for (const name of ['allocationMode', 'count']) keep(request, before, name)
}
