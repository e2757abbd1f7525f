import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import {
  clientCertificate,
  makeTls,
} from '../../packages/cluster/src/apiserver/http/certificates.ts'

/** A token that every control plane of these suites takes for its administrator's: upstream's kubectl tests come with it. */
export const ADMIN_TOKEN = 'admin-token'

/** Who works in a control plane, by token: `name`, `uid` and groups. */
export interface Tokens {
  readonly admin: string
  readonly controllerManager: string
  readonly scheduler: string
}

/**
 * Writes what a control plane proves itself with into a folder: an authority (`ca.crt`, `ca.key`), a serving pair (`apiserver.*`), the
 * front proxy's pair, the key of service-account tokens (`sa.*`) and `tokens.csv`. Answers with the tokens.
 */
export async function writeIdentities(folder: string): Promise<Tokens> {
  const now = Date.now()
  const tls = await makeTls('127.0.0.1', now)
  const authority = { certificate: tls.authority, key: tls.authorityKey }
  const proxy = await clientCertificate(authority, { name: 'front-proxy', groups: [] }, now)
  const admin = { name: 'kubernetes-admin', groups: ['system:masters'] }
  const person = await clientCertificate(authority, admin, now)
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const tokens = { admin: token(), controllerManager: token(), scheduler: token() }
  const files: Readonly<Record<string, string>> = {
    'ca.crt': tls.authority,
    'ca.key': tls.authorityKey,
    'apiserver.crt': tls.certificate,
    'apiserver.key': tls.key,
    'front-proxy.crt': proxy.certificate,
    'front-proxy.key': proxy.key,
    'admin.crt': person.certificate,
    'admin.key': person.key,
    'sa.key': privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    'sa.pub': publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    'tokens.csv': [
      `${tokens.admin},kubernetes-admin,,"system:masters"`,
      `${ADMIN_TOKEN},kubernetes-admin,,"system:masters"`,
      `${tokens.controllerManager},system:kube-controller-manager,kcm`,
      `${tokens.scheduler},system:kube-scheduler,scheduler`,
      '',
    ].join('\n'),
  }
  for (const [name, text] of Object.entries(files))
    await writeFile(path.join(folder, name), text, { mode: 0o600 })
  return tokens
}

const token = (): string => randomBytes(16).toString('hex')

/** The text of a kubeconfig (JSON is YAML) for a server, its authority in PEM, and a bearer token. */
export const kubeconfigText = (server: string, authority: string, bearer: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'suite',
        cluster: {
          server,
          'certificate-authority-data': Buffer.from(authority).toString('base64'),
        },
      },
    ],
    users: [{ name: 'suite', user: { token: bearer } }],
    contexts: [{ name: 'suite', context: { cluster: 'suite', user: 'suite' } }],
    'current-context': 'suite',
  })
