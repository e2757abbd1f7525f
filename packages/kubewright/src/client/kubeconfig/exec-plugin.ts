import { execFile } from 'node:child_process'
import { ConfigurationError } from '../exchange.ts'
import { reasonOf } from '../answer.ts'
import type { ClusterEntry, ExecEntry } from './kubeconfig.ts'

/** What a credential program hands out; `expires` is milliseconds since the epoch, absent when it lasts. */
export interface ExecCredential {
  readonly token?: string
  readonly cert?: string
  readonly key?: string
  readonly expires?: number
}

interface ExecCredentialAnswer {
  readonly kind?: string
  readonly status?: {
    readonly token?: string
    readonly clientCertificateData?: string
    readonly clientKeyData?: string
    readonly expirationTimestamp?: string
  }
}

/**
 * Runs the program of a kubeconfig user (KEP-541). Throws a ConfigurationError with its install hint when it is not there, and
 * with what it printed when it fails.
 */
export async function runExecPlugin(
  exec: ExecEntry,
  cluster: ClusterEntry,
): Promise<ExecCredential> {
  if (typeof exec.command !== 'string' || exec.command === '')
    throw new ConfigurationError(
      `the kubeconfig user's exec has the command ${JSON.stringify(exec.command)}; the name of a program was expected`,
    )
  const version = exec.apiVersion ?? 'client.authentication.k8s.io/v1'
  const info = {
    apiVersion: version,
    kind: 'ExecCredential',
    spec: {
      interactive: false,
      ...(exec.provideClusterInfo ? { cluster: clusterInfo(cluster) } : {}),
    },
  }
  const extra = Object.fromEntries((exec.env ?? []).map((it) => [it.name, it.value]))
  const env = { ...process.env, ...extra, KUBERNETES_EXEC_INFO: JSON.stringify(info) }
  const output = await run(exec, env)
  return credentialIn(output, exec.command)
}

function run(exec: ExecEntry, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      exec.command,
      (exec.args ?? []).map(String),
      { env, maxBuffer: 4 << 20, timeout: 60_000 },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout)
        const said = stderr.trim().slice(0, 500)
        const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
        const why = missing ? 'it is not installed' : said || reasonOf(error)
        const hint = exec.installHint ? `; ${exec.installHint.trim()}` : ''
        reject(
          new ConfigurationError(
            `the credential program ${exec.command} of the kubeconfig user failed: ${why}${hint}`,
            { cause: error },
          ),
        )
      },
    )
  })
}

function credentialIn(output: string, command: string): ExecCredential {
  let answer: ExecCredentialAnswer
  try {
    answer = JSON.parse(output) as ExecCredentialAnswer
  } catch (cause) {
    throw new ConfigurationError(`the credential program ${command} did not print JSON`, { cause })
  }
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = answer.status ?? {}
  if (answer.kind !== 'ExecCredential' || !(token || (clientCertificateData && clientKeyData)))
    throw new ConfigurationError(
      `the credential program ${command} printed no ExecCredential with a token, or a certificate and its key`,
    )
  return {
    ...(token ? { token } : {}),
    ...(clientCertificateData && clientKeyData
      ? { cert: clientCertificateData, key: clientKeyData }
      : {}),
    ...(expirationTimestamp ? { expires: Date.parse(expirationTimestamp) } : {}),
  }
}

function clusterInfo(cluster: ClusterEntry): object {
  return {
    server: cluster.server,
    'tls-server-name': cluster['tls-server-name'],
    'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
    'certificate-authority-data': cluster['certificate-authority-data'],
    'proxy-url': cluster['proxy-url'],
  }
}
