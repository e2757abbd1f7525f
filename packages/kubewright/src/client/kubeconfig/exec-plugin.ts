import { spawn } from 'node:child_process'
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
  readonly apiVersion?: string
  readonly status?: {
    readonly token?: string
    readonly clientCertificateData?: string
    readonly clientKeyData?: string
    readonly expirationTimestamp?: string
  }
}

/** The versions of the protocol that are spoken; v1alpha1 went with Kubernetes 1.24. */
const VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']

/**
 * Runs the program of a kubeconfig user (KEP-541). Throws a ConfigurationError with its install hint when it is not there, with what it
 * printed when it fails, and for an entry that kubectl would not take either.
 */
export async function runExecPlugin(
  exec: ExecEntry,
  cluster: ClusterEntry,
): Promise<ExecCredential> {
  const interactive = checkEntry(exec)
  const info = {
    apiVersion: exec.apiVersion,
    kind: 'ExecCredential',
    spec: {
      interactive,
      ...(exec.provideClusterInfo ? { cluster: clusterInfo(cluster) } : {}),
    },
  }
  const extra = Object.fromEntries((exec.env ?? []).map((it) => [it.name, it.value]))
  const env = { ...process.env, ...extra, KUBERNETES_EXEC_INFO: JSON.stringify(info) }
  const output = await run(exec, env, interactive)
  return credentialIn(output, exec)
}

/** Whether the program may ask the person at the terminal. Throws a ConfigurationError for an entry that cannot be run. */
function checkEntry(exec: ExecEntry): boolean {
  const { command, apiVersion, interactiveMode } = exec
  if (typeof command !== 'string' || command === '')
    throw new ConfigurationError(
      `the kubeconfig user's exec has the command ${JSON.stringify(command)}; the name of a program was expected`,
    )
  if (!VERSIONS.includes(apiVersion ?? ''))
    throw new ConfigurationError(
      `the kubeconfig user's exec ${command} has the apiVersion ${JSON.stringify(apiVersion ?? '')}; ${VERSIONS.join(' or ')} was expected`,
    )
  if (apiVersion === VERSIONS[0] && !interactiveMode)
    throw new ConfigurationError(
      `the kubeconfig user's exec ${command} has no interactiveMode, which v1 demands; Never, IfAvailable or Always was expected`,
    )
  if (interactiveMode && !['Never', 'IfAvailable', 'Always'].includes(interactiveMode))
    throw new ConfigurationError(
      `the kubeconfig user's exec ${command} has the interactiveMode ${interactiveMode}; Never, IfAvailable or Always was expected`,
    )
  const terminal = process.stdin.isTTY === true
  if (interactiveMode === 'Always' && !terminal)
    throw new ConfigurationError(
      `the credential program ${command} has to ask somebody (interactiveMode Always), and standard input is no terminal; run this at a terminal, or use a user for programs`,
    )
  return terminal && interactiveMode !== 'Never'
}

/** How long a program that asks nobody may take, ms. */
const LIMIT = 60_000

function run(exec: ExecEntry, env: NodeJS.ProcessEnv, interactive: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(exec.command, (exec.args ?? []).map(String), {
      env,
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', interactive ? 'inherit' : 'pipe'],
      ...(interactive ? {} : { timeout: LIMIT }),
    })
    const said = { stdout: '', stderr: '' }
    child.stdout?.setEncoding('utf8').on('data', (text: string) => void (said.stdout += text))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => void (said.stderr += text))
    const fail = (why: string, cause?: Error): void => {
      const hint = exec.installHint ? `; ${exec.installHint.trim()}` : ''
      reject(
        new ConfigurationError(
          `the credential program ${exec.command} of the kubeconfig user failed: ${why}${hint}`,
          { cause },
        ),
      )
    }
    child.once('error', (error: NodeJS.ErrnoException) =>
      fail(error.code === 'ENOENT' ? 'it is not installed' : reasonOf(error), error),
    )
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(said.stdout)
      const how = signal ? `it was ended by ${signal}` : `it ended with code ${code}`
      fail(said.stderr.trim().slice(0, 500) || how)
    })
  })
}

function credentialIn(output: string, { command, apiVersion }: ExecEntry): ExecCredential {
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
  if (answer.apiVersion !== apiVersion)
    throw new ConfigurationError(
      `the credential program ${command} answered in ${answer.apiVersion ?? 'no apiVersion'}; ${apiVersion} was asked for`,
    )
  const expires = expirationTimestamp ? Date.parse(expirationTimestamp) : undefined
  if (Number.isNaN(expires))
    throw new ConfigurationError(
      `the credential program ${command} printed the expirationTimestamp ${expirationTimestamp}, which is no time (RFC 3339)`,
    )
  return {
    ...(token ? { token } : {}),
    ...(clientCertificateData && clientKeyData
      ? { cert: clientCertificateData, key: clientKeyData }
      : {}),
    ...(expires === undefined ? {} : { expires }),
  }
}

function clusterInfo(cluster: ClusterEntry): object {
  return {
    server: cluster.server,
    'tls-server-name': cluster['tls-server-name'],
    'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
    'certificate-authority-data': cluster['certificate-authority-data'],
    'proxy-url': cluster['proxy-url'],
    config: cluster.extensions?.find((it) => it.name === 'client.authentication.k8s.io/exec')
      ?.extension,
  }
}
