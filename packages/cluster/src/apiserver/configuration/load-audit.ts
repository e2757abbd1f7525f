import { dirname } from 'node:path'
import type { Clock, Logger } from 'kubewright/base'
import { parseKubeConfig } from 'kubewright/client'
import { LogFile } from '../audit/log-file.ts'
import { type AuditPolicy, policyErrors } from '../audit/policy.ts'
import { type AuditFormat, type AuditSink, lineSink, sinksOf } from '../audit/sink.ts'
import { webhookSink } from '../audit/webhook-sink.ts'
import { remoteOf } from '../http/remote.ts'
import type { ApiServerOptions } from '../server-options.ts'
import { type ExpectedConfig, parseConfig, refuseErrors } from './config-file.ts'
import type { AuditFlags } from './options.ts'
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
    ...(log ? [logSink(log, clock)] : []),
    ...(webhook ? [await remoteSink(webhook.configFile, clock, logger)] : []),
  ]
  return { policy, sink: sinksOf(sinks) }
}

function logSink(log: NonNullable<AuditFlags['log']>, clock: Clock): AuditSink {
  const format = log.format as AuditFormat
  if (log.path === '-') return lineSink((line) => void process.stdout.write(line), format)
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
  return lineSink(file.write, format, file.close)
}

async function remoteSink(file: string, clock: Clock, logger: Logger): Promise<AuditSink> {
  const remote = remoteOf(parseKubeConfig(await textOf(file), dirname(file), file), clock)
  const batch = { maxBatch: 400, buffer: 10_000, maxWait: 30_000 }
  return webhookSink({ remote, ...batch, clock, logger })
}
