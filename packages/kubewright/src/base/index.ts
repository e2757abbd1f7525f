// The seams
export { type Clock, type Timer, type FakeClock, systemClock, fakeClock } from './clock.ts'
export { type Random, systemRandom, seededRandom } from './random.ts'
export { type Transport } from './transport.ts'
// Logs
export {
  type Logger,
  type LogLevel,
  type LogFields,
  type LogEntry,
  createLogger,
  silentLogger,
} from './logger.ts'
export { type LineWriter, textSink, jsonSink } from './log-sinks.ts'
// Measurements
export {
  type Metrics,
  type MetricSpec,
  type MetricLabels,
  type Counter,
  type Gauge,
  type Histogram,
  noMetrics,
} from './metrics.ts'
// Small machinery
export { copyJson } from './copy-json.ts'
export { deepFreeze } from './deep-freeze.ts'
export { exactInteger, parseExact, stringifyExact } from './exact-json.ts'
export { type Backoff, type BackoffOptions, exponentialBackoff } from './backoff.ts'
export { type Ring, createRing } from './ring.ts'
export { type Heap, createHeap } from './heap.ts'
export { type Group, createGroup, aborted } from './lifetime.ts'
export { type Schedule, parseSchedule } from './schedule.ts'
export { type Duration, millisecondsOf } from './duration.ts'
export { type Fence, type Reading, createFence } from './fence.ts'
export {
  type FrameHead,
  OPCODE,
  acceptOf,
  encodeFrame,
  frameHead,
  unmasked,
} from './websocket-frame.ts'
