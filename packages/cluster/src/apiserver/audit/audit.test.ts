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
import { auditPolicy, policyErrors } from './policy.ts'
import { jsonLine, legacyLine } from './sink.ts'
import recorded from './testdata/events.json' with { type: 'json' }
import { webhookSink } from './webhook-sink.ts'

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

test('events go to a webhook several at once, and what was waiting goes at the end', async () => {
  const sent: unknown[][] = []
  const remote = {
    url: '',
    post: async (body: object) => {
      sent.push((body as { readonly items: unknown[] }).items)
      return { status: 200, body: undefined, text: '' }
    },
    get: async () => ({ status: 200, body: undefined, text: '' }),
    close: async () => {},
  }
  const clock = fakeClock()
  const logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => logger } as never
  const sink = webhookSink({ remote, maxBatch: 2, buffer: 10, maxWait: 30_000, clock, logger })
  for (const id of [1, 2, 3]) sink.write({ id })
  assert.deepEqual(sent, [[{ id: 1 }, { id: 2 }]])
  await clock.advance(30_000)
  assert.deepEqual(sent[1], [{ id: 3 }])
  sink.write({ id: 4 })
  await sink.close()
  assert.deepEqual(sent[2], [{ id: 4 }])
})
