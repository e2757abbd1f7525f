import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiServer } from '../server.ts'
import type { Exchange } from './exchange.ts'
import { health } from './health.ts'
import { healthChecks } from './health-checks.ts'

const ask = (path: string, query: string = ''): Exchange =>
  ({ info: { path }, request: { query: new URLSearchParams(query) } }) as unknown as Exchange

const well = (): undefined => undefined
const WELL = healthChecks({ started: well, storage: well, shutdown: well })

/** Beginning and end of what kube-apiserver v1.36.3 says. */
test('all checks are told in the order and the words of kube-apiserver', () => {
  const lines = String(health(ask('/readyz', 'verbose'), WELL)?.body).split('\n')
  assert.equal(lines.length, 39)
  assert.deepEqual(lines.slice(0, 6), [
    '[+]ping ok',
    '[+]log ok',
    '[+]etcd ok',
    '[+]etcd-readiness ok',
    '[+]informer-sync ok',
    '[+]poststarthook/start-apiserver-admission-initializer ok',
  ])
  assert.deepEqual(lines.slice(-4), [
    '[+]poststarthook/apiservice-openapiv3-controller ok',
    '[+]shutdown ok',
    'readyz check passed',
    '',
  ])
  assert.equal(health(ask('/livez'), WELL)?.body, 'ok')
  assert.equal(health(ask('/livez/etcd'), WELL)?.body, 'ok')
  assert.equal(health(ask('/livez/nope'), WELL)?.status, 404)
  assert.equal(health(ask('/other'), WELL), undefined)
})

test('a check can be left out; one that is not there is told', () => {
  const body = String(
    health(ask('/readyz', 'verbose&exclude=etcd&exclude=foo&exclude=bar'), WELL)?.body,
  )
  assert.ok(body.includes('[+]etcd excluded: ok\n'))
  assert.ok(
    body.endsWith(
      'warn: some health checks cannot be excluded: no matches for "bar","foo"\nreadyz check passed\n',
    ),
  )
})

test('what is wrong fails the whole, and is kept for the log', () => {
  const checks = healthChecks({ started: () => 'not yet', storage: well, shutdown: well })
  const answer = health(ask('/readyz'), checks)
  assert.equal(answer?.status, 500)
  assert.match(String(answer?.body), /^\[-\]informer-sync failed: reason withheld$/m)
  assert.match(String(answer?.body), /^readyz check failed$/m)
  const excluded = 'exclude=etcd&exclude=informer-sync'
  assert.equal(health(ask('/readyz', excluded), checks)?.status, 500)
  assert.equal(
    health(ask('/readyz/informer-sync'), checks)?.body,
    'internal server error: not yet\n',
  )
})

test('a server tells how it is, what it is, and how much it did', async () => {
  await using server = createApiServer({ flags: new Map([['v', '2']]) })
  const text = async (path: string, accept?: string): Promise<string> => {
    const headers: Record<string, string> = accept ? { accept } : {}
    return (await server.fetch(new Request(`http://server${path}`, { headers }))).text()
  }
  await text('/api/v1/namespaces')
  assert.match(await text('/metrics/slis'), /^# HELP process_start_time_seconds .*\n.*\n.* \d/)
  await text('/readyz')
  await text('/readyz/etcd')
  const slis = await text('/metrics/slis')
  assert.match(slis, /^kubernetes_healthcheck\{name="etcd",type="readyz"\} 1$/m)
  const twice = 'kubernetes_healthchecks_total{name="etcd",status="success",type="readyz"} 2'
  assert.ok(slis.split('\n').includes(twice))
  assert.doesNotMatch(slis, /livez/)
  const metrics = await text('/metrics')
  assert.match(
    metrics,
    /^apiserver_request_total\{code="200",component="apiserver",dry_run="",group="",resource="namespaces",scope="cluster",subresource="",verb="LIST",version="v1"\} 1$/m,
  )
  assert.match(
    metrics,
    /^apiserver_flowcontrol_nominal_limit_seats\{priority_level="workload-low"\} 245$/m,
  )
  assert.match(metrics, /^authentication_attempts\{result="success"\} \d+$/m)
  assert.match(metrics, /^authorization_attempts_total\{result="allowed"\} \d+$/m)
  const families = [...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!)
  assert.deepEqual(families, families.toSorted())
  assert.match(await text('/statusz'), /^apiserver statusz$/m)
  assert.match(await text('/flagz'), /^v 2$/m)
  const typed = 'application/json;v=v1alpha1;g=config.k8s.io;as=Statusz'
  assert.equal(JSON.parse(await text('/statusz', typed)).kind, 'Statusz')
  assert.match(
    await text('/statusz', 'application/json'),
    /only the following media types are accepted: application\/json, application\/yaml, text\/plain/,
  )
  assert.match(
    await text('/debug/api_priority_and_fairness/dump_priority_levels'),
    /^PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing/,
  )
})

test('profiles are taken of this process, unless they are turned off', async () => {
  await using server = createApiServer()
  const get = async (path: string): Promise<Response> =>
    server.fetch(new Request(`http://server${path}`))
  assert.equal((await get('/debug/pprof')).headers.get('location'), '/debug/pprof/')
  assert.match(await (await get('/debug/pprof/')).text(), /href="profile"/)
  const cpu = (await (await get('/debug/pprof/profile?seconds=0.01')).json()) as object
  assert.ok('nodes' in cpu && 'timeDeltas' in cpu)
  const heap = (await (await get('/debug/pprof/heap?seconds=0.01')).json()) as object
  assert.ok('head' in heap)
  // As the real one answers for what is no profile.
  const none = await get('/debug/pprof/goroutine')
  assert.deepEqual([none.status, await none.text()], [404, 'Unknown profile\n'])
  await using closed = createApiServer({ profiling: false })
  const answer = await closed.fetch(new Request('http://server/debug/pprof/'))
  assert.equal(answer.status, 404)
})
