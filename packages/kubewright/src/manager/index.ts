export { type Manager, manager } from './manager.ts'
export {
  type ManagerOptions,
  type ManagerPorts,
  type MetricsOptions,
  type ManagerCacheOptions,
} from './manager-options.ts'
export { type Running } from './running.ts'
export { type Runnable, type RunnableContext } from './runnable.ts'
export { type HealthCheck, type HealthChecks, healthHandler } from './health.ts'
export { LeadershipLostError } from './run-election.ts'
export { type ClusterSet } from './joined-clusters.ts'
export { type ClusterAddress } from './open-cluster.ts'
export { type OpenTelemetryApi, openTelemetry } from './open-telemetry.ts'
export { type DebugRun } from './debug-journal.ts'
// What an operator may do
export { type Right, type MissingRight, rightsOf, missingRights } from './rights.ts'
// The leader elector
export {
  type LeaderElectionOptions,
  type Lease,
  type LeaseSpec,
  type ElectorState,
  type ElectorInput,
  type ElectorAction,
  type ElectorStep,
  type ElectorTimes,
  newElector,
  stepElector,
} from './leader-election.ts'
// Installing what an operator declares
export {
  type DeclaredKind,
  type InstallOptions,
  declaredKinds,
  installKinds,
} from './install-kinds.ts'
