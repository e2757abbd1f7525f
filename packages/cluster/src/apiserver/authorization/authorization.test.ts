import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { fakeClock, systemClock } from 'kubewright/base'
import type { Attributes, Decision } from '../endpoints/authorizer.ts'
import { remoteAt } from '../http/remote.ts'
import type { ApiServerOptions } from '../server-options.ts'
import { createApiServer } from '../server.ts'
import { memoryStorage } from '../storage/memory-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { alwaysDeny, chainOf, NO_OPINION } from './chain.ts'
import { webhookAuthorizer } from './webhook.ts'

interface Body {
  readonly kind: string
  readonly message: string
  readonly status: { readonly evaluationError?: string }
}

interface Asked {
  readonly spec: { readonly user: string }
}

type Ask = (
  method: string,
  path: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
) => Promise<{ readonly code: number; readonly body: Body }>

function world(t: TestContext, options: ApiServerOptions = {}): Ask {
  const server = createApiServer(options)
  t.after(() => server.close())
  return async (method, path, body, headers = {}) => {
    const init = body
      ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } }
      : { headers }
    const answer = await server.fetch(new Request(`http://server${path}`, { method, ...init }))
    const text = await answer.text()
    return { code: answer.status, body: /^[{[]/.test(text) ? JSON.parse(text) : { message: text } }
  }
}

const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
const RBAC = '/apis/rbac.authorization.k8s.io/v1'

const user = (name: string): object => ({
  kind: 'User',
  apiGroup: 'rbac.authorization.k8s.io',
  name,
})

async function statusOf(ask: Ask, spec: object): Promise<object | string> {
  const { body } = await ask('POST', REVIEWS, { spec })
  return body.kind === 'Status' ? body.message : body.status
}

const KUBELET = { user: 'system:node:n1', groups: ['system:nodes'] }

/** What kube-apiserver v1.36.3 answered to these reviews. */
const ANSWERS: readonly (readonly [spec: object, status: object | string])[] = [
  [
    { user: 'jane', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } },
    {
      allowed: false,
      reason:
        'RBAC: [clusterrole.rbac.authorization.k8s.io "nope" not found, role.rbac.authorization.k8s.io "nada" not found]',
    },
  ],
  [
    {
      ...KUBELET,
      resourceAttributes: { verb: 'get', resource: 'secrets', namespace: 'default', name: 'x' },
    },
    { allowed: false, reason: "no relationship found between node 'n1' and this object" },
  ],
  [
    {
      ...KUBELET,
      resourceAttributes: {
        verb: 'list',
        resource: 'pods',
        fieldSelector: { requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['n1'] }] },
      },
    },
    { allowed: true },
  ],
  [
    {
      ...KUBELET,
      resourceAttributes: {
        verb: 'list',
        resource: 'pods',
        fieldSelector: { rawSelector: 'spec.nodeName=n1' },
      },
    },
    { allowed: true },
  ],
  [
    {
      user: 'x',
      groups: ['system:masters'],
      resourceAttributes: { verb: 'get', resource: 'secrets' },
    },
    { allowed: true },
  ],
  [
    { user: 'system:kube-scheduler', resourceAttributes: { verb: 'list', resource: 'pods' } },
    {
      allowed: true,
      reason:
        'RBAC: allowed by ClusterRoleBinding "system:kube-scheduler" of ClusterRole "system:kube-scheduler" to User "system:kube-scheduler"',
    },
  ],
  [
    { resourceAttributes: { verb: 'list', resource: 'pods' } },
    '.authorization.k8s.io "" is invalid: spec.user: Invalid value: "": at least one of user or group must be specified',
  ],
  [
    {
      user: 'u',
      nonResourceAttributes: { verb: 'get', path: '/api' },
      resourceAttributes: { verb: 'list' },
    },
    '.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: {"Path":"/api","Verb":"get"}: cannot be specified in combination with resourceAttributes',
  ],
  [
    {
      user: 'u',
      resourceAttributes: {
        verb: 'list',
        resource: 'pods',
        fieldSelector: { rawSelector: 'a=b,c' },
      },
    },
    {
      allowed: false,
      evaluationError: 'spec.resourceAttributes.fieldSelector ignored due to parse error',
    },
  ],
]

test('reviews are answered as kube-apiserver answers them', async (t) => {
  const ask = world(t)
  const role = (kind: string, name: string): object => ({
    apiGroup: 'rbac.authorization.k8s.io',
    kind,
    name,
  })
  await ask('POST', `${RBAC}/clusterrolebindings`, {
    metadata: { name: 'a' },
    roleRef: role('ClusterRole', 'nope'),
    subjects: [user('jane')],
  })
  await ask('POST', `${RBAC}/namespaces/default/rolebindings`, {
    metadata: { name: 'b' },
    roleRef: role('Role', 'nada'),
    subjects: [user('jane')],
  })
  for (const [spec, status] of ANSWERS) assert.deepEqual(await statusOf(ask, spec), status)
  const jane = { 'impersonate-user': 'jane' }
  const refused = await ask('GET', '/api/v1/namespaces/default/pods', undefined, jane)
  assert.equal(
    refused.body.message,
    'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default": RBAC: [clusterrole.rbac.authorization.k8s.io "nope" not found, role.rbac.authorization.k8s.io "nada" not found]',
  )
  const odd = await ask('GET', '/api/v1/pods', undefined, { 'impersonate-user': '<j&>' })
  assert.match(odd.body.message, /User "&lt;j&amp;&gt;" cannot list/)
  const rules = await ask(
    'POST',
    '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    { spec: { namespace: 'default' } },
    jane,
  )
  assert.equal(
    rules.body.status.evaluationError,
    '[clusterrole.rbac.authorization.k8s.io "nope" not found, role.rbac.authorization.k8s.io "nada" not found]',
  )
  const ping = await ask('GET', '/readyz/ping', undefined, {
    'impersonate-user': 'system:anonymous',
  })
  assert.equal(ping.code, 403)
})

test('a kubelet reads what its pods need, and nothing else', async (t) => {
  const ask = world(t, { admission: { disable: ['ServiceAccount'] } })
  const pod = (name: string, nodeName: string, secretName: string): object => ({
    metadata: { name },
    spec: {
      nodeName,
      serviceAccountName: 'default',
      containers: [
        { name: 'c', image: 'i', envFrom: [{ configMapRef: { name: `${name}-config` } }] },
      ],
      volumes: [
        { name: 's', secret: { secretName } },
        { name: 'v', persistentVolumeClaim: { claimName: `${name}-claim` } },
      ],
    },
  })
  await ask('POST', '/api/v1/namespaces/default/pods', pod('p1', 'n1', 's1'))
  await ask('POST', '/api/v1/namespaces/default/pods', pod('p2', 'n2', 's2'))
  await ask('POST', '/api/v1/persistentvolumes', {
    metadata: { name: 'pv1' },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      claimRef: { namespace: 'default', name: 'p1-claim' },
      csi: {
        driver: 'd',
        volumeHandle: 'h',
        nodePublishSecretRef: { namespace: 'other', name: 'pv-secret' },
      },
    },
  })
  const may = async (attributes: object): Promise<string> => {
    const status = (await statusOf(ask, { ...KUBELET, resourceAttributes: attributes })) as Decision
    return status.allowed ? 'yes' : (status.reason ?? 'no')
  }
  const get = (resource: string, name: string, namespace: string = 'default'): object => ({
    verb: 'get',
    resource,
    name,
    namespace,
  })
  const unrelated = "no relationship found between node 'n1' and this object"
  assert.equal(await may(get('secrets', 's1')), 'yes')
  assert.equal(await may(get('secrets', 's2')), unrelated)
  assert.equal(await may(get('secrets', 'pv-secret', 'other')), 'yes')
  assert.equal(await may(get('configmaps', 'p1-config')), 'yes')
  assert.equal(await may(get('configmaps', 'p2-config')), unrelated)
  assert.equal(await may(get('persistentvolumeclaims', 'p1-claim')), 'yes')
  assert.equal(await may(get('persistentvolumes', 'pv1', '')), 'yes')
  assert.equal(await may(get('pods', 'p1')), 'yes')
  assert.equal(await may(get('pods', 'p2')), unrelated)
  assert.equal(
    await may({ verb: 'list', resource: 'pods' }),
    'can only list/watch pods with spec.nodeName field selector',
  )
  assert.equal(
    await may({ verb: 'get', resource: 'nodes', name: 'n2' }),
    "node 'n1' cannot read 'n2', only its own Node object",
  )
  assert.equal(
    await may({ verb: 'list', resource: 'nodes' }),
    "node 'n1' cannot read all nodes, only its own Node object",
  )
  assert.equal(
    await may({ ...get('serviceaccounts', 'default'), verb: 'create', subresource: 'token' }),
    'yes',
  )
  assert.equal(
    await may({ ...get('serviceaccounts', 'other'), verb: 'create', subresource: 'token' }),
    unrelated,
  )
  assert.equal(
    await may({
      verb: 'update',
      group: 'coordination.k8s.io',
      resource: 'leases',
      namespace: 'kube-node-lease',
      name: 'n2',
    }),
    'can only access node lease with the same name as the requesting node',
  )
  assert.equal(
    await may({ verb: 'delete', resource: 'secrets', namespace: 'default', name: 's1' }),
    'can only read resources of this type',
  )
})

test('a link allows, denies, or leaves it to the next; what all said is told together', async () => {
  const asked = { kind: 'path', user: { name: 'x', groups: [] }, verb: 'get', path: '/' } as const
  const says = (decision: Decision) => () => decision
  const chain = (...decisions: readonly Decision[]): Promise<Decision> =>
    Promise.resolve(chainOf(decisions.map(says))(asked))
  const yes = { allowed: true, reason: 'y' }
  assert.deepEqual(await chain(NO_OPINION, yes), yes)
  const no = { allowed: false, denied: true, reason: 'never' }
  assert.deepEqual(await chain(no, yes), no)
  assert.deepEqual(
    await chain(
      { allowed: false, reason: 'a', error: 'e' },
      { allowed: false, reason: 'b', error: 'f' },
    ),
    {
      allowed: false,
      reason: 'a\nb',
      error: '[e, f]',
    },
  )
  assert.equal((await alwaysDeny(asked)).reason, 'Everything is forbidden.')
})

test('a webhook is asked where its conditions hold, and its answer remembered', async (t) => {
  const seen: Asked[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const review = JSON.parse(text) as Asked
    seen.push(review)
    const { user: name } = review.spec
    if (name === 'broken') return response.writeHead(500).end()
    const status = { allowed: name === 'good', denied: name === 'bad', reason: `as ${name}` }
    return response.end(JSON.stringify({ ...review, status }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clock = fakeClock()
  const remote = remoteAt(url, undefined, systemClock)
  t.after(() => remote.close())
  const options = {
    remote,
    version: 'v1beta1',
    authorizedMilliseconds: 300_000,
    unauthorizedMilliseconds: 30_000,
    timeoutMilliseconds: 3_000,
    failurePolicy: 'Deny',
    matchConditions: [
      "has(request.resourceAttributes) && request.resourceAttributes.namespace != 'kube-system'",
    ],
    clock,
  } as const
  const authorize = webhookAuthorizer(options)
  const asked = (name: string, namespace: string = 'default'): Attributes => ({
    kind: 'resource',
    user: { name, groups: ['g'] },
    verb: 'list',
    group: '',
    version: 'v1',
    resource: 'pods',
    subresource: '',
    namespace,
    name: '',
    fieldSelector: [{ key: 'spec.nodeName', operator: '=', values: ['n1'] }],
  })
  assert.deepEqual(await authorize(asked('good')), { allowed: true, reason: 'as good' })
  assert.deepEqual(seen[0]?.spec, {
    resourceAttributes: {
      namespace: 'default',
      verb: 'list',
      version: 'v1',
      resource: 'pods',
      fieldSelector: { requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['n1'] }] },
    },
    user: 'good',
    group: ['g'],
  })
  await authorize(asked('good'))
  assert.equal(seen.length, 1)
  await clock.advance(300_001)
  await authorize(asked('good'))
  assert.equal(seen.length, 2)
  assert.deepEqual(await authorize(asked('bad')), {
    allowed: false,
    denied: true,
    reason: 'as bad',
  })
  assert.deepEqual(await authorize(asked('good', 'kube-system')), NO_OPINION)
  const failed = await authorize(asked('broken'))
  assert.equal(failed.denied, true)
  assert.match(failed.error ?? '', /500/)
})

test('one may ask as another by one of several rights', async (t) => {
  const people = ['lim', 'old', 'reads'].map((name) => [name, { name, groups: [] }] as const)
  const ask = world(t, { tokens: Object.fromEntries(people) })
  const as = (
    name: string,
    path: string,
    headers: Readonly<Record<string, string>>,
  ): ReturnType<Ask> => ask('GET', path, undefined, { ...headers, authorization: `Bearer ${name}` })
  const bind = async (name: string, who: string, rules: readonly object[]): Promise<void> => {
    await ask('POST', `${RBAC}/clusterroles`, { metadata: { name }, rules })
    await ask('POST', `${RBAC}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [user(who)],
    })
  }
  const rule = (
    verbs: readonly string[],
    resources: readonly string[],
    apiGroups: readonly string[],
  ): object => ({ verbs, resources, apiGroups })
  await bind('limited', 'lim', [
    rule(['impersonate:user-info'], ['users', 'groups'], ['authentication.k8s.io']),
    rule(['impersonate-on:user-info:list'], ['configmaps'], ['']),
  ])
  await bind('of-old', 'old', [rule(['impersonate'], ['users', 'groups'], [''])])
  await bind('reader', 'reads', [rule(['list', 'get'], ['configmaps'], [''])])
  const list = '/api/v1/namespaces/default/configmaps'
  const reads = { 'impersonate-user': 'reads' }
  assert.equal((await as('lim', list, reads)).code, 200)
  const one = await as('lim', `${list}/kube-root-ca.crt`, reads)
  assert.match(
    one.body.message,
    /User "lim" cannot impersonate-on:user-info:get resource "configmaps"/,
  )
  const masters = await as('lim', list, { ...reads, 'impersonate-group': 'system:masters' })
  assert.match(masters.body.message, /impersonating the system:masters group is not allowed$/)
  assert.equal((await as('old', list, reads)).code, 200)
  const nameless = await as('old', list, { 'impersonate-group': 'g' })
  assert.equal(
    nameless.body.message,
    'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)} without impersonating a user name',
  )
  assert.equal(nameless.code, 400)
})

test('what the roles of the beginning lost comes back with the next start', async () => {
  const storage: { -readonly [K in keyof Storage]: Storage[K] } = memoryStorage()
  const key = 'rbac.authorization.k8s.io/clusterroles//view'
  // A server closes its store; this one is to outlive it.
  storage.close = async () => {}
  const start = async (): Promise<void> => {
    const server = createApiServer({ storage })
    await server.ready
    await server.close()
  }
  await start()
  const scheduler = 'rbac.authorization.k8s.io/clusterroles//system:kube-scheduler'
  const stored = (await storage.get(scheduler))!
  const rules = stored.object['rules'] as readonly object[]
  const own = { verbs: ['get'], apiGroups: ['acme.com'], resources: ['x'] }
  await storage.compareAndSwap(scheduler, stored.revision, {
    ...stored.object,
    rules: [...rules.slice(1), own],
  } as never)
  await start()
  const again = (await storage.get(scheduler))!.object['rules'] as readonly object[]
  assert.ok(again.some((it) => JSON.stringify(it) === JSON.stringify(own)))
  assert.ok(again.length > rules.length)
  assert.ok(await storage.get(key))
})
