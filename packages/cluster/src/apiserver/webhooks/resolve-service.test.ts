import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStorage } from '../storage/memory-storage.ts'
import { endpointsOf } from './resolve-service.ts'

test('a webhook’s service that is not there, or has nobody behind it, is said in Kubernetes’ words', async () => {
  const storage = memoryStorage()
  const resolve = endpointsOf(storage)
  await assert.rejects(resolve('default', 'hook', 443), { message: 'service "hook" not found' })
  const service = {
    metadata: { name: 'hook', namespace: 'default' },
    spec: { ports: [{ name: 'https', port: 443 }] },
  }
  await storage.compareAndSwap('/services/default/hook', 0, service)
  await assert.rejects(resolve('default', 'hook', 443), {
    message: 'no endpoints available for service "hook"',
  })
  const slice = {
    metadata: { name: 'hook-x', labels: { 'kubernetes.io/service-name': 'hook' } },
    endpoints: [{ addresses: ['192.0.2.7'], conditions: { ready: true } }],
    ports: [{ name: 'https', port: 9443 }],
  }
  await storage.compareAndSwap('discovery.k8s.io/endpointslices/default/hook-x', 0, slice)
  assert.deepEqual(await resolve('default', 'hook', 443), { host: '192.0.2.7', port: 9443 })
  await storage.close()
})
