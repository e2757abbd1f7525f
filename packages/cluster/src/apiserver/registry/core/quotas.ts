import { compareQuantities } from 'kubewright/machinery'
import { ensureObject, itemsAt, objectAt, textAt } from '../fields.ts'
import { statusOnly, whole } from '../generic/whole-and-status.ts'
import type { Draft, Strategy } from '../strategy.ts'
import {
  validateLimitRange,
  validateQuota,
  validateQuotaStatus,
  validateQuotaUpdate,
} from './quota-validation.ts'
import { amountOf, canonicalResources, fillResources, resourcesAt } from './resource-list.ts'

function defaultQuota(object: Draft): void {
  canonicalResources(ensureObject(object, 'spec'), 'hard')
  const status = ensureObject(object, 'status')
  canonicalResources(status, 'hard')
  canonicalResources(status, 'used')
}

/** More asked for than allowed makes little sense. */
function quotaWarnings(object: Draft): readonly string[] {
  const hard = resourcesAt(objectAt(object, 'spec'), 'hard')
  return ['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => {
    const isPlain = hard[`requests.${name}`] === undefined && name !== 'ephemeral-storage'
    const asked = isPlain ? name : `requests.${name}`
    const allowed = `limits.${name}`
    const [request, limit] = [amountOf(hard[asked]), amountOf(hard[allowed])]
    if (!request || !limit || compareQuantities(request, limit) <= 0) return []
    return [
      `ResourceQuota ${asked} (${hard[asked]}) should be less than ${allowed} (${hard[allowed]})`,
    ]
  })
}

/** ResourceQuota (kubernetes/pkg/registry/core/resourcequota/strategy.go). */
export const RESOURCE_QUOTA: Strategy = Object.freeze({
  applyDefaults: defaultQuota,
  ...whole({ emptyStatus: {} }),
  validate: validateQuota,
  validateUpdate: validateQuotaUpdate,
  warningsOnCreate: quotaWarnings,
  subresources: { status: { ...statusOnly(), validateUpdate: validateQuotaStatus } },
})

const AMOUNTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const

/** What a container gets follows from what it may have (SetDefaults_LimitRangeItem). */
function defaultLimitRange(object: Draft): void {
  for (const item of itemsAt(objectAt(object, 'spec'), 'limits')) {
    for (const field of AMOUNTS) canonicalResources(item, field)
    if (textAt(item, 'type') !== 'Container') continue
    const limit = { ...resourcesAt(item, 'default') }
    const request = { ...resourcesAt(item, 'defaultRequest') }
    fillResources(limit, resourcesAt(item, 'max'))
    fillResources(request, limit)
    fillResources(request, resourcesAt(item, 'min'))
    if (Object.keys(limit).length > 0) item['default'] = limit
    if (Object.keys(request).length > 0) item['defaultRequest'] = request
  }
}

/** LimitRange (kubernetes/pkg/registry/core/limitrange/strategy.go). */
export const LIMIT_RANGE: Strategy = Object.freeze({
  applyDefaults: defaultLimitRange,
  validate: validateLimitRange,
  validateUpdate: validateLimitRange,
  allowCreateOnUpdate: true,
})
