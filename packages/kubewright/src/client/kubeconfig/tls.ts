import { readFileSync } from 'node:fs'
import type { Clock } from '../../base/clock.ts'
import { reasonOf } from '../answer.ts'
import { ConfigurationError } from '../exchange.ts'
import type { ClusterEntry, UserEntry } from './kubeconfig.ts'

/** What a TLS connection is made with; certificates and keys are PEM. */
export interface TlsSettings {
  readonly ca?: string
  readonly cert?: string | undefined
  readonly key?: string | undefined
  readonly rejectUnauthorized?: boolean
  readonly servername?: string
}

/** How long files are believed, ms (client-go transport/cert_rotation.go looks as often). */
const AGE = 60_000

/** The TLS settings of a cluster and a user, read again as files are rotated. */
export interface TlsSource {
  /** The settings as they are now; the same object while nothing changed. A rotation that cannot be read yet is tried again later. */
  current(): TlsSettings
  /** Says that the server did not accept them: files are looked at the next time. */
  suspect(): void
}

/** Makes a {@link TlsSource}. Throws a ConfigurationError for what cannot be read now. */
export function tlsSource(
  cluster: ClusterEntry,
  user: UserEntry,
  server: string,
  clock: Clock,
): TlsSource {
  let settings = tlsOf(cluster, user, server)
  let until = clock.now() + AGE
  const renew = (): void => {
    until = clock.now() + AGE
    try {
      const next = tlsOf(cluster, user, server)
      const same =
        next.ca === settings.ca && next.cert === settings.cert && next.key === settings.key
      if (!same) settings = next
    } catch {
      // Half-written, or gone for a moment: what there was is good until the server says otherwise.
    }
  }
  const rotates = [
    fileIn(cluster, 'certificate-authority', 'certificate-authority-data'),
    fileIn(user, 'client-certificate', 'client-certificate-data'),
    fileIn(user, 'client-key', 'client-key-data'),
  ].some((it) => it !== undefined)
  return {
    current() {
      if (rotates && clock.now() >= until) renew()
      return settings
    },
    suspect: () => void (until = 0),
  }
}

function tlsOf(cluster: ClusterEntry, user: UserEntry, server: string): TlsSettings {
  if (!server.startsWith('https:')) return {}
  const ca = material(cluster, 'certificate-authority', 'certificate-authority-data')
  const cert = material(user, 'client-certificate', 'client-certificate-data')
  const key = material(user, 'client-key', 'client-key-data')
  if (Boolean(cert) !== Boolean(key))
    throw new ConfigurationError(
      'the kubeconfig user has a client certificate without a key, or a key without a certificate',
    )
  if (ca && cluster['insecure-skip-tls-verify'])
    throw new ConfigurationError(
      'the kubeconfig cluster has a certificate-authority and insecure-skip-tls-verify: one of them was expected',
    )
  const servername = cluster['tls-server-name']
  return {
    ...(ca ? { ca } : {}),
    ...(cert && key ? { cert, key } : {}),
    ...(cluster['insecure-skip-tls-verify'] ? { rejectUnauthorized: false } : {}),
    ...(servername ? { servername } : {}),
  }
}

/** The path of an entry's file, unless the same stands in the kubeconfig itself. */
function fileIn<T extends object>(entry: T, file: keyof T, data: keyof T): string | undefined {
  const path = entry[file]
  return !entry[data] && typeof path === 'string' && path !== '' ? path : undefined
}

function material<T extends object>(entry: T, file: keyof T, data: keyof T): string | undefined {
  const inline = entry[data]
  if (typeof inline === 'string' && inline !== '') return pem(inline, String(data))
  const path = fileIn(entry, file, data)
  if (path === undefined) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new ConfigurationError(
      `${String(file)} ${path} of the kubeconfig cannot be read: ${reasonOf(cause)}`,
      { cause },
    )
  }
}

function pem(inline: string, name: string): string {
  const text = Buffer.from(inline, 'base64').toString('utf8')
  if (text.includes('-----BEGIN ')) return text
  throw new ConfigurationError(
    `${name} of the kubeconfig is not PEM in base64; for a file, leave -data away and give its path`,
  )
}
