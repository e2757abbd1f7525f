import {
  forbiddenField,
  invalidValue,
  isDns1123Label,
  tooLong,
  tooMany,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { isIPv4, isIPv6 } from 'node:net'
import { canonicalIPv6 } from '../core/ip.ts'
import { checkNodeSelector } from '../core/scheduling-validation.ts'
import { has, itemsAt, objectAt, same, textAt, textsAt, type Readable } from '../fields.ts'
import { checkConditions } from '../generic/conditions.ts'
import { checkName, requireOneOf, requireText, type Errors } from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'
import { checkDriverName } from '../generic/driver-name.ts'
import {
  checkRequestRef,
  checkRequestRefs,
  requestNamesOf,
  type RequestNames,
} from './claim-validation.ts'
import {
  checkBinding,
  checkConfiguration,
  checkList,
  checkPoolName,
  checkRaw,
  checkSet,
  checkShareId,
} from './shared-rules.ts'

const MOST_CONSUMERS = 256
const MOST_RESULTS = 32
const MOST_CONFIGS = 64
const MOST_CONDITIONS = 8
const MOST_IPS = 16

/** What was allocated to a claim, and who uses it (validateResourceClaimStatusUpdate). */
export function validateClaimStatus(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  const status = objectAt(object, 'status')
  const before = objectAt(old, 'status')
  const allocation = objectAt(status, 'allocation')
  const consumers = itemsAt(status, 'reservedFor')
  const at = 'status.reservedFor'
  checkSet(errors, at, consumers, MOST_CONSUMERS, checkConsumer, (it) => textAt(it, 'uid'))
  const allocated = new Set(
    itemsAt(objectAt(allocation, 'devices'), 'results').map((it) => JSON.stringify(deviceKey(it))),
  )
  const devices = itemsAt(status, 'devices')
  checkSet(
    errors,
    'status.devices',
    devices,
    Infinity,
    (found, where, it) => checkDevice(found, where, it, allocated),
    deviceKey,
  )
  checkReserved(errors, at, consumers, { allocation, before, object })
  checkAllocationChange(
    errors,
    allocation,
    objectAt(before, 'allocation'),
    objectAt(object, 'spec'),
  )
  return errors
}

/** A device as Go shows a structured.SharedDeviceID. */
const deviceKey = (it: Readable): object => ({
  Driver: textAt(it, 'driver'),
  Pool: textAt(it, 'pool'),
  Device: textAt(it, 'device'),
  ShareID: textAt(it, 'shareID'),
})

function checkConsumer(errors: Errors, field: string, consumer: Readable): void {
  for (const name of ['resource', 'name', 'uid']) {
    requireText(errors, `${field}.${name}`, textAt(consumer, name))
  }
}

interface Reservation {
  readonly allocation: Readable | undefined
  readonly before: Readable | undefined
  readonly object: Draft
}

function checkReserved(
  errors: Errors,
  field: string,
  consumers: readonly Readable[],
  { allocation, before, object }: Reservation,
): void {
  if (consumers.length === 0) return
  if (!allocation) {
    const why = 'may not be specified when `allocated` is not set'
    errors.push(forbiddenField(field, why))
    return
  }
  const known = itemsAt(before, 'reservedFor')
  const isNew = consumers.some((it) => !known.some((one) => same(it, one)))
  if (object.metadata.deletionTimestamp === undefined || !isNew) return
  const why =
    'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set'
  errors.push(forbiddenField(field, why))
}

function checkAllocationChange(
  errors: Errors,
  now: Readable | undefined,
  was: Readable | undefined,
  spec: Readable | undefined,
): void {
  if (!now) return
  const at = 'status.allocation'
  if (!was) return checkAllocation(errors, at, now, requestNamesOf(spec))
  if (!same(now, was)) errors.push(invalidValue(at, now, 'field is immutable'))
}

function checkAllocation(
  errors: Errors,
  field: string,
  allocation: Readable,
  names: RequestNames,
): void {
  const devices = objectAt(allocation, 'devices')
  const at = `${field}.devices`
  checkList(
    errors,
    `${at}.results`,
    itemsAt(devices, 'results'),
    MOST_RESULTS,
    (found, where, it) => checkResult(found, where, it, names),
  )
  checkList(
    errors,
    `${at}.config`,
    itemsAt(devices, 'config'),
    MOST_CONFIGS,
    (found, where, it) => {
      const source = textAt(it, 'source')
      requireOneOf(found, `${where}.source`, source, ['FromClaim', 'FromClass'])
      checkRequestRefs(found, `${where}.requests`, textsAt(it, 'requests'), names)
      checkConfiguration(found, where, it)
    },
  )
  const selector = objectAt(allocation, 'nodeSelector')
  if (selector) checkNodeSelector(errors, `${field}.nodeSelector`, selector)
}

function checkResult(errors: Errors, field: string, result: Readable, names: RequestNames): void {
  checkRequestRef(errors, `${field}.request`, textAt(result, 'request'), names)
  checkDriverName(errors, `${field}.driver`, textAt(result, 'driver'))
  checkPoolName(errors, `${field}.pool`, textAt(result, 'pool'))
  checkName(errors, `${field}.device`, textAt(result, 'device'), isDns1123Label)
  checkBinding(errors, field, result)
  if (has(result, 'shareID')) checkShareId(errors, `${field}.shareID`, textAt(result, 'shareID'))
}

function checkDevice(
  errors: Errors,
  field: string,
  device: Readable,
  allocated: ReadonlySet<string>,
): void {
  checkDriverName(errors, `${field}.driver`, textAt(device, 'driver'))
  checkPoolName(errors, `${field}.pool`, textAt(device, 'pool'))
  checkName(errors, `${field}.device`, textAt(device, 'device'), isDns1123Label)
  if (has(device, 'shareID')) checkShareId(errors, `${field}.shareID`, textAt(device, 'shareID'))
  const key = deviceKey(device)
  if (!allocated.has(JSON.stringify(key))) {
    errors.push(invalidValue(field, key, 'must be an allocated device in the claim'))
  }
  const conditions = itemsAt(device, 'conditions')
  if (conditions.length > MOST_CONDITIONS) {
    errors.push(tooMany(`${field}.conditions`, conditions.length, MOST_CONDITIONS))
  }
  checkConditions(errors, `${field}.conditions`, conditions)
  if (has(device, 'data')) checkRaw(errors, field, device, 'data')
  const network = objectAt(device, 'networkData')
  if (network) checkNetwork(errors, `${field}.networkData`, network)
}

function checkNetwork(errors: Errors, field: string, network: Readable): void {
  for (const [name, longest] of [
    ['interfaceName', 256],
    ['hardwareAddress', 128],
  ] as const) {
    if (Buffer.byteLength(textAt(network, name)) <= longest) continue
    errors.push(tooLong(`${field}.${name}`, longest))
  }
  checkSet(errors, `${field}.ips`, textsAt(network, 'ips'), MOST_IPS, checkAddress, (it) => it)
}

/** An address with the size of its network (IsValidInterfaceAddress). */
function checkAddress(errors: Errors, field: string, address: string): void {
  const [ip = '', bits = '', ...rest] = address.split('/')
  const most = isIPv4(ip) ? 32 : isIPv6(ip) ? 128 : -1
  if (rest.length > 0 || !/^[0-9]{1,3}$/.test(bits) || Number(bits) > most) {
    const why = 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)'
    errors.push(invalidValue(field, address, why))
    return
  }
  const canonical = `${isIPv6(ip) ? canonicalIPv6(ip) : ip}/${Number(bits)}`
  if (canonical === address) return
  const why = `must be in canonical form (${JSON.stringify(canonical)})`
  errors.push(invalidValue(field, address, why))
}
