import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { ServingCertificate } from './serve.ts'

/** Where a certificate lies. */
export interface CertificateFiles {
  /** Default: `k8s-webhook-server/serving-certs` in the folder for temporary files, where manifests for controller-runtime mount it. */
  readonly folder?: string
  /** Default `tls.crt`. */
  readonly cert?: string
  /** Default `tls.key`. */
  readonly key?: string
}

/** Reads a certificate. Rejects with a sentence that names the file. */
export async function readCertificate(files: CertificateFiles = {}): Promise<ServingCertificate> {
  const folder = files.folder ?? join(tmpdir(), 'k8s-webhook-server', 'serving-certs')
  const read = async (name: string): Promise<string> => {
    const path = join(folder, name)
    try {
      return await readFile(path, 'utf8')
    } catch (cause) {
      throw new Error(
        `the webhook certificate ${path} cannot be read; mount a certificate there, or say where it is (webhook: { certificate: { folder } })`,
        { cause },
      )
    }
  }
  const [cert, key] = await Promise.all([
    read(files.cert ?? 'tls.crt'),
    read(files.key ?? 'tls.key'),
  ])
  return { cert, key }
}

/** How often files are looked at, ms (controller-runtime certwatcher). */
const EVERY = 10_000

/** Tells `onChange` of each new certificate in the files until the signal aborts. */
export async function watchCertificate(
  files: CertificateFiles,
  first: ServingCertificate,
  {
    clock,
    log,
    signal,
  }: { readonly clock: Clock; readonly log: Logger; readonly signal: AbortSignal },
  onChange: (certificate: ServingCertificate) => void,
): Promise<void> {
  let current = first
  while (!signal.aborted) {
    await clock.sleep(EVERY, signal).catch(() => {})
    if (signal.aborted) return
    try {
      const next = await readCertificate(files)
      if (next.cert === current.cert && next.key === current.key) continue
      onChange(next)
      current = next
      log.info('the webhook certificate was renewed')
    } catch (error) {
      // Half-written files: the next look sees them whole.
      log.warn('the webhook certificate could not be renewed', { error })
    }
  }
}
