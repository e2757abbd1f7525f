import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { ConfigMap, Pod, Secret, ServiceAccount } from 'kubewright/kinds/core/v1'
import { ResourceClaim, ResourceClaimTemplate } from 'kubewright/kinds/resource.k8s.io/v1'
import { startCluster } from './cluster.ts'
import { here, template } from './objects.fixture.ts'

const cluster = await startCluster()
after(() => cluster.close())
const { client } = cluster

test('a secret for an account is filled with a token that the server knows, and goes with the account', async () => {
  const account = await client.create(ServiceAccount, { metadata: here('robot') })
  await client.create(Secret, {
    metadata: {
      ...here('robot-token'),
      annotations: { 'kubernetes.io/service-account.name': 'robot' },
    },
    type: 'kubernetes.io/service-account-token',
  })
  const secret = await cluster.until(Secret, 'default/robot-token', (it) =>
    Boolean(it.data?.['token']),
  )
  const { annotations = {} } = secret.metadata
  assert.equal(annotations['kubernetes.io/service-account.uid'], account.metadata.uid)
  const text = (name: string): string => Buffer.from(secret.data![name]!, 'base64').toString()
  assert.equal(text('namespace'), 'default')
  const review = await cluster.fetch(
    new Request('http://server/apis/authentication.k8s.io/v1/tokenreviews', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token: text('token') },
      }),
    }),
  )
  const { status } = (await review.json()) as { status: { user: { username: string } } }
  assert.equal(status.user.username, 'system:serviceaccount:default:robot')
  await client.delete(ServiceAccount, here('robot'))
  await cluster.untilGone(Secret, 'default/robot-token')
})

test('a pod gets the resource claims of its templates', async () => {
  const devices = { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com' } }] }
  await client.create(ResourceClaimTemplate, { metadata: here('gpu'), spec: { spec: { devices } } })
  const { spec } = template('user')
  const resourceClaims = [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }]
  await client.create(Pod, { metadata: here('user'), spec: { ...spec!, resourceClaims } })
  const pod = await cluster.until(Pod, 'default/user', (it) =>
    Boolean(it.status?.resourceClaimStatuses?.length),
  )
  const { name, resourceClaimName } = pod.status!.resourceClaimStatuses![0]!
  assert.equal(name, 'gpu')
  const claim = await client.get(ResourceClaim, here(resourceClaimName!))
  assert.match(claim.metadata.name!, /^user-gpu-.{5}$/)
  assert.equal(claim.metadata.annotations?.['resource.kubernetes.io/pod-claim-name'], 'gpu')
  await client.delete(Pod, here('user'))
  await cluster.untilGone(ResourceClaim, `default/${resourceClaimName}`)
})

test('only the controllers that are asked for run', async () => {
  await using small = await startCluster({ controllers: ['garbage-collector', 'namespace'] })
  const owner = await small.client.create(ConfigMap, { metadata: here('owner') })
  const ownerReferences = [
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid! },
  ]
  await small.client.create(ConfigMap, { metadata: { ...here('owned'), ownerReferences } })
  await small.client.create(Pod, { metadata: here('still'), spec: template('still').spec! })
  await small.client.delete(ConfigMap, here('owner'))
  await small.untilGone(ConfigMap, 'default/owned')
  const accounts = await small.client.list(ServiceAccount, { namespace: 'default' })
  assert.equal(accounts.items.length, 0)
  assert.equal((await small.client.get(Pod, here('still'))).spec.nodeName, undefined)
  await assert.rejects(startCluster({ controllers: ['deployments'] }), /names no controller/)
})
