import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from 'kubewright/base'
import { makeTls } from '../http/certificates.ts'
import type { TlsMaterial } from '../http/listener.ts'
import type { AuthenticationFlags, ServingConfiguration } from './options.ts'
import { textOf } from './read-file.ts'

/** The certificate that flags name; or the one of the certificate folder, made where there is none (SecureServingOptions). */
export async function loadTls(
  { certificateFile, keyFile, certificateFolder, bindAddress }: ServingConfiguration,
  { clientCaFile, requestHeader }: AuthenticationFlags,
  clock: Clock,
): Promise<TlsMaterial> {
  const certificatePath = certificateFile ?? join(certificateFolder, 'apiserver.crt')
  const keyPath = keyFile ?? join(certificateFolder, 'apiserver.key')
  if (certificateFile === undefined && !(existsSync(certificatePath) && existsSync(keyPath)))
    await makeCertificate(certificateFolder, bindAddress, clock.now())
  const certificate = await textOf(certificatePath)
  const authorities = [clientCaFile, requestHeader?.caFile].filter((it) => it !== undefined)
  return {
    certificate,
    key: await textOf(keyPath),
    authority: certificate,
    clientAuthority: (await Promise.all(authorities.map(textOf))).join('\n'),
  }
}

async function makeCertificate(folder: string, host: string, now: number): Promise<void> {
  const made = await makeTls(host, now)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'apiserver.crt'), `${made.certificate}\n${made.authority}\n`)
  await writeFile(join(folder, 'apiserver.key'), made.key, { mode: 0o600 })
}
