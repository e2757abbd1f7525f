import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createApiServer } from '@kubewright/cluster/apiserver'
import { createClient, createOrUpdate, metadataOf, type Client } from 'kubewright/client'
import { isConflict, isNotFound, kindOf, type KubeObject } from 'kubewright/machinery'
import { Deployment } from 'kubewright/kinds/apps/v1'
import type { Scale } from 'kubewright/kinds/autoscaling/v1'
import { CertificateSigningRequest } from 'kubewright/kinds/certificates.k8s.io/v1'
import { ConfigMap, Namespace, Node, Pod, ServiceAccount } from 'kubewright/kinds/core/v1'
import type { TokenRequest } from 'kubewright/kinds/authentication.k8s.io/v1'

function clientOf(t: TestContext): Client {
  const server = createApiServer({})
  t.after(() => server.close())
  return createClient({ transport: (request) => server.fetch(request) })
}

const container = { name: 'c', image: 'nginx' }
const Eviction = kindOf<KubeObject>('policy/v1', 'Eviction', 'evictions', 'Namespaced')
const ScaleKind = kindOf<Scale>('autoscaling/v1', 'Scale', 'scales', 'Namespaced')
const TokenRequestKind = kindOf<TokenRequest>(
  'authentication.k8s.io/v1',
  'TokenRequest',
  'tokenrequests',
  'Cluster',
)
const Binding = kindOf<KubeObject & { readonly target: { readonly name: string } }>(
  'v1',
  'Binding',
  'bindings',
  'Namespaced',
)

test('every subresource of a pod can be written', async (t) => {
  const client = clientOf(t)
  await client.create(ServiceAccount, { metadata: { name: 'default' } })
  const room = { cpu: '1', memory: '1Gi', pods: '10' }
  await client.create(Node, {
    metadata: { name: 'n' },
    status: { allocatable: room, capacity: room },
  })
  const pod = await client.create(Pod, {
    metadata: { name: 'a' },
    spec: { containers: [{ ...container, resources: { requests: { cpu: '100m' } } }] },
  })
  await client
    .subresource(Pod, 'a', 'binding', Binding)
    .create({ metadata: { name: 'a' }, target: { name: 'n' } })
  const bound = await client.get(Pod, 'a')
  assert.equal(bound.spec?.nodeName, 'n')
  const status = await client.patch(
    Pod,
    'a',
    { type: 'merge', body: { status: { phase: 'Running' } } },
    { subresource: 'status' },
  )
  assert.equal(status.status?.phase, 'Running')
  const debugged = await client.patch(
    Pod,
    'a',
    {
      type: 'strategic',
      body: { spec: { ephemeralContainers: [{ name: 'debug', image: 'busybox' }] } },
    },
    { subresource: 'ephemeralcontainers' },
  )
  assert.equal(debugged.spec?.ephemeralContainers?.[0]?.name, 'debug')
  const resized = await client.patch(
    Pod,
    'a',
    {
      type: 'strategic',
      body: { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '200m' } } }] } },
    },
    { subresource: 'resize' },
  )
  assert.equal(resized.spec?.containers[0]?.resources?.requests?.['cpu'], '200m')
  await client.subresource(Pod, 'a', 'eviction', Eviction).create({ metadata: { name: 'a' } })
  assert.ok((await client.find(Pod, 'a'))?.metadata.deletionTimestamp)
  assert.equal(pod.metadata.deletionTimestamp, undefined)
})

test('scale is read, written and applied through its own kind', async (t) => {
  const client = clientOf(t)
  const labels = { app: 'web' }
  await client.create(Deployment, {
    metadata: { name: 'web' },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  })
  const scale = client.subresource(Deployment, 'web', 'scale', ScaleKind)
  const read = await scale.get()
  assert.deepEqual([read.kind, read.spec?.replicas], ['Scale', 1])
  await scale.update({ ...read, spec: { replicas: 3 } })
  await scale.patch({ type: 'merge', body: { spec: { replicas: 4 } } })
  const applied = await scale.apply(
    { metadata: { name: 'web' }, spec: { replicas: 5 } },
    { fieldOwner: 'scaler', force: true },
  )
  assert.equal(applied.spec?.replicas, 5)
  assert.equal((await client.get(Deployment, 'web')).spec?.replicas, 5)
})

test('tokens, approvals and the end of a namespace', async (t) => {
  const client = clientOf(t)
  await client.create(ServiceAccount, { metadata: { name: 'me' } })
  const token = await client
    .subresource(ServiceAccount, 'me', 'token', TokenRequestKind)
    .create({ spec: { audiences: ['a'], expirationSeconds: 600 } })
  assert.match(token.status?.token ?? '', /^ey/)
  const request = await client.create(CertificateSigningRequest, {
    metadata: { name: 'csr' },
    spec: {
      request: Buffer.from(CSR).toString('base64'),
      signerName: 'example.com/signer',
      usages: ['client auth'],
    },
  })
  const conditions = [{ type: 'Approved', status: 'True' as const, reason: 'Test' }]
  const approved = await client.update(
    CertificateSigningRequest,
    { ...request, status: { conditions } },
    { subresource: 'approval' },
  )
  assert.equal(approved.status?.conditions?.[0]?.type, 'Approved')
  await client.create(Namespace, { metadata: { name: 'old' } })
  await client.delete(Namespace, 'old')
  const ending = await client.get(Namespace, 'old')
  await client.update(
    Namespace,
    { ...ending, spec: { finalizers: [] } },
    { subresource: 'finalize' },
  )
  assert.equal(await client.find(Namespace, 'old'), undefined)
})

const CSR = `-----BEGIN CERTIFICATE REQUEST-----
MIHNMHUCAQAwEzERMA8GA1UEAwwIc29tZWJvZHkwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATJ39uU9X+2x9m3P/8kO18zNl0sBUWNLRBvUx4HyFswr2DKWdKTFoPZ
ZjOPM6oZ5T1xqLBu06x2J244jAqePhIfoAAwCgYIKoZIzj0EAwIDSAAwRQIgBIaz
dFXahpX7QJrfvs1VltDsow3LjWHa6TBVKpQ8JX4CIQDzDA8e2aLKMkDkibaUgCsX
XSM0OpTJzNTDgA/02NrBhA==
-----END CERTIFICATE REQUEST-----
`

test('an object is made or changed, and nothing is sent when it is as it should be', async (t) => {
  const client = clientOf(t)
  let writes = 0
  const counting = client.with({ onWrite: () => void writes++ })
  const settle = (value: string, by: 'update' | 'patch') =>
    createOrUpdate(counting, ConfigMap, 'a', (current) => ({ data: { ...current?.data, value } }), {
      by,
    })
  assert.equal((await settle('1', 'update')).did, 'created')
  assert.equal((await settle('1', 'update')).did, 'nothing')
  assert.equal((await settle('2', 'update')).did, 'updated')
  assert.equal((await settle('3', 'patch')).object.data?.['value'], '3')
  assert.equal((await settle('3', 'patch')).did, 'nothing')
  assert.equal(writes, 3)
})

test('who loses a race reads again and changes again', async (t) => {
  const client = clientOf(t)
  const add = (by: 'update' | 'patch') => (name: string) =>
    createOrUpdate(
      client,
      ConfigMap,
      'counter',
      (current) => ({ data: { ...current?.data, [name]: '1' } }),
      { by, tries: 50 },
    )
  await Promise.all([...['a', 'b', 'c'].map(add('update')), ...['d', 'e', 'f'].map(add('patch'))])
  const { data } = await client.get(ConfigMap, 'counter')
  assert.deepEqual(Object.keys(data ?? {}).sort(), ['a', 'b', 'c', 'd', 'e', 'f'])
  // A conflict that does not pass is told in the end.
  await assert.rejects(
    createOrUpdate(
      client,
      ConfigMap,
      'counter',
      async (current) => {
        await client.apply(
          ConfigMap,
          { metadata: { name: 'counter' }, data: { other: String(Math.random()) } },
          { force: true },
        )
        return { data: { ...current?.data, mine: '1' } }
      },
      { tries: 2 },
    ),
    isConflict,
  )
})

test('metadata alone is read, listed, patched and deleted', async (t) => {
  const client = clientOf(t)
  const meta = metadataOf(ConfigMap)
  await client.create(ConfigMap, { metadata: { name: 'a' }, data: { k: 'v' } })
  assert.deepEqual(Object.keys(await client.get(meta, 'a')).sort(), [
    'apiVersion',
    'kind',
    'metadata',
  ])
  const patched = await client.patch(meta, 'a', {
    type: 'merge',
    body: { metadata: { labels: { a: 'b' } } },
  })
  assert.deepEqual([patched.kind, patched.metadata.labels], ['PartialObjectMetadata', { a: 'b' }])
  assert.equal((await client.list(meta, { labelSelector: 'a=b' })).items.length, 1)
  await client.delete(meta, 'a')
  await assert.rejects(client.get(meta, 'a'), isNotFound)
})
