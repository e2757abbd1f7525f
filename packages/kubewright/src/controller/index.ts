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
  type EnqueueOptions,
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
export {
  type Result,
  TerminalError,
  terminalError,
  TemporaryError,
  temporaryError,
} from './outcome.ts'
export { type RetryPolicy, type RetryWords } from './retry-policy.ts'
export { type TimerOptions, type TimerDefinition } from './timers.ts'
export { type DaemonContext, type DaemonOptions, type DaemonDefinition } from './daemons.ts'
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
// Sources besides the events of a kind
export {
  type Channel,
  type ChannelOptions,
  type CloudEvent,
  type CloudEventOptions,
  type CronOptions,
  type InboundOptions,
  type PollingOptions,
  channel,
  cloudEvents,
  cron,
  inbound,
  polling,
} from './sources/index.ts'
// Watching a manager at work
export { type RuntimeEvent, type RuntimeObserver } from './observer.ts'
export { type TracedRun, type TracedEnd, type Tracing } from './tracing.ts'
// What a process may be given
export { type Ownership } from './ownership.ts'
export { type Clusters, type Member } from './clusters.ts'
export { type Inbound, createInbound } from './inbound.ts'
// Running one without a manager
export {
  type ControllerEnvironment,
  type ControllerSignals,
  prepareController,
  runController,
} from './run-controller.ts'
