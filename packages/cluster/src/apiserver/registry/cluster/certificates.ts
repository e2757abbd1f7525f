import { timeText, type UnknownObject } from 'kubewright/machinery'
import {
  ensureObject,
  fillEmpty,
  itemsAt,
  keep,
  objectAt,
  textAt,
  type Fields,
  type Readable,
} from '../fields.ts'
import { validateRequestUpdate, validateSigningRequest } from './certificate-validation.ts'
import type { Draft, Strategy, StrategyContext } from '../strategy.ts'

function prepareForCreate(object: Draft, context: StrategyContext): void {
  const spec = ensureObject(object, 'spec')
  for (const field of ['username', 'uid', 'groups', 'extra']) delete spec[field]
  const { name, uid, groups, extra } = context.user
  spec['username'] = name
  if (uid) spec['uid'] = uid
  if (groups.length > 0) spec['groups'] = [...groups]
  if (extra && Object.keys(extra).length > 0) spec['extra'] = structuredClone(extra)
  object['status'] = {}
}

/** A condition's times are those of the write that brought it, where it tells none. */
function fillTimes(status: Fields, before: Readable, now: string): void {
  for (const condition of itemsAt(status, 'conditions')) {
    fillEmpty(condition, { lastUpdateTime: now })
    if (condition['lastTransitionTime']) continue
    const was = itemsAt(before, 'conditions').find(
      (it) =>
        textAt(it, 'type') === textAt(condition, 'type') &&
        textAt(it, 'status') === textAt(condition, 'status') &&
        textAt(it, 'lastTransitionTime') !== '',
    )
    condition['lastTransitionTime'] = was?.['lastTransitionTime'] ?? now
  }
}

/** Approvals and denials belong to the approval subresource: as many as there were stay what they were (csrStatusStrategy). */
function prepareStatus(object: Draft, old: UnknownObject, context: StrategyContext): void {
  keep(object, old, 'spec')
  const status = ensureObject(object, 'status')
  const before = objectAt(old, 'status') ?? {}
  for (const type of ['Approved', 'Denied']) keepConditions(status, before, type)
  fillTimes(status, before, timeText(context.clock.now()))
}

function keepConditions(status: Fields, before: Readable, type: string): void {
  const isOfType = (it: Readable): boolean => textAt(it, 'type') === type
  const was = itemsAt(before, 'conditions').filter(isOfType)
  const conditions = itemsAt(status, 'conditions')
  if (was.length === 0 || conditions.filter(isOfType).length !== was.length) return
  let next = 0
  status['conditions'] = conditions.map((it) => (isOfType(it) ? { ...was[next++] } : it))
}

function prepareApproval(object: Draft, old: UnknownObject, context: StrategyContext): void {
  const before = objectAt(old, 'status') ?? {}
  const conditions = objectAt(object, 'status')?.['conditions']
  const status: Fields = { ...before }
  if (conditions === undefined) delete status['conditions']
  else status['conditions'] = conditions
  fillTimes(status, before, timeText(context.clock.now()))
  keep(object, old, 'spec')
  object['status'] = status
}

/** CertificateSigningRequest (kubernetes/pkg/registry/certificates/certificates/strategy.go). */
export const CERTIFICATE_SIGNING_REQUEST: Strategy = Object.freeze({
  prepareForCreate,
  validate: validateSigningRequest,
  // Any name will do.
  validateName: () => [],
  prepareForUpdate: (object: Draft, old: UnknownObject) => {
    keep(object, old, 'spec')
    keep(object, old, 'status')
  },
  validateUpdate: validateRequestUpdate({}),
  resetFields: [['f:spec'], ['f:status']],
  selectableFields: {
    'spec.signerName': (it: UnknownObject) => textAt(objectAt(it, 'spec'), 'signerName'),
  },
  subresources: {
    status: {
      prepareForUpdate: prepareStatus,
      validateUpdate: validateRequestUpdate({ certificate: true }),
      resetFields: [['f:spec'], ['f:status', 'f:conditions']],
    },
    approval: {
      prepareForUpdate: prepareApproval,
      validateUpdate: validateRequestUpdate({ approval: true }),
      resetFields: [['f:spec'], ['f:status', 'f:certificate']],
    },
  },
})
