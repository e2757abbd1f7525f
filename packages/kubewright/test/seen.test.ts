import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manager } from 'kubewright'
import { openTelemetry, type OpenTelemetryApi } from 'kubewright/manager'
import * as api from '@opentelemetry/api'
import { ConfigMap, Secret } from 'kubewright/kinds/core/v1'
import { AsyncLocalStorage } from 'node:async_hooks'
import { ClusterRole, ClusterRoleBinding } from 'kubewright/kinds/rbac.authorization.k8s.io/v1'
import { thing, Thing, world } from './world.ts'

interface Told {
  readonly name: string
  readonly parent: string | undefined
  readonly attributes: Record<string, unknown>
  readonly events: string[]
  error?: string
}

/** An SDK of the smallest kind: it keeps every span, and the active context over promises. */
function recorder(): { readonly spans: Told[]; readonly api: OpenTelemetryApi } {
  const spans: Told[] = []
  const active = new AsyncLocalStorage<api.Context>()
  const tracer = {
    startSpan(
      name: string,
      options: { attributes?: Record<string, unknown> } = {},
      context: api.Context = api.ROOT_CONTEXT,
    ) {
      const parent = api.trace.getSpan(context) as unknown as { told: Told } | undefined
      const told: Told = {
        name,
        parent: parent?.told.name,
        attributes: { ...options.attributes },
        events: [],
      }
      spans.push(told)
      return {
        told,
        setAttribute: (key: string, value: unknown) => (told.attributes[key] = value),
        addEvent: (_: string, attributes: Record<string, string> = {}) =>
          told.events.push(...Object.values(attributes)),
        setStatus: () => {},
        recordException: (error: Error) => (told.error = error.message),
        end: () => {},
      }
    },
  }
  return {
    spans,
    api: {
      trace: {
        getTracer: () => tracer,
        setSpan: (context, span) => api.trace.setSpan(context as api.Context, span as api.Span),
      },
      context: {
        active: () => active.getStore() ?? api.ROOT_CONTEXT,
        with: (context, call) => active.run(context as api.Context, call),
      },
      propagation: {
        inject: (context, headers, setter) => {
          const span = api.trace.getSpan(context as api.Context) as unknown as { told: Told }
          setter.set(headers, 'traceparent', `of ${span.told.name}`)
        },
      },
    },
  }
}

test('a run is traced from the queue to each API call, and the trace goes on to the server', async (t) => {
  const headers: (string | null)[] = []
  const { client, journal, options, up } = await world(t, {
    through: (transport) => (request) => {
      if (request.method === 'PATCH') headers.push(request.headers.get('traceparent'))
      return transport(request)
    },
  })
  const { spans, api: sdk } = recorder()
  const app = manager()
  app.controller(Thing).reconcile(async ({ metadata, spec }, { apply }) => {
    if (spec?.n === 0) throw new Error('no')
    await apply(ConfigMap, { metadata: { name: metadata.name! } })
  })
  await up(app.start({ ...options, tracing: openTelemetry(sdk) }))
  await client.create(Thing, thing('a'))
  await journal.next('reconcile ended')
  const run = spans.find((it) => it.name === 'reconcile thing')!
  assert.equal(run.attributes['kubewright.object'], 'default/a')
  assert.equal(run.attributes['kubewright.outcome'], 'success')
  assert.deepEqual(run.events, ['Thing a created (handler: the object itself)'])
  const below = spans.filter((it) => it.parent === 'reconcile thing')
  const path = '/api/v1/namespaces/default/configmaps/a'
  assert.deepEqual(
    below.map((it) => it.name),
    ['queue', `PATCH ${path}`],
  )
  assert.equal(below[1]!.attributes['http.response.status_code'], 201)
  assert.deepEqual(headers, [`of PATCH ${path}`])
  const from = journal.all.length
  await client.create(Thing, thing('b', { n: 0 }))
  await journal.next('reconcile ended', (it) => it.outcome === 'error', from)
  assert.ok(
    spans.some((it) => it.attributes['kubewright.object'] === 'default/b' && it.error === 'no'),
  )
})

test('the package of OpenTelemetry is found by itself', async (t) => {
  const { client, journal, options, up } = await world(t)
  const app = manager()
  app.controller(Thing).reconcile(() => {})
  await up(app.start({ ...options, tracing: true }))
  await client.create(Thing, thing('a'))
  assert.equal((await journal.next('reconcile ended')).outcome, 'success')
})

test('/debug tells the last runs with their causes and writes, and the queue', async (t) => {
  const { client, journal, options, up } = await world(t)
  const app = manager()
  app
    .controller(Thing)
    .owns(ConfigMap)
    .reconcile(async ({ metadata, spec }, { apply }) => {
      if (spec?.n === 0) throw new Error('zero is too little')
      await apply(ConfigMap, { metadata: { name: metadata.name! } })
    })
  const running = await up(
    app.start({
      ...options,
      debug: true,
      ports: { metrics: 0 },
      metrics: { secure: false },
    }),
  )
  await client.create(Thing, thing('a'))
  await client.create(Thing, thing('b', { n: 0 }))
  await journal.next('written', (it) => it.object === 'default/a' && !it.sent)
  await journal.next('reconcile ended', (it) => it.key === 'default/b')
  const at = `http://127.0.0.1:${running.ports.metrics}/debug`
  const text = await (await fetch(at)).text()
  assert.match(text, /^controller thing\n/)
  assert.match(
    text,
    /because Thing a created \(handler: the object itself\)\n {4}apply ConfigMap default\/a/,
  )
  assert.match(
    text,
    /because ConfigMap a created \(handler: owner\)\n {4}apply ConfigMap default\/a \(unsent: nothing would change\)/,
  )
  assert.match(text, /default\/b error in \d+ ms.*\n.*\n {4}error: zero is too little/)
  const json = (await (
    await fetch(`${at}/thing?key=default/b`, { headers: { accept: 'application/json' } })
  ).json()) as {
    controllers: { queue: { key: string; failures: number }[]; runs: { key: string }[] }[]
  }
  const [only] = json.controllers
  assert.ok(only!.runs.length > 0 && only!.runs.every((it) => it.key === 'default/b'))
  assert.ok(only!.queue[0]!.failures > 0)
  assert.equal((await fetch(`${at}/other`)).status, 404)
})

test('a missing right is one sentence with the rule that mends it, and the rest works', async (t) => {
  const { transport, client, journal, log, options, up } = await world(t, {
    server: {
      authorization: 'rbac',
      tokens: { limited: { name: 'limited', groups: ['system:authenticated'] } },
    },
  })
  await client.create(ClusterRole, {
    metadata: { name: 'limited' },
    rules: [
      { apiGroups: ['example.com'], resources: ['things', 'things/status'], verbs: ['*'] },
      { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
    ],
  })
  await client.create(ClusterRoleBinding, {
    metadata: { name: 'limited' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'limited' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'limited' }],
  })
  const app = manager()
  app.controller(Thing).reconcile(() => {})
  app
    .controller(Thing, { name: 'second' })
    .owns(Secret)
    .reconcile(() => {})
  const starting = app.start({
    ...options,
    transport: (request) => {
      request.headers.set('authorization', 'Bearer limited')
      return transport(request)
    },
    checkAccess: true,
    waitForKinds: true,
    cache: { syncTimeout: 200 },
  })
  await up(starting)
  const told = await log.until((it) => it.message.startsWith('this process may not'))
  assert.equal(
    told.message,
    'this process may not create, list, patch, watch secrets in all namespaces, and the controller second needs to: add { apiGroups: [""], resources: ["secrets"], verbs: ["create","list","patch","watch"] } to its role',
  )
  assert.deepEqual(log.all.filter((it) => it.message.startsWith('this process may not')).length, 1)
  const waits = await log.until((it) =>
    /it waits for them, and the rest of the manager works/.test(it.message),
  )
  assert.match(
    waits.message,
    /controller second could not list secrets \(.*forbidden.*\) within 200 ms/,
  )
  await client.create(Thing, thing('a'))
  const ended = await journal.next('reconcile ended')
  assert.equal(ended.controller, 'thing')
})
