import {
  forbiddenField,
  invalidValue,
  timeText,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { canonicalAmount } from '../core/resource-list.ts'
import { isExtended } from '../core/resource-validation.ts'
import {
  ensureObject,
  fillEmpty,
  flagAt,
  has,
  itemsAt,
  objectAt,
  same,
  textAt,
  type Fields,
  type Readable,
} from '../fields.ts'
import type { Errors } from '../generic/checks.ts'
import { internalForm } from '../generic/internal-form.ts'
import { checkTemplateMeta } from '../generic/template-meta.ts'
import { specChanged, statusOnly, whole } from '../generic/whole-and-status.ts'
import type { Draft, Strategy, StrategyContext } from '../strategy.ts'
import { validateClaimStatus } from './claim-status-validation.ts'
import { checkClaimSpec } from './claim-validation.ts'
import { checkSelectors } from './device-selector.ts'
import { checkConfiguration, checkList } from './shared-rules.ts'
import { validateSlice } from './slice-validation.ts'

function defaultRequest(request: Fields): void {
  fillEmpty(request, { allocationMode: 'ExactCount' })
  if (request['allocationMode'] === 'ExactCount') fillEmpty(request, { count: 1 })
  for (const toleration of itemsAt(request, 'tolerations')) {
    fillEmpty(toleration, { operator: 'Equal' })
  }
  const requests = objectAt(objectAt(request, 'capacity'), 'requests')
  for (const name in requests) canonicalAmount(requests, name)
}

/** SetDefaults_ExactDeviceRequest, SetDefaults_DeviceSubRequest (kubernetes/pkg/apis/resource/v1/defaults.go). */
function defaultClaimSpec(spec: Fields): void {
  for (const request of itemsAt(ensureObject(spec, 'devices'), 'requests')) {
    const exactly = objectAt(request, 'exactly')
    if (exactly) defaultRequest(exactly)
    for (const each of itemsAt(request, 'firstAvailable')) defaultRequest(each)
  }
}

function defaultResults(object: Readable): void {
  const devices = objectAt(objectAt(objectAt(object, 'status'), 'allocation'), 'devices')
  for (const result of itemsAt(devices, 'results')) {
    for (const toleration of itemsAt(result, 'tolerations')) {
      fillEmpty(toleration, { operator: 'Equal' })
    }
  }
}

const ADMIN_LABEL = 'resource.kubernetes.io/admin-access'

/** Who looks into devices that others use does so in a namespace that allows it (AuthorizedForAdmin). */
async function adminErrors(
  spec: Readable | undefined,
  context: StrategyContext,
): Promise<readonly FieldError[]> {
  const requests = itemsAt(objectAt(spec, 'devices'), 'requests')
  const first = requests.findIndex((it) => flagAt(objectAt(it, 'exactly'), 'adminAccess'))
  if (first < 0) return []
  return notForAdmins(`spec.devices.requests[${first}].adminAccess`, context)
}

async function notForAdmins(
  field: string,
  context: StrategyContext,
): Promise<readonly FieldError[]> {
  const namespace = await context.find('/namespaces', '', context.namespace)
  if (namespace?.metadata.labels?.[ADMIN_LABEL] === 'true') return []
  const why = `admin access to devices requires the \`${ADMIN_LABEL}: true\` label on the containing namespace`
  return [forbiddenField(field, why)]
}

/** The index of the first result with admin access; -1 where none has it. */
const adminResult = (object: Readable): number =>
  itemsAt(
    objectAt(objectAt(objectAt(object, 'status'), 'allocation'), 'devices'),
    'results',
  ).findIndex((it) => flagAt(it, 'adminAccess'))

async function validateStatus(
  object: Draft,
  old: UnknownObject,
  context: StrategyContext,
): Promise<readonly FieldError[]> {
  const first = adminResult(object)
  const errors = validateClaimStatus(object, old)
  if (first < 0 || adminResult(old) >= 0) return errors
  const at = `status.allocation.devices.results[${first}].adminAccess`
  return [...(await notForAdmins(at, context)), ...errors]
}

async function validateClaim(
  object: Draft,
  context: StrategyContext,
): Promise<readonly FieldError[]> {
  const spec = objectAt(object, 'spec')
  const errors: Errors = [...(await adminErrors(spec, context))]
  checkClaimSpec(errors, 'spec', spec)
  return errors
}

async function validateTemplate(
  object: Draft,
  context: StrategyContext,
): Promise<readonly FieldError[]> {
  const spec = objectAt(objectAt(object, 'spec'), 'spec')
  return [...(await adminErrors(spec, context)), ...templateErrors(object)]
}

function templateErrors(object: Draft): readonly FieldError[] {
  const outer = objectAt(object, 'spec')
  const spec = objectAt(outer, 'spec')
  const errors: Errors = []
  checkTemplateMeta(errors, 'spec.metadata', objectAt(outer, 'metadata') ?? {})
  checkClaimSpec(errors, 'spec.spec', spec)
  return errors
}

const MOST_CONFIGS = 32

function validateClass(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec')
  checkSelectors(errors, 'spec.selectors', spec)
  checkList(errors, 'spec.config', itemsAt(spec, 'config'), MOST_CONFIGS, checkConfiguration)
  if (has(spec, 'extendedResourceName')) {
    const name = textAt(spec, 'extendedResourceName')
    if (!isExtended(name)) {
      const why = 'must be a valid extended resource name'
      errors.push(invalidValue('spec.extendedResourceName', name, why))
    }
  }
  return errors
}

const specIsFixed = (object: Draft, old: Readable, type: string): readonly FieldError[] =>
  same(object['spec'], old['spec']) && rawText(object) === rawText(old)
    ? []
    : [invalidValue('spec', internalForm(type, objectAt(object, 'spec')), 'field is immutable')]

/** What is given to drivers is bytes to Kubernetes: in another order, it is something else. */
function rawText(object: Readable): string {
  const spec = objectAt(object, 'spec')
  const devices = objectAt(objectAt(spec, 'spec') ?? spec, 'devices')
  return JSON.stringify(
    itemsAt(devices, 'config').map((it) => objectAt(it, 'opaque')?.['parameters'] ?? null),
  )
}

/** What was said of devices that are allocated no more goes with them (dropDeallocatedStatusDevices). */
function dropDeallocated(object: Draft, old: UnknownObject): void {
  const status = ensureObject(object, 'status')
  const kept = new Set(allocatedIn(status))
  const gone = new Set(allocatedIn(objectAt(old, 'status')).filter((it) => !kept.has(it)))
  const devices = itemsAt(status, 'devices').filter((it) => !gone.has(deviceId(it)))
  if (devices.length > 0) status['devices'] = devices
  else delete status['devices']
}

const deviceId = (it: Readable): string =>
  JSON.stringify(['driver', 'pool', 'device', 'shareID'].map((name) => textAt(it, name)))

const allocatedIn = (status: Readable | undefined): readonly string[] =>
  itemsAt(objectAt(objectAt(status, 'allocation'), 'devices'), 'results').map(deviceId)

const claimStatus = statusOnly({ statusKeeps: 'metadata' })

/** ResourceClaim (kubernetes/pkg/registry/resource/resourceclaim/strategy.go). */
export const RESOURCE_CLAIM: Strategy = Object.freeze({
  applyDefaults: (object) => {
    defaultClaimSpec(ensureObject(object, 'spec'))
    defaultResults(object)
  },
  ...whole({ emptyStatus: {} }),
  validate: validateClaim,
  validateUpdate: (object, old) => specIsFixed(object, old as Readable, 'ResourceClaimSpec'),
  subresources: {
    status: {
      ...claimStatus,
      prepareForUpdate: async (object, old, context) => {
        await claimStatus.prepareForUpdate(object, old, context)
        dropDeallocated(object, old)
      },
      validateUpdate: validateStatus,
    },
  },
} satisfies Strategy)

/** ResourceClaimTemplate. */
export const RESOURCE_CLAIM_TEMPLATE: Strategy = Object.freeze({
  applyDefaults: (object) => {
    const spec = ensureObject(object, 'spec')
    ensureObject(spec, 'metadata')
    defaultClaimSpec(ensureObject(spec, 'spec'))
  },
  validate: validateTemplate,
  validateUpdate: (object, old) => [
    ...templateErrors(object),
    ...specIsFixed(object, old as Readable, 'ResourceClaimTemplateSpec'),
  ],
} satisfies Strategy)

/** DeviceClass. */
export const DEVICE_CLASS: Strategy = Object.freeze({
  ...whole({ counts: specChanged }),
  validate: validateClass,
  validateUpdate: validateClass,
})

/** The features DRAListTypeAttributes and DRANodeAllocatableResources are off in v1.36. */
function dropDisabled(object: Draft): void {
  for (const device of itemsAt(objectAt(object, 'spec'), 'devices')) {
    delete device['nodeAllocatableResourceMappings']
    const attributes = objectAt(device, 'attributes')
    for (const name in attributes) {
      const attribute = objectAt(attributes, name)
      for (const list of ['bools', 'ints', 'strings', 'versions']) delete attribute?.[list]
    }
  }
}

function defaultSlice(object: Draft): void {
  const spec = ensureObject(object, 'spec')
  const pool = ensureObject(spec, 'pool')
  pool['generation'] ??= 0
  for (const device of itemsAt(spec, 'devices')) {
    const capacity = objectAt(device, 'capacity')
    for (const name in capacity) defaultCapacity(objectAt(capacity, name))
    for (const used of itemsAt(device, 'consumesCounters')) defaultCounters(used)
  }
  for (const set of itemsAt(spec, 'sharedCounters')) defaultCounters(set)
}

function defaultCounters(holder: Readable): void {
  const counters = objectAt(holder, 'counters')
  for (const name in counters) canonicalAmount(objectAt(counters, name), 'value')
}

function defaultCapacity(capacity: Fields | undefined): void {
  canonicalAmount(capacity, 'value')
  const policy = objectAt(capacity, 'requestPolicy')
  canonicalAmount(policy, 'default')
  const range = objectAt(policy, 'validRange')
  for (const name of ['min', 'max', 'step']) canonicalAmount(range, name)
}

/** SetDefaults_DeviceTaint: a taint is as old as the write that brought it. */
function stampTaints(object: Draft, context: StrategyContext): void {
  const timeAdded = timeText(context.clock.now())
  for (const device of itemsAt(objectAt(object, 'spec'), 'devices')) {
    for (const taint of itemsAt(device, 'taints')) fillEmpty(taint, { timeAdded })
  }
}

function sliceWarnings(object: Draft): readonly string[] {
  const driver = textAt(objectAt(object, 'spec'), 'driver')
  return driver === driver.toLowerCase()
    ? []
    : [
        `spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`,
      ]
}

const slice = whole({ counts: specChanged })

/** ResourceSlice. */
export const RESOURCE_SLICE: Strategy = Object.freeze({
  ...slice,
  applyDefaults: defaultSlice,
  prepareForCreate: (object, context) => {
    stampTaints(object, context)
    dropDisabled(object)
    return slice.prepareForCreate(object, context)
  },
  // The generation counts before disabled fields go.
  prepareForUpdate: async (object, old, context) => {
    stampTaints(object, context)
    await slice.prepareForUpdate(object, old, context)
    dropDisabled(object)
  },
  validate: (object) => validateSlice(object),
  validateUpdate: validateSlice,
  warningsOnCreate: sliceWarnings,
  warningsOnUpdate: sliceWarnings,
  selectableFields: {
    'spec.nodeName': (it) => String(objectAt(it, 'spec')?.['nodeName'] ?? ''),
    'spec.driver': (it) => String(objectAt(it, 'spec')?.['driver'] ?? ''),
  },
} satisfies Strategy)
