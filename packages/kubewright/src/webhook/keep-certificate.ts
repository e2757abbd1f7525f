import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Client } from '../client/client.ts'
import { injectBundle } from './inject-bundle.ts'
import {
  hostsOf,
  sharedCertificate,
  type IssuedCertificate,
  type IssuedCertificateOptions,
} from './issued-certificate.ts'
import type { ServingCertificate } from './serve.ts'

/** What keeps a certificate works with. */
export interface CertificateKeeperParts {
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  readonly signal: AbortSignal
}

/** Who writes bundles. */
const OWNER = 'kubewright-certificates'
/** How often it is looked whether the certificate must be renewed, and whether a configuration lacks its bundle, ms. */
const EVERY = 30_000

/**
 * Issues the certificate that the replicas of an operator share, has the API server believe it, and keeps both so until the signal
 * aborts: it is renewed before it ends, and configurations that come later get the bundle too. Answers with the first one; later ones go
 * to `onChange`. A certificate that is already there is served even when configurations cannot be written yet.
 */
export async function keepCertificate(
  parts: CertificateKeeperParts,
  options: IssuedCertificateOptions,
  onChange: (certificate: ServingCertificate) => void,
): Promise<ServingCertificate> {
  const first = await look(parts, options)
  void keepOn(parts, options, first, onChange)
  return first
}

async function keepOn(
  parts: CertificateKeeperParts,
  options: IssuedCertificateOptions,
  first: IssuedCertificate,
  onChange: (certificate: ServingCertificate) => void,
): Promise<void> {
  const { clock, log, signal } = parts
  let current = first
  while (!signal.aborted) {
    await clock.sleep(EVERY, signal).catch(() => {})
    if (signal.aborted) return
    try {
      const next = await look(parts, options)
      if (next.cert === current.cert) continue
      onChange(next)
      current = next
      log.info('the webhook certificate was renewed')
    } catch (error) {
      if (!signal.aborted) log.warn('the webhook certificate could not be looked after', { error })
    }
  }
}

async function look(
  { client, clock, log }: CertificateKeeperParts,
  options: IssuedCertificateOptions,
): Promise<IssuedCertificate> {
  const { service, namespace = client.namespace } = options
  const called = { service: { name: service, namespace }, hosts: hostsOf(options, client) }
  const inject = async (bundle: string): Promise<void> => {
    const changed = await injectBundle(client, called, bundle, OWNER)
    if (changed.length > 0) log.info('webhooks were told whom to believe', { changed })
  }
  const certificate = await sharedCertificate(client, clock, options, inject)
  await inject(certificate.bundle).catch((error: unknown) =>
    log.warn(
      'the webhook configurations could not be told whom to believe: list and patch of webhook configurations and definitions are needed',
      { error },
    ),
  )
  return certificate
}
