import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { createApiServer } from '@kubewright/cluster/apiserver'
import { fakeClock, silentLogger, type FakeClock } from 'kubewright/base'
import { createClient, type Client } from 'kubewright/client'
import { kind, s } from 'kubewright'
import { MutatingWebhookConfiguration } from 'kubewright/kinds/admissionregistration.k8s.io/v1'
import { CustomResourceDefinition } from 'kubewright/kinds/apiextensions.k8s.io/v1'
import { Secret } from 'kubewright/kinds/core/v1'
import { keepCertificate } from 'kubewright/webhook'

const LIFETIME = 30 * 60_000

const Thing = kind('example.com/v1', 'Thing', { spec: { size: s.integer() } })

interface World {
  readonly client: Client
  readonly clock: FakeClock
  /** Starts a replica; answers with the certificates that it has served with so far. */
  replica(): Promise<string[]>
  bundleOf(name: string): Promise<readonly string[]>
}

async function world(t: TestContext): Promise<World> {
  const clock = fakeClock()
  const server = createApiServer({ clock })
  t.after(() => server.close())
  const client = createClient({ transport: (request) => server.fetch(request), clock })
  const service = { name: 'hooks', namespace: 'default' }
  const webhook = (name: string, to: object) => ({
    name,
    clientConfig: to,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None' as const,
    rules: [
      {
        apiGroups: ['example.com'],
        apiVersions: ['v1'],
        resources: ['things'],
        operations: ['CREATE' as const],
      },
    ],
  })
  await client.create(MutatingWebhookConfiguration, {
    metadata: { name: 'ours' },
    webhooks: [
      webhook('a.example.com', { service: { ...service, path: '/a' } }),
      webhook('b.example.com', { service: { name: 'another', namespace: 'default' } }),
    ],
  })
  const crd = Thing.crd()
  await client.create(CustomResourceDefinition, {
    ...crd,
    spec: {
      ...crd.spec,
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { service: { ...service, path: '/convert' } },
        },
      },
    },
  } as never)
  const stopping = new AbortController()
  t.after(() => stopping.abort())
  return {
    client,
    clock,
    async replica() {
      const served: string[] = []
      const parts = { client, clock, log: silentLogger, signal: stopping.signal }
      const options = { service: 'hooks', lifetime: LIFETIME }
      const first = await keepCertificate(parts, options, (it) => served.push(it.cert))
      served.unshift(first.cert)
      return served
    },
    async bundleOf(name) {
      const { webhooks } = await client.get(MutatingWebhookConfiguration, name)
      const text = Buffer.from(webhooks?.[0]?.clientConfig.caBundle ?? '', 'base64').toString()
      return text.match(/-----BEGIN[\s\S]+?-----END CERTIFICATE-----\n/g) ?? []
    },
  }
}

test('replicas share one certificate, and whoever calls them is told to believe it', async (t) => {
  const { client, replica, bundleOf } = await world(t)
  const [one, two] = await Promise.all([replica(), replica()])
  assert.deepEqual(one, two)
  const parsed = new X509Certificate(one[0]!)
  assert.ok(parsed.checkHost('hooks.default.svc'))
  assert.deepEqual(await bundleOf('ours'), one)
  const secret = await client.get(Secret, 'hooks-webhook-certificate')
  assert.equal(secret.type, 'kubernetes.io/tls')
  assert.equal(Buffer.from(secret.data!['tls.crt']!, 'base64').toString(), one[0])
  const { webhooks } = await client.get(MutatingWebhookConfiguration, 'ours')
  assert.equal(webhooks?.[1]?.clientConfig.caBundle, undefined)
  assert.equal(webhooks?.[0]?.clientConfig.service?.path, '/a')
  const { spec } = await client.get(CustomResourceDefinition, 'things.example.com')
  assert.deepEqual(spec.conversion?.webhook?.clientConfig?.caBundle, secret.data!['ca.crt'])
})

test('a certificate is renewed by one replica before it ends, and the old one is believed until it has', async (t) => {
  const { clock, replica, bundleOf } = await world(t)
  const served = [await replica(), await replica()]
  await turn(clock, (LIFETIME * 2) / 3 - 120_000)
  assert.deepEqual(
    served.map((it) => it.length),
    [1, 1],
  )
  await turn(clock, 240_000)
  assert.deepEqual(
    served.map((it) => it.length),
    [2, 2],
  )
  assert.deepEqual(served[0], served[1])
  assert.deepEqual(await bundleOf('ours'), served[0]!.toReversed())
})

test('a configuration that comes later is told too, one that others changed again', async (t) => {
  const { client, clock, replica, bundleOf } = await world(t)
  const served = await replica()
  await client.patch(MutatingWebhookConfiguration, 'ours', {
    type: 'json',
    body: [{ op: 'remove', path: '/webhooks/0/clientConfig/caBundle' }],
  })
  const { metadata: _, ...ours } = await client.get(MutatingWebhookConfiguration, 'ours')
  await client.create(MutatingWebhookConfiguration, {
    metadata: { name: 'later' },
    webhooks: ours.webhooks!.slice(0, 1).map((it) => ({
      ...it,
      clientConfig: { service: it.clientConfig.service! },
    })),
  })
  assert.deepEqual(await bundleOf('later'), [])
  await turn(clock, 60_000)
  assert.deepEqual(await bundleOf('later'), served)
  assert.deepEqual(await bundleOf('ours'), served)
})

/** Lets a clock go on, half a minute at a time, and what fell due come to its end each time. */
async function turn(clock: FakeClock, ms: number): Promise<void> {
  for (let gone = 0; gone < ms; gone += 30_000) {
    await clock.advance(30_000)
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve))
  }
}
