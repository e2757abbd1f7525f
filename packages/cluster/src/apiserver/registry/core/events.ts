import { nameIsPathSegment, type UnknownObject } from 'kubewright/machinery'
import { ensureObject, objectAt, textAt } from '../fields.ts'
import type { Draft, Strategy } from '../strategy.ts'
import { validateCoreEvent, validateNewEvent, validateNewEventUpdate } from './event-validation.ts'

/** Fields of core/v1 Event that are there even when empty. */
const CORE_EMPTY = { reportingComponent: '', reportingInstance: '' } as const
const CORE_TIMES = ['firstTimestamp', 'lastTimestamp', 'eventTime'] as const
const NEW_TIMES = ['eventTime', 'deprecatedFirstTimestamp', 'deprecatedLastTimestamp'] as const

function defaultCoreEvent(object: Draft): void {
  ensureObject(object, 'involvedObject')
  ensureObject(object, 'source')
  for (const field of CORE_TIMES) object[field] ??= null
  for (const [field, value] of Object.entries(CORE_EMPTY)) object[field] ??= value
}

function defaultNewEvent(object: Draft): void {
  ensureObject(object, 'regarding')
  ensureObject(object, 'deprecatedSource')
  for (const field of NEW_TIMES) object[field] ??= null
}

/** An event as stored is a core/v1 one, whichever face it is asked through. */
const core = (it: UnknownObject, field: string, newField: string = field): string =>
  textAt(it, field) || textAt(it, newField)
const involved = (field: string) => (it: UnknownObject) =>
  textAt(objectAt(it, 'involvedObject') ?? objectAt(it, 'regarding'), field)

const INVOLVED = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']
const reporting = (it: UnknownObject): string =>
  core(it, 'reportingComponent', 'reportingController')
const source = (it: UnknownObject): string =>
  textAt(objectAt(it, 'source') ?? objectAt(it, 'deprecatedSource'), 'component') || reporting(it)

/** Event of the core group (kubernetes/pkg/registry/core/event/strategy.go). */
export const CORE_EVENT: Strategy = Object.freeze({
  applyDefaults: defaultCoreEvent,
  ignoresPropagation: true,
  validate: validateCoreEvent,
  // By this name, an event may be called anything that a path can hold.
  validateName: nameIsPathSegment,
  validateUpdate: validateCoreEvent,
  allowCreateOnUpdate: true,
  selectableFields: {
    ...Object.fromEntries(INVOLVED.map((it) => [`involvedObject.${it}`, involved(it)])),
    reason: (it: UnknownObject) => textAt(it, 'reason'),
    reportingComponent: reporting,
    source,
    type: (it: UnknownObject) => textAt(it, 'type'),
  },
})

/** Event of events.k8s.io: the same objects, under newer names. */
export const NEW_EVENT: Strategy = Object.freeze({
  ignoresPropagation: true,
  applyDefaults: defaultNewEvent,
  validate: validateNewEvent,
  validateUpdate: validateNewEventUpdate,
  allowCreateOnUpdate: true,
  selectableFields: {
    ...Object.fromEntries(INVOLVED.map((it) => [`regarding.${it}`, involved(it)])),
    reason: (it: UnknownObject) => textAt(it, 'reason'),
    reportingController: reporting,
    type: (it: UnknownObject) => textAt(it, 'type'),
  },
})
