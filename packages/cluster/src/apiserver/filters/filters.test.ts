import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from 'kubewright/base'
import type { Exchange } from '../endpoints/exchange.ts'
import { requestInfo } from '../endpoints/request-info.ts'
import type { ApiRequest, User } from '../http/message.ts'
import { impersonation } from './impersonation.ts'
import { MetricRegistry } from '../metrics/registry.ts'
import { requestFamilies } from '../metrics/request-families.ts'
import { requestMetrics } from './metrics.ts'

const ADMIN: User = { name: 'admin', groups: ['system:masters'] }

function exchangeOf(path: string, headers: Readonly<Record<string, string>> = {}): Exchange {
  const request: ApiRequest = {
    method: 'GET',
    path,
    query: new URLSearchParams(),
    header: (name) => headers[name],
    headers: () => Object.entries(headers),
    signal: new AbortController().signal,
    peer: { kind: 'local', user: ADMIN },
    body: async () => Buffer.alloc(0),
    stream: async function* () {},
  }
  const info = requestInfo('GET', path, request.query)
  return { request, info, auditId: 'a', user: ADMIN, warnings: [] }
}

test('paths that nobody serves make neither endless series nor odd lines', async () => {
  const registry = new MetricRegistry()
  const filter = requestMetrics(requestFamilies(registry), fakeClock())
  const handle = filter(async () => ({ status: 404, headers: {} }))
  await handle(exchangeOf('/apis/x/v1/a%22%7D%201%0Aevil'))
  for (let i = 0; i < 5_000; i++) await handle(exchangeOf(`/apis/x/v1/thing${i}`))
  const lines = (await registry.text()).split('\n')
  assert.ok(!lines.some((it) => it.includes('evil')))
  const totals = lines.filter((it) => it.startsWith('apiserver_request_total{'))
  assert.ok(totals.length <= 4_097, `${totals.length} series`)
  const counted = totals.reduce((sum, it) => sum + Number(it.slice(it.lastIndexOf(' ') + 1)), 0)
  assert.equal(counted, 5_001)
})

test('extra keys of an impersonated user are read as they are, whatever they are called', async () => {
  let seen: User | undefined
  const filter = impersonation(async () => ({ allowed: true, reason: '' }))
  const handle = filter(async ({ user }) => {
    seen = user
    return { status: 200, headers: {} }
  })
  await handle(
    exchangeOf('/version', {
      'impersonate-user': 'jane',
      'impersonate-extra-__proto__': 'x',
      'impersonate-extra-a%2fb': 'y',
      'impersonate-extra-%zz': 'z',
    }),
  )
  assert.deepEqual(Object.entries(seen?.extra ?? {}), [
    ['__proto__', ['x']],
    ['a/b', ['y']],
    ['%zz', ['z']],
  ])
})
