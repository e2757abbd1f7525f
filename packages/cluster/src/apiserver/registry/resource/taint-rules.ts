import type { Clock } from 'kubewright/base'
import {
  isDns1123Label,
  timeText,
  tooMany,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  ensureObject,
  fillEmpty,
  has,
  itemsAt,
  objectAt,
  textAt,
  type Readable,
} from '../fields.ts'
import { checkName, type Errors } from '../generic/checks.ts'
import { checkConditions } from '../generic/conditions.ts'
import { checkDriverName } from '../generic/driver-name.ts'
import { specChanged, statusOnly, whole } from '../generic/whole-and-status.ts'
import type { Draft, Strategy, StrategyContext } from '../strategy.ts'
import { checkPoolName, checkTaint } from './shared-rules.ts'

const MOST_CONDITIONS = 8

/** The rules of a DeviceTaintRule (kubernetes/pkg/apis/resource/validation validateDeviceTaintRuleSpec). */
function validateRule(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec')
  const selector = objectAt(spec, 'deviceSelector')
  const at = 'spec.deviceSelector'
  if (has(selector, 'driver')) checkDriverName(errors, `${at}.driver`, textAt(selector, 'driver'))
  if (has(selector, 'pool')) checkPoolName(errors, `${at}.pool`, textAt(selector, 'pool'))
  if (has(selector, 'device'))
    checkName(errors, `${at}.device`, textAt(selector, 'device'), isDns1123Label)
  checkTaint(errors, 'spec.taint', objectAt(spec, 'taint') ?? {})
  return errors
}

function validateRuleStatus(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const conditions = itemsAt(objectAt(object, 'status'), 'conditions')
  checkConditions(errors, 'status.conditions', conditions)
  if (conditions.length > MOST_CONDITIONS)
    errors.push(tooMany('status.conditions', conditions.length, MOST_CONDITIONS))
  return errors
}

const taintOf = (object: Readable): Readable => objectAt(objectAt(object, 'spec'), 'taint') ?? {}

/** SetDefaults_DeviceTaint: a taint is as old as the write that brought it. */
function stamp(object: Draft, clock: Clock): void {
  const taint = ensureObject(ensureObject(object, 'spec'), 'taint')
  fillEmpty(taint, { timeAdded: timeText(clock.now()) })
}

/** A taint whose effect changed begins anew, unless its time was changed too. */
function renew(object: Draft, old: UnknownObject, context: StrategyContext): void {
  const [taint, before] = [taintOf(object), taintOf(old)]
  if (taint['effect'] === before['effect'] || taint['timeAdded'] !== before['timeAdded']) return
  ensureObject(ensureObject(object, 'spec'), 'taint')['timeAdded'] = timeText(context.clock.now())
}

const rule = whole({ emptyStatus: {}, counts: specChanged })

/** DeviceTaintRule (kubernetes/pkg/registry/resource/devicetaintrule/strategy.go). */
export const DEVICE_TAINT_RULE: Strategy = Object.freeze({
  ...rule,
  applyDefaults: (object: Draft, clock?: Clock) => {
    ensureObject(ensureObject(object, 'spec'), 'taint')
    if (clock) stamp(object, clock)
    ensureObject(object, 'status')
  },
  prepareForUpdate: (object, old, context) => {
    renew(object, old, context)
    return rule.prepareForUpdate(object, old, context)
  },
  validate: validateRule,
  validateUpdate: validateRule,
  subresources: {
    status: { ...statusOnly({ statusKeeps: 'metadata' }), validateUpdate: validateRuleStatus },
  },
} satisfies Strategy)
