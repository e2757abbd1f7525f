import type { UnknownObject } from 'kubewright/machinery'
import {
  ensureObject,
  fillEmpty,
  itemsAt,
  keep,
  objectAt,
  same,
  textAt,
  type Fields,
  type Readable,
} from '../fields.ts'
import { nowText } from '../core/volumes.ts'
import { validateApproval, validateSigningRequest } from './cluster-validation.ts'
import type { Draft, Strategy, StrategyContext } from '../strategy.ts'

function prepareForCreate(object: Draft, context: StrategyContext): void {
  const spec = ensureObject(object, 'spec')
  for (const field of ['username', 'uid', 'groups', 'extra']) delete spec[field]
  const { name, uid, groups } = context.user
  spec['username'] = name
  if (uid) spec['uid'] = uid
  if (groups.length > 0) spec['groups'] = [...groups]
  object['status'] = {}
}

/** A condition's time is that of the write that brought it. */
function fillTimes(status: Fields, before: Readable, now: string): void {
  for (const condition of itemsAt(status, 'conditions')) {
    fillEmpty(condition, { lastUpdateTime: now, status: 'True' })
    if (condition['lastTransitionTime']) continue
    const was = itemsAt(before, 'conditions').find(
      (it) =>
        textAt(it, 'type') === textAt(condition, 'type') &&
        textAt(it, 'status') === textAt(condition, 'status'),
    )
    condition['lastTransitionTime'] = was?.['lastTransitionTime'] ?? now
  }
}

/** Approvals and denials belong to the approval subresource (csrStatusStrategy). */
function prepareStatus(object: Draft, old: UnknownObject, context: StrategyContext): void {
  keep(object, old, 'spec')
  const status = ensureObject(object, 'status')
  const before = objectAt(old, 'status') ?? {}
  const decided = (it: Readable): boolean =>
    textAt(it, 'type') === 'Approved' || textAt(it, 'type') === 'Denied'
  const kept = itemsAt(before, 'conditions').filter(decided)
  const conditions = itemsAt(status, 'conditions')
  if (!same(conditions.filter(decided), kept)) {
    status['conditions'] = [
      ...kept.map((it) => ({ ...it })),
      ...conditions.filter((it) => !decided(it)),
    ]
  }
  fillTimes(status, before, nowText(context))
}

function prepareApproval(object: Draft, old: UnknownObject, context: StrategyContext): void {
  const before = objectAt(old, 'status') ?? {}
  const conditions = objectAt(object, 'status')?.['conditions']
  const status: Fields = { ...before }
  if (conditions === undefined) delete status['conditions']
  else status['conditions'] = conditions
  fillTimes(status, before, nowText(context))
  keep(object, old, 'spec')
  object['status'] = status
}

/** CertificateSigningRequest (kubernetes/pkg/registry/certificates/certificates/strategy.go). */
export const CERTIFICATE_SIGNING_REQUEST: Strategy = Object.freeze({
  prepareForCreate,
  validate: validateSigningRequest,
  prepareForUpdate: (object: Draft, old: UnknownObject) => {
    keep(object, old, 'spec')
    keep(object, old, 'status')
  },
  resetFields: [['f:spec'], ['f:status']],
  selectableFields: {
    'spec.signerName': (it: UnknownObject) => textAt(objectAt(it, 'spec'), 'signerName'),
  },
  subresources: {
    status: {
      prepareForUpdate: prepareStatus,
      validateUpdate: validateApproval,
      resetFields: [['f:spec'], ['f:status', 'f:conditions']],
    },
    approval: {
      prepareForUpdate: prepareApproval,
      validateUpdate: validateApproval,
      resetFields: [['f:spec'], ['f:status', 'f:certificate']],
    },
  },
})
