import { parseArgs } from 'node:util'
import { systemClock } from '../base/clock.ts'
import { jsonSink, textSink } from '../base/log-sinks.ts'
import { createLogger, type Logger, type LogLevel } from '../base/logger.ts'
import type { ManagerDefinition } from './manager.ts'
import type { ManagerOptions, ManagerPorts } from './manager-options.ts'
import { startManager } from './running.ts'

/** The flags of an operator's process: those that manifests for controller-runtime managers pass, and ours. */
const FLAGS = {
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
  namespace: { type: 'string' },
  'leader-elect': { type: 'boolean' },
  'health-probe-bind-address': { type: 'string' },
  'metrics-bind-address': { type: 'string' },
  'metrics-secure': { type: 'boolean' },
  'webhook-port': { type: 'string' },
  'inbound-bind-address': { type: 'string' },
  'log-level': { type: 'string' },
  'log-format': { type: 'string' },
} as const

type Flags = Partial<{
  readonly [K in keyof typeof FLAGS]: (typeof FLAGS)[K]['type'] extends 'boolean' ? boolean : string
}>

/**
 * Runs a manager as a process: flags, ports, logs, signals, exit code. `afterwards` is called when it has stopped because it was told
 * to; by default it sees to it that the process ends.
 */
export async function runAsProcess(
  definition: ManagerDefinition,
  afterwards: (logger: Logger) => void = endWithout,
): Promise<void> {
  const flags = readFlags(process.argv.slice(2))
  const logger = definition.options.logger ?? processLogger(flags)
  const signals = new AbortController()
  const onSignal = (name: NodeJS.Signals): void => {
    // The second signal means: now.
    if (signals.signal.aborted) process.exit(1)
    logger.info('stopping', { signal: name })
    signals.abort(new Error(`received ${name}`))
  }
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, onSignal)
  // Sockets of an idle watch do not always hold the loop; the process runs until it is told to stop.
  const alive = setInterval(() => {}, 1 << 30)
  try {
    const options = { ...optionsFor(definition.options, flags), logger, signal: signals.signal }
    const running = await startManager({ ...definition, options })
    logger.info('started', {
      controllers: definition.controllers.map((it) => it.name),
      ports: running.ports,
    })
    await running.done
  } catch (error) {
    if (!signals.signal.aborted) {
      logger.error('the manager failed', { error })
      process.exitCode = 1
    }
  } finally {
    clearInterval(alive)
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.off(name, onSignal)
    if (signals.signal.aborted) afterwards(logger)
  }
}

/** How long what does not heed its signal may keep a process that was told to stop, ms. */
const LINGER = 2_000

/** Ends the process where something still holds it after everything has stopped; where nothing does, it is gone before. */
function endWithout(logger: Logger): void {
  const end = (): void => {
    logger.warn('the process ends though something in it goes on')
    process.exit()
  }
  setTimeout(end, LINGER).unref()
}

function readFlags(args: readonly string[]): Flags {
  return parseArgs({
    args: [...args],
    options: FLAGS,
    strict: false,
    allowNegative: true,
    allowPositionals: true,
  }).values as Flags
}

function processLogger(flags: Flags): Logger {
  const write = (line: string): void => void process.stderr.write(line)
  const json = (flags['log-format'] ?? (process.stderr.isTTY ? 'text' : 'json')) === 'json'
  const sink = (json ? jsonSink : textSink)(write, systemClock)
  return createLogger(sink, (flags['log-level'] as LogLevel | undefined) ?? 'info')
}

function optionsFor(declared: ManagerOptions, flags: Flags): ManagerOptions {
  const { kubeconfig, context, 'leader-elect': elect, 'metrics-secure': secure } = flags
  const namespace = flags.namespace ?? process.env['WATCH_NAMESPACE']
  return {
    waitForKinds: true,
    checkAccess: true,
    debug: true,
    ...declared,
    ...(kubeconfig ? { kubeconfig } : {}),
    ...(context ? { context } : {}),
    ...(namespace ? { namespace: namespace.split(',').map((it) => it.trim()) } : {}),
    ...(elect === undefined ? {} : { leaderElection: elect && (declared.leaderElection || true) }),
    ...(secure === undefined ? {} : { metrics: { ...declared.metrics, secure } }),
    ports: portsFor(declared.ports ?? {}, flags),
  }
}

function portsFor(declared: ManagerPorts, flags: Flags): ManagerPorts {
  return {
    health: portOf(flags['health-probe-bind-address']) ?? declared.health ?? 8081,
    metrics: portOf(flags['metrics-bind-address']) ?? declared.metrics ?? 8443,
    webhook: portOf(flags['webhook-port']) ?? declared.webhook ?? 9443,
    inbound: portOf(flags['inbound-bind-address']) ?? declared.inbound ?? false,
  }
}

/** `:8081`, `0.0.0.0:8081`, `8081`; `0` means off, as in controller-runtime. */
function portOf(address: string | undefined): number | false | undefined {
  if (address === undefined || address === '') return undefined
  if (address === '0' || address === '-1') return false
  const port = Number(address.slice(address.lastIndexOf(':') + 1))
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port
  throw new Error(
    `${JSON.stringify(address)} is no address to listen on; :8081 or 0 (off) was expected`,
  )
}
