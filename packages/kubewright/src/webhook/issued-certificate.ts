import { X509Certificate } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import type { Client } from '../client/client.ts'
import { kindOf } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import { isAlreadyExists, isConflict } from '../machinery/status.ts'
import { selfSigned } from './self-signed.ts'
import type { ServingCertificate } from './serve.ts'

/** For whom a certificate is issued, and where replicas share it. */
export interface IssuedCertificateOptions {
  /** The Service by which the API server calls the webhooks. */
  readonly service: string
  /** The Service's namespace, and the Secret's. Default: the client's. */
  readonly namespace?: string
  /** The Secret (kubernetes.io/tls, as cert-manager would write it). Default: the service's name and `-webhook-certificate`. */
  readonly secret?: string
  /** Other names by which the webhooks are called: of a host outside of the cluster, by `clientConfig.url`. */
  readonly hosts?: readonly string[]
  /** How long a certificate is good, ms; it is renewed when a third is left. Default 90 days. */
  readonly lifetime?: number
}

/** A certificate, and all that callers must believe: the older ones too, while some replica may still serve with them. */
export interface IssuedCertificate extends ServingCertificate {
  /** PEM: what belongs into a `caBundle`. */
  readonly bundle: string
}

interface Secret extends KubeObject {
  readonly type?: string
  /** base64 */
  readonly data?: Readonly<Record<string, string>>
}

const SECRET = kindOf<Secret>('v1', 'Secret', 'secrets', 'Namespaced')
const LIFETIME = 90 * 86_400_000

/** Where the certificate of some options is kept. */
export const secretOf = (
  { service, secret, namespace }: IssuedCertificateOptions,
  client: Client,
): { readonly name: string; readonly namespace: string } => ({
  name: secret ?? `${service}-webhook-certificate`,
  namespace: namespace ?? client.namespace,
})

/** The names by which webhooks of a Service are called. */
export function hostsOf(options: IssuedCertificateOptions, client: Client): readonly string[] {
  const { service, namespace = client.namespace, hosts = [] } = options
  const name = `${service}.${namespace}.svc`
  return [name, `${name}.cluster.local`, ...hosts]
}

/**
 * The certificate that replicas share: what the Secret has, or a new one when it has none, one for other names, or one that is near its
 * end. `beforeUse` is told of a new bundle before any replica serves with it. Of several replicas that do this at once, one wins.
 */
export async function sharedCertificate(
  client: Client,
  clock: Clock,
  options: IssuedCertificateOptions,
  beforeUse: (bundle: string) => Promise<void>,
): Promise<IssuedCertificate> {
  const key = secretOf(options, client)
  const hosts = hostsOf(options, client)
  const lifetime = options.lifetime ?? LIFETIME
  for (let tries = 0; ; tries++) {
    const found = await client.find(SECRET, key)
    const known = found && certificateIn(found)
    const now = clock.now()
    if (known && covers(known, hosts) && leftOf(known.cert, now) > lifetime / 3) return known
    const fresh = selfSigned(hosts, now, lifetime)
    const believed = known ? stillGood(known.bundle, now) : []
    const next = { ...fresh, bundle: [fresh.cert, ...believed].join('') }
    try {
      if (found) await beforeUse(next.bundle)
      await write(client, key, next, found)
      return next
    } catch (error) {
      // Another replica was first: what it wrote is what all serve.
      if (tries >= 10 || !(isConflict(error) || isAlreadyExists(error))) throw error
    }
  }
}

async function write(
  client: Client,
  key: { readonly name: string; readonly namespace: string },
  { cert, key: privateKey, bundle }: IssuedCertificate,
  found: Secret | undefined,
): Promise<void> {
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  const data = {
    'tls.crt': base64(cert),
    'tls.key': base64(privateKey),
    'ca.crt': base64(bundle),
  }
  if (found) await client.update(SECRET, { ...found, data: { ...found.data, ...data } })
  else await client.create(SECRET, { metadata: key, type: 'kubernetes.io/tls', data })
}

function certificateIn({ data = {} }: Secret): IssuedCertificate | undefined {
  const text = (name: string): string => Buffer.from(data[name] ?? '', 'base64').toString('utf8')
  const [cert, key, bundle] = [text('tls.crt'), text('tls.key'), text('ca.crt')]
  return cert && key ? { cert, key, bundle: bundle || cert } : undefined
}

function covers({ cert }: IssuedCertificate, hosts: readonly string[]): boolean {
  const parsed = parse(cert)
  return parsed !== undefined && hosts.every((it) => parsed.checkHost(it) !== undefined)
}

/** How long a certificate is good yet, ms; negative for what is none. */
const leftOf = (cert: string, now: number): number =>
  (parse(cert)?.validToDate.getTime() ?? -Infinity) - now

function parse(cert: string): X509Certificate | undefined {
  try {
    return new X509Certificate(cert)
  } catch {
    return undefined
  }
}

const stillGood = (bundle: string, now: number): readonly string[] =>
  (bundle.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----\n/g) ?? []).filter(
    (it) => leftOf(it, now) > 0,
  )
