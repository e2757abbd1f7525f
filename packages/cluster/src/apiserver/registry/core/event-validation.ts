import {
  invalidValue,
  isQualifiedName,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { has, numberAt, objectAt, same, textAt, type Readable } from '../fields.ts'
import { checkName, requireText, type Errors } from '../generic/checks.ts'
import { internalForm } from '../generic/internal-form.ts'
import type { Draft } from '../strategy.ts'

/** What both faces of an event mind (legacyValidateEvent): little, unless it says when it happened. */
function commonErrors(event: Draft, about: string, controller: string): Errors {
  const errors: Errors = []
  const { namespace = '' } = event.metadata
  const inside = textAt(objectAt(event, about), 'namespace')
  const timed = has(event, 'eventTime')
  const outside = timed
    ? inside === '' && namespace !== 'default' && namespace !== 'kube-system'
    : inside === ''
      ? namespace !== 'default'
      : inside !== namespace
  if (outside) {
    const why = 'does not match event.namespace'
    errors.push(invalidValue('involvedObject.namespace', inside, why))
  }
  if (timed) checkTimed(errors, event, controller)
  return errors
}

function checkTimed(errors: Errors, event: Draft, controller: string): void {
  const name = textAt(event, controller)
  requireText(errors, controller, name)
  checkName(errors, controller, name, isQualifiedName)
  for (const field of ['reportingInstance', 'action', 'reason']) {
    const value = textAt(event, field)
    requireText(errors, field, value)
    if (value.length > 128) {
      errors.push(invalidValue(field, '', 'can have at most 128 characters'))
    }
  }
  const note = textAt(event, 'message') || textAt(event, 'note')
  if (note.length > 1024) {
    errors.push(invalidValue('message', '', 'can have at most 1024 characters'))
  }
}

/** An event of core/v1. */
export const validateCoreEvent = (event: Draft): readonly FieldError[] =>
  commonErrors(event, 'involvedObject', 'reportingComponent')

/** An event of events.k8s.io: its old fields stay empty (ValidateEventCreate). */
export function validateNewEvent(event: Draft): readonly FieldError[] {
  const errors = commonErrors(event, 'regarding', 'reportingController')
  checkSeries(errors, objectAt(event, 'series'))
  if (!has(event, 'eventTime')) errors.push(required('eventTime'))
  const type = textAt(event, 'type')
  if (type !== 'Normal' && type !== 'Warning') {
    errors.push(invalidValue('type', '', `has invalid value: ${type}`))
  }
  for (const [field, name] of [
    ['deprecatedFirstTimestamp', 'firstTimestamp'],
    ['deprecatedLastTimestamp', 'lastTimestamp'],
    ['deprecatedCount', 'count'],
  ] as const) {
    if (event[field]) errors.push(invalidValue(name, '', 'needs to be unset'))
  }
  const source = objectAt(event, 'deprecatedSource')
  if (textAt(source, 'component') !== '' || textAt(source, 'host') !== '') {
    errors.push(invalidValue('source', '', 'needs to be unset'))
  }
  return errors
}

function checkSeries(errors: Errors, series: Readable | undefined): void {
  if (series === undefined) return
  if ((numberAt(series, 'count') ?? 0) < 2) {
    errors.push(invalidValue('series.count', '', 'should be at least 2'))
  }
  if (!has(series, 'lastObservedTime')) errors.push(required('series.lastObservedTime'))
}

/** Fields that an update keeps, as events.k8s.io and as the errors name them. */
const KEPT: readonly (readonly [string, string])[] = [
  ['regarding', 'involvedObject'],
  ['reason', 'reason'],
  ['note', 'message'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
  // Twice, and so it is told twice.
  ['reason', 'reason'],
  ['type', 'type'],
  ['eventTime', 'eventTime'],
  ['action', 'action'],
  ['related', 'related'],
  ['reportingController', 'reportingController'],
  ['reportingInstance', 'reportingInstance'],
]

const TEXTS: ReadonlySet<string> = new Set([
  'reason',
  'note',
  'type',
  'action',
  'reportingController',
  'reportingInstance',
])
const STRUCTS: Readonly<Record<string, string>> = {
  regarding: 'ObjectReference',
  deprecatedSource: 'EventSource',
}

/** A field as Kubernetes' internal event has it. */
function shown(event: Readable, field: string): unknown {
  const struct = field === 'related' && has(event, field) ? 'ObjectReference' : STRUCTS[field]
  if (struct !== undefined) return internalForm(struct, objectAt(event, field))
  if (TEXTS.has(field)) return textAt(event, field)
  return event[field] ?? (field === 'deprecatedCount' ? 0 : null)
}

/** Only the series of an event of events.k8s.io moves. */
export function validateNewEventUpdate(event: Draft, old: UnknownObject): readonly FieldError[] {
  const errors = commonErrors(event, 'regarding', 'reportingController')
  if (!same(event['series'], old['series'])) checkSeries(errors, objectAt(event, 'series'))
  for (const [field, name] of KEPT) {
    if (same(event[field], old[field])) continue
    errors.push(invalidValue(name, shown(event, field), 'field is immutable'))
  }
  return errors
}
