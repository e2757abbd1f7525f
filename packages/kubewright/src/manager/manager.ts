import type { Kind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import { controllerFor, type ControllerBuilder } from '../controller/builder.ts'
import type { ControllerDefinition, ControllerOptions } from '../controller/definition.ts'
import type { WebhookDefinition } from '../webhook/webhooks.ts'
import type { HealthCheck } from './health.ts'
import type { ManagerOptions } from './manager-options.ts'
import type { Runnable } from './runnable.ts'
import { startManager, type Running } from './running.ts'

/**
 * An operator: its controllers and what else runs, as a declaration. Nothing happens before `start` or `run`, and a manager may be
 * started many times, at once too: each start has its own client, cache, queues and metrics.
 */
export interface Manager {
  /** Begins a controller of this manager; it is added when `.reconcile` ends its definition. */
  controller<T extends KubeObject>(
    kind: Kind<T> | string,
    options?: ControllerOptions,
  ): ControllerBuilder<T>
  /** Adds controllers that were defined elsewhere, webhooks, and other things that run. */
  add(...parts: readonly (ControllerDefinition | WebhookDefinition | Runnable)[]): Manager
  /** Adds a check to `/readyz` (or, as `healthz`, to both): it throws when something is wrong. */
  check(name: string, check: HealthCheck, of?: 'readyz' | 'healthz'): Manager
  /** What has been declared so far: how tools learn of an operator's kinds and permissions without running it. */
  describe(): ManagerDefinition
  /**
   * Starts in this process, beside whatever else runs: no signals, no ports unless asked for. Resolves when the caches are full
   * and the controllers work (or, with leader election, wait for the lease); rejects when that fails.
   */
  start(options?: ManagerOptions): Promise<Running>
  /**
   * Runs as the process's whole purpose: flags, ports, logs on standard error, SIGTERM and SIGINT. Resolves when it has stopped in
   * good order; sets the exit code when it has not.
   */
  run(options?: ManagerOptions): Promise<void>
}

/** All that was declared on a manager. */
export interface ManagerDefinition {
  readonly options: ManagerOptions
  readonly controllers: readonly ControllerDefinition[]
  readonly webhooks: readonly WebhookDefinition[]
  readonly runnables: readonly Runnable[]
  readonly checks: readonly {
    readonly name: string
    readonly check: HealthCheck
    readonly of: 'readyz' | 'healthz'
  }[]
}

/** Makes an empty {@link Manager}. */
export function manager(options: ManagerOptions = {}): Manager {
  const controllers: ControllerDefinition[] = []
  const webhooks: WebhookDefinition[] = []
  const runnables: Runnable[] = []
  const checks: ManagerDefinition['checks'][number][] = []
  const addController = (definition: ControllerDefinition): void => {
    if (controllers.some((it) => it.name === definition.name))
      throw new Error(
        `the manager already has a controller named ${definition.name}; give one of them another name: controller(Kind, { name: '…' })`,
      )
    controllers.push(definition)
  }
  const definition = (more: ManagerOptions = {}): ManagerDefinition => ({
    options: { ...options, ...more },
    controllers: [...controllers],
    webhooks: [...webhooks],
    runnables: [...runnables],
    checks: [...checks],
  })
  const self: Manager = {
    controller: (kind, given = {}) => controllerFor(kind, given, addController),
    add(...parts) {
      for (const it of parts) {
        if ('reconcile' in it) addController(it)
        else if ('webhook' in it) webhooks.push(it)
        else runnables.push(it)
      }
      return self
    },
    check(name, check, of = 'readyz') {
      checks.push({ name, check, of })
      return self
    },
    describe: () => definition(),
    start: (more) => startManager(definition(more)),
    run: async (more) => (await import('./run-as-process.ts')).runAsProcess(definition(more)),
  }
  return self
}
