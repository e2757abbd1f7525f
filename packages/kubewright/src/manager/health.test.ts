import assert from 'node:assert/strict'
import { test } from 'node:test'
import { healthHandler } from './health.ts'

const handler = healthHandler({
  healthz: { ping: () => {} },
  readyz: {
    ping: () => {},
    caches: () => {
      throw new Error('pods is not listed yet')
    },
  },
})

async function ask(path: string): Promise<readonly [status: number, text: string]> {
  const response = await handler(new Request(`http://localhost${path}`))
  return [response.status, await response.text()]
}

test('health is ok, or says what is not', async () => {
  assert.deepEqual(await ask('/healthz'), [200, 'ok'])
  assert.deepEqual(await ask('/readyz/ping'), [200, 'ok'])
  const failed = '[+]ping ok\n[-]caches failed: pods is not listed yet\nreadyz check failed\n'
  assert.deepEqual(await ask('/readyz'), [500, failed])
  assert.deepEqual(await ask('/readyz?exclude=caches'), [200, 'ok'])
  assert.deepEqual(await ask('/healthz?verbose'), [200, '[+]ping ok\nhealthz check passed\n'])
})

test('a check that nobody declared is not found, whatever objects inherit', async () => {
  for (const path of ['/', '/livez', '/healthz/none', '/healthz/constructor', '/readyz/__proto__'])
    assert.equal((await ask(path))[0], 404, path)
})
