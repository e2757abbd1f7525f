import { dirname } from 'node:path'
import type { Clock, Logger } from 'kubewright/base'
import { parseKubeConfig } from 'kubewright/client'
import { batched } from '../audit/batch.ts'
import { LogFile } from '../audit/log-file.ts'
import { type AuditPolicy, policyErrors } from '../audit/policy.ts'
import {
  type AuditBackend,
  type AuditFormat,
  type AuditSink,
  blocking,
  lineBackend,
  sinksOf,
} from '../audit/sink.ts'
import { truncated } from '../audit/truncate.ts'
import { webhookBackend } from '../audit/webhook-backend.ts'
import { remoteOf } from '../http/remote.ts'
import type { ApiServerOptions } from '../server-options.ts'
import { type ExpectedConfig, parseConfig, refuseErrors } from './config-file.ts'
import type { AuditBackendFlags, AuditFlags } from './options.ts'
import { parsed, textOf } from './read-file.ts'

const EXPECTED = {
  group: 'audit.k8s.io',
  versions: ['v1'],
  kind: 'Policy',
  shape: {
    metadata: true,
    omitStages: true,
    omitManagedFields: true,
    rules: [
      {
        level: true,
        users: true,
        userGroups: true,
        verbs: true,
        resources: [{ group: true, resources: true, resourceNames: true }],
        namespaces: true,
        nonResourceURLs: true,
        omitStages: true,
        omitManagedFields: true,
      },
    ],
  },
} as const satisfies ExpectedConfig

const MEGABYTE = 1024 * 1024
const DAY = 86_400_000

/** What flags say is to be written down; undefined where there is no policy or nowhere to write. */
export async function loadAudit(
  { policyFile, log, webhook }: AuditFlags,
  clock: Clock,
  logger: Logger,
): Promise<ApiServerOptions['audit']> {
  if (policyFile === undefined || !(log || webhook)) return undefined
  const policy = await parsed(
    policyFile,
    (text) => {
      const read = parseConfig<AuditPolicy>(text, EXPECTED)
      if (!read.rules?.length) throw new Error('loaded illegal policy with 0 rules')
      return read
    },
    'loading audit policy file',
  )
  refuseErrors(policyErrors(policy), 'loading audit policy file: ', `: from file ${policyFile}`)
  const sinks = [
    ...(log ? [sinkOf(logBackend(log, clock, logger), log, clock, logger)] : []),
    ...(webhook
      ? [sinkOf(await remoteBackend(webhook, clock, logger), webhook, clock, logger)]
      : []),
  ]
  return { policy, sink: sinksOf(sinks) }
}

/** A backend behind what flags put in front of it. */
function sinkOf(
  backend: AuditBackend,
  { mode, batch, truncate }: AuditBackendFlags,
  clock: Clock,
  logger: Logger,
): AuditSink {
  const dropped = (events: number): void => logger.error('audit events are dropped', { events })
  const whole = truncate ? truncated(backend, { ...truncate, dropped }) : backend
  if (mode !== 'batch') return blocking(whole, mode === 'blocking-strict')
  const { maxWaitMilliseconds: maxWait, ...rest } = batch
  return batched(whole, { ...rest, maxWait, clock, dropped })
}

function logBackend(
  log: NonNullable<AuditFlags['log']>,
  clock: Clock,
  logger: Logger,
): AuditBackend {
  const format = log.format as AuditFormat
  const failed = ({ message }: Error, events: number): void =>
    logger.error('audit events could not be written', { events, error: message })
  if (log.path === '-')
    return lineBackend((line) => void process.stdout.write(line), format, failed)
  const file = new LogFile(
    log.path,
    {
      maxBytes: log.maxSizeMegabytes * MEGABYTE,
      maxBackups: log.maxBackups,
      maxAge: log.maxAgeDays * DAY,
      compress: log.compress,
    },
    clock,
  )
  return lineBackend(file.write, format, failed, file.close)
}

async function remoteBackend(
  { configFile: file, initialBackoffMilliseconds }: NonNullable<AuditFlags['webhook']>,
  clock: Clock,
  logger: Logger,
): Promise<AuditBackend> {
  const remote = remoteOf(parseKubeConfig(await textOf(file), dirname(file), file), clock)
  return webhookBackend({ remote, initialBackoff: initialBackoffMilliseconds, clock, logger })
}
