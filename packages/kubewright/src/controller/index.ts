// Defining a controller
export {
  type ControllerBuilder,
  type OwningOptions,
  type WatchingOptions,
  controller,
} from './builder.ts'
export {
  type ControllerDefinition,
  type ControllerOptions,
  type Listers,
  type Source,
  type SourceContext,
} from './definition.ts'
export {
  type Context,
  type KeyContext,
  type ApplyOptions,
  type StatusDraft,
  type Reconciler,
  type KeyReconciler,
  type ReconcileAnswer,
} from './context.ts'
export { type Result, TerminalError, terminalError } from './outcome.ts'
export { type EventRecorder, type EventOptions, type EventType } from './event-recorder.ts'
// Events, predicates, requests
export { type ChangeEvent } from './event.ts'
export { type Requests } from './handler.ts'
export {
  type Predicate,
  generationChanged,
  labelsChanged,
  annotationsChanged,
  resourceVersionChanged,
  labelsMatch,
  objectsWhere,
  and,
  or,
  not,
} from './predicate.ts'
export { type PaceOptions } from './pace.ts'
// Watching a manager at work
export { type RuntimeEvent, type RuntimeObserver } from './observer.ts'
// Running one without a manager
export {
  type ControllerEnvironment,
  type ControllerSignals,
  prepareController,
  runController,
} from './run-controller.ts'
