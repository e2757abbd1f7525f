import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fakeClock } from 'kubewright/base'
import { fieldErrorText } from 'kubewright/machinery'
import type { Attributes } from '../endpoints/authorizer.ts'
import { createApiServer } from '../server.ts'
import type { AuditEvent } from './entry.ts'
import { LogFile } from './log-file.ts'
import { type AuditPolicy, auditPolicy, policyErrors } from './policy.ts'
import { blocking, jsonLine, legacyLine } from './sink.ts'
import recorded from './testdata/events.json' with { type: 'json' }
import { batched } from './batch.ts'
import { truncated } from './truncate.ts'
import { webhookBackend } from './webhook-backend.ts'
import type { Remote, RemoteAnswer } from '../http/remote.ts'

const POLICY = {
  rules: [
    { level: 'None', users: ['system:apiserver'] },
    { level: 'RequestResponse', resources: [{ group: '', resources: ['configmaps'] }] },
    { level: 'Metadata' },
  ],
}

const MAPS = '/api/v1/namespaces/default/configmaps'
const JANE = { 'impersonate-user': 'jane2' }

/**
 * What was asked of kube-apiserver v1.36.3 while it wrote down what is recorded. Of several bindings that allow something it tells any:
 * here it is the first by name.
 */
const REQUESTS: readonly (readonly [
  string,
  string,
  (object | undefined)?,
  Readonly<Record<string, string>>?,
])[] = [
  ['POST', MAPS, { metadata: { name: 'au1' }, data: { a: 'b' } }],
  ['GET', `${MAPS}/none`],
  ['PATCH', `${MAPS}/au1`, { data: { c: 'd' } }, { 'content-type': 'application/json' }],
  ['GET', `${MAPS}?watch=1&timeoutSeconds=1`],
  ['GET', `${MAPS}?limit=1`],
  ['DELETE', `${MAPS}/au1`],
  ['GET', '/api/v1/nodes', undefined, { authorization: 'Bearer bad' }],
  ['GET', '/api/v1/nodes', undefined, { ...JANE, 'impersonate-group': 'g' }],
  ['GET', '/version', undefined, JANE],
  ['POST', MAPS, { metadata: { name: 'Bad_' }, data: { a: 'b' } }],
  ['POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}],
  ['GET', '/nope'],
]

const CHANGING: ReadonlySet<string> = new Set([
  'auditID',
  'requestReceivedTimestamp',
  'stageTimestamp',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'time',
  // A request in this process comes from nowhere.
  'sourceIPs',
])

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !CHANGING.has(name))
  return Object.fromEntries(kept.map(([name, it]) => [name, comparable(it)]))
}

test('what is written down is what kube-apiserver writes down', async () => {
  const events: AuditEvent[] = []
  const sink = { write: (event: AuditEvent) => void events.push(event), close: async () => {} }
  const server = createApiServer({
    user: { name: 'admin', groups: ['system:masters'] },
    audit: { policy: POLICY, sink },
  })
  for (const [method, path, body, headers] of REQUESTS) {
    const type = body ? { 'content-type': 'application/json' } : {}
    const init = { method, headers: { 'user-agent': 'cli/1', ...type, ...headers } }
    const text = body ? { body: JSON.stringify(body) } : {}
    const answer = await server.fetch(new Request(`http://server${path}`, { ...init, ...text }))
    await answer.text()
  }
  await server.close()
  const told = comparable(JSON.parse(JSON.stringify(events))) as readonly AuditEvent[]
  const expected = comparable(recorded) as readonly AuditEvent[]
  assert.equal(told.length, expected.length)
  told.forEach((event, i) => assert.deepEqual(event, expected[i], `event ${i}`))
  for (const [i, event] of told.entries())
    assert.deepEqual(Object.keys(event), Object.keys(expected[i]!), `order of event ${i}`)
})

test('the first rule that is about a request counts', () => {
  const configOf = auditPolicy({
    omitStages: ['RequestReceived'],
    omitManagedFields: true,
    rules: [
      { level: 'Request', verbs: ['get'], resources: [{ group: 'apps', resources: ['*/status'] }] },
      {
        level: 'Metadata',
        namespaces: ['kube-system'],
        omitStages: ['Panic'],
        omitManagedFields: false,
      },
      { level: 'RequestResponse', userGroups: ['ops'], nonResourceURLs: ['/api*'] },
      {
        level: 'Metadata',
        resources: [{ group: '', resources: ['pods/*'], resourceNames: ['p'] }],
      },
    ],
  })
  const resource = (more: object): Attributes => ({
    kind: 'resource',
    user: { name: 'u', groups: [] },
    verb: 'get',
    group: '',
    version: 'v1',
    resource: 'pods',
    subresource: '',
    namespace: 'default',
    name: 'p',
    ...more,
  })
  const level = (attributes: Attributes): string => configOf(attributes).level
  assert.equal(
    level(resource({ group: 'apps', resource: 'deployments', subresource: 'status' })),
    'Request',
  )
  assert.equal(level(resource({ group: 'apps', resource: 'deployments' })), 'None')
  assert.equal(level(resource({ namespace: 'kube-system', name: 'x' })), 'Metadata')
  assert.equal(level(resource({ subresource: 'log' })), 'Metadata')
  assert.equal(level(resource({ subresource: 'log', name: 'q' })), 'None')
  const path = (path: string, groups: readonly string[]): Attributes => ({
    kind: 'path',
    user: { name: 'u', groups },
    verb: 'get',
    path,
  })
  assert.equal(level(path('/apis', ['ops'])), 'RequestResponse')
  assert.equal(level(path('/apis', [])), 'None')
  assert.equal(level(path('/version', ['ops'])), 'None')
  const config = configOf(resource({ namespace: 'kube-system', name: 'x' }))
  assert.deepEqual([...config.omitStages], ['RequestReceived', 'Panic'])
  assert.equal(config.omitManagedFields, false)
})

test('a policy is judged as the real server judges it', () => {
  const errors = policyErrors({
    omitStages: ['Bar'],
    rules: [
      {
        level: 'Foo',
        resources: [{ group: 'a/b', resources: ['x'] }],
        nonResourceURLs: ['foo', '/a*b'],
      },
      { level: 'Metadata', omitStages: ['Foo'] },
    ],
  })
  const stages = 'allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic'
  assert.deepEqual(errors.map(fieldErrorText), [
    `omitStages[0]: Invalid value: "Bar": ${stages}`,
    'rules[0].level: Unsupported value: "Foo": supported values: "None", "Metadata", "Request", "RequestResponse"',
    'rules[0].nonResourceURLs[0]: Invalid value: "foo": non-resource URL rules must begin with a \'/\' character',
    'rules[0].nonResourceURLs[1]: Invalid value: "/a*b": non-resource URL wildcards \'*\' must be the final character of the rule',
    "rules[0].resources.group: Invalid value: \"a/b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    'rules[0].nonResourceURLs: Invalid value: ["foo","/a*b"]: rules cannot apply to both regular resources and non-resource URLs',
    `rules[1].omitStages[0]: Invalid value: "Foo": ${stages}`,
  ])
})

test('a log file is put aside when it is full, and old ones go', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const clock = fakeClock(Date.UTC(2026, 10, 30))
  const options = { maxBytes: 10, maxBackups: 2, maxAge: 0, compress: false }
  const file = new LogFile(join(folder, 'a.log'), options, clock)
  for (let i = 0; i < 5; i++) {
    file.write(`line ${i}\n`)
    await clock.advance(1000)
  }
  await file.close()
  assert.deepEqual(readdirSync(folder).sort(), [
    'a-2026-11-30T00-00-03.000.log',
    'a-2026-11-30T00-00-04.000.log',
    'a.log',
  ])
  assert.equal(readFileSync(join(folder, 'a.log'), 'utf8'), 'line 4\n')
})

test('lines are escaped as Go escapes them; the form of old is as it was', () => {
  assert.equal(
    jsonLine({ requestURI: '/a?b&c<d>' }),
    '{"requestURI":"/a?b\\u0026c\\u003cd\\u003e"}\n',
  )
  const event = {
    auditID: 'x',
    stage: 'ResponseComplete',
    verb: 'get',
    requestURI: '/a',
    user: { username: 'u', groups: ['g'] },
    sourceIPs: ['127.0.0.1'],
    userAgent: 'cli',
    responseStatus: { code: 200 },
    requestReceivedTimestamp: '2026-11-30T00:00:00.000000Z',
  }
  assert.equal(
    legacyLine(event),
    '2026-11-30T00:00:00.000000Z AUDIT: id="x" stage="ResponseComplete" ip="127.0.0.1" method="get" user="u" groups="\\"g\\"" as="<self>" asgroups="<lookup>" user-agent="cli" namespace="<none>" uri="/a" response="200"\n',
  )
})

const LOGGER = { debug() {}, info() {}, warn() {}, error() {}, child: () => LOGGER } as never

/** A webhook that answers what it is told to, and notes what it was sent. */
function webhook(statuses: readonly number[] = []): {
  readonly remote: Remote
  readonly sent: unknown[][]
} {
  const sent: unknown[][] = []
  const left = [...statuses]
  const answer = async (): Promise<RemoteAnswer> => ({ status: 200, body: undefined, text: '' })
  const remote = {
    url: '',
    post: async (body: object) => {
      sent.push((body as { readonly items: unknown[] }).items)
      return { ...(await answer()), status: left.shift() ?? 200 }
    },
    get: answer,
    close: async () => {},
  }
  return { remote, sent }
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('events go to a webhook several at once, and what was waiting goes at the end', async () => {
  const { remote, sent } = webhook()
  const clock = fakeClock()
  let lost = 0
  const backend = webhookBackend({ remote, initialBackoff: 10_000, clock, logger: LOGGER })
  const dropped = (events: number): void => void (lost += events)
  const sink = batched(backend, { maxSize: 2, buffer: 10, maxWait: 30_000, clock, dropped })
  for (const id of [1, 2, 3]) sink.write({ id })
  await settled()
  assert.deepEqual(sent, [[{ id: 1 }, { id: 2 }]])
  await clock.advance(30_000)
  await settled()
  assert.deepEqual(sent[1], [{ id: 3 }])
  sink.write({ id: 4 })
  await sink.close()
  assert.deepEqual(sent[2], [{ id: 4 }])
  const small = batched(backend, { maxSize: 9, buffer: 2, maxWait: 0, clock, dropped })
  for (const id of [1, 2, 3]) small.write({ id })
  assert.equal(lost, 1)
})

test('batches keep to their number a second', async () => {
  const { remote, sent } = webhook()
  const clock = fakeClock()
  const backend = webhookBackend({ remote, initialBackoff: 1, clock, logger: LOGGER })
  const throttle = { qps: 1, burst: 2 }
  const options = { maxSize: 1, buffer: 9, maxWait: 0, clock, dropped: () => {}, throttle }
  const sink = batched(backend, options)
  for (const id of [1, 2, 3, 4]) sink.write({ id })
  await settled()
  assert.equal(sent.length, 2)
  await clock.advance(1000)
  await settled()
  assert.equal(sent.length, 3)
  await clock.advance(1000)
  await settled()
  assert.equal(sent.length, 4)
})

test('a webhook that is busy is asked again, later and later; one that refuses is not', async () => {
  const busy = webhook([503, 429, 200])
  const clock = fakeClock()
  const options = { initialBackoff: 10_000, clock, logger: LOGGER }
  const kept = webhookBackend({ ...options, remote: busy.remote }).process([{ id: 1 }])
  await settled()
  assert.equal(busy.sent.length, 1)
  await clock.advance(10_000)
  await settled()
  assert.equal(busy.sent.length, 2)
  await clock.advance(15_000)
  assert.equal(await kept, true)
  const refusing = webhook([400])
  const refused = webhookBackend({ ...options, remote: refusing.remote })
  assert.equal(await refused.process([{ id: 1 }]), false)
  assert.equal(refusing.sent.length, 1)
})

test('an event that is too large goes without request and response, or not at all', async () => {
  const batches: (readonly AuditEvent[])[] = []
  let lost = 0
  const backend = truncated(
    {
      process: async (events) => {
        batches.push(events)
        return true
      },
      close: async () => {},
    },
    { maxEvent: 200, maxBatch: 250, dropped: (events) => void (lost += events) },
  )
  const large = 'x'.repeat(300)
  await backend.process([
    { id: 1, requestObject: large, annotations: { a: 'b' } },
    { id: 2, pad: 'y'.repeat(150) },
    { id: 3, pad: 'y'.repeat(150) },
    { id: 4, pad: large },
  ])
  assert.deepEqual(
    batches.map((it) => it.map(({ id }) => id)),
    [[1, 2], [3]],
  )
  assert.deepEqual(batches[0]![0], {
    id: 1,
    annotations: { a: 'b', 'audit.k8s.io/truncated': 'true' },
  })
  assert.equal(lost, 1)
})

test('a request that cannot be written down is refused where that is asked for', async () => {
  const policy = { rules: [{ level: 'Metadata' }] } as AuditPolicy
  const failing = { process: async () => false, close: async () => {} }
  for (const [isStrict, status] of [
    [true, 500],
    [false, 200],
  ] as const) {
    const sink = blocking(failing, isStrict)
    await using server = createApiServer({ audit: { policy, sink } })
    const answer = await server.fetch(new Request('http://server/api/v1/namespaces'))
    assert.equal(answer.status, status)
    if (isStrict) assert.match(await answer.text(), /failed to store audit event/)
  }
})
