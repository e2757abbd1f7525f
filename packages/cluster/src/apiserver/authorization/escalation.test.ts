import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createApiServer } from '../server.ts'
import { uncovered } from './covers.ts'
import type { PolicyRule } from './rbac.ts'

type Ask = (
  user: string,
  method: string,
  path: string,
  body: object,
) => Promise<readonly [code: number, message: string]>

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const IN_DEFAULT = `${RBAC}/namespaces/default`

/** A server with jane, who may write roles and bindings in `default` and read pods there. */
async function world(t: TestContext): Promise<Ask> {
  const server = createApiServer({
    tokens: {
      root: { name: 'root', groups: ['system:masters'] },
      jane: { name: 'jane', groups: ['developers'] },
    },
  })
  t.after(() => server.close())
  const ask: Ask = async (user, method, path, body) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const headers = { authorization: `Bearer ${user}`, 'content-type': type }
    const text = JSON.stringify(body)
    const answer = await server.fetch(
      new Request(`http://server${path}`, { method, headers, body: text }),
    )
    const { message = '' } = (await answer.json()) as { message?: string }
    return [answer.status, message]
  }
  const rules = [
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
    {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['roles', 'rolebindings'],
      verbs: ['create', 'get', 'update', 'patch'],
    },
  ]
  await ask('root', 'POST', `${IN_DEFAULT}/roles`, { metadata: { name: 'writer' }, rules })
  await ask('root', 'POST', `${IN_DEFAULT}/rolebindings`, binding('jane-writes', 'writer', 'Role'))
  return ask
}

const binding = (name: string, role: string, kind: string): object => ({
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
})

const role = (name: string, ...rules: readonly object[]): object => ({ metadata: { name }, rules })

test('nobody grants by a role what he does not hold', async (t) => {
  const ask = await world(t)
  const pods = { apiGroups: [''], resources: ['pods'], verbs: ['list'] }
  const more = { apiGroups: [''], resources: ['secrets', 'pods'], verbs: ['get', 'delete'] }
  assert.equal((await ask('jane', 'POST', `${IN_DEFAULT}/roles`, role('pods', pods)))[0], 201)
  const refusal = [
    403,
    [
      'roles.rbac.authorization.k8s.io "more" is forbidden: user "jane" (groups=["developers" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:',
      '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
      '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete"]}',
    ].join('\n'),
  ]
  assert.deepEqual(await ask('jane', 'POST', `${IN_DEFAULT}/roles`, role('more', more)), refusal)
  const [code] = await ask('jane', 'PATCH', `${IN_DEFAULT}/roles/pods`, { rules: [more] })
  assert.equal(code, 403)
  assert.equal((await ask('root', 'POST', `${IN_DEFAULT}/roles`, role('more', more)))[0], 201)
})

test('nobody binds a role whose rules he does not hold, unless he may bind it', async (t) => {
  const ask = await world(t)
  const path = `${IN_DEFAULT}/rolebindings`
  const [code, message] = await ask('jane', 'POST', path, binding('a', 'admin', 'ClusterRole'))
  assert.equal(code, 403)
  assert.match(message, /^rolebindings\.rbac\.authorization\.k8s\.io "a" is forbidden: user "jane"/)
  assert.deepEqual(await ask('jane', 'POST', path, binding('b', 'none', 'ClusterRole')), [
    404,
    'rolebindings.rbac.authorization.k8s.io "none" not found',
  ])
  assert.equal((await ask('jane', 'POST', path, binding('c', 'writer', 'Role')))[0], 201)
  const may = {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['clusterroles'],
    resourceNames: ['admin'],
    verbs: ['bind'],
  }
  await ask('root', 'POST', `${IN_DEFAULT}/roles`, role('binder', may))
  await ask('root', 'POST', path, binding('jane-binds', 'binder', 'Role'))
  assert.equal((await ask('jane', 'POST', path, binding('a', 'admin', 'ClusterRole')))[0], 201)
})

const CASES: readonly (readonly [held: PolicyRule, wanted: PolicyRule, covered: boolean])[] = [
  [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['get'], apiGroups: ['apps'], resources: ['deployments/scale'] },
    true,
  ],
  [
    { verbs: ['get'], apiGroups: [''], resources: ['*/log'] },
    { verbs: ['get'], apiGroups: [''], resources: ['pods/log'] },
    true,
  ],
  [
    { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] },
    { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
    false,
  ],
  [
    { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
    { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] },
    true,
  ],
  [
    { verbs: ['get'], nonResourceURLs: ['/healthz*'] },
    { verbs: ['get'], nonResourceURLs: ['/healthz/ping'] },
    true,
  ],
  [
    { verbs: ['get'], nonResourceURLs: ['/healthz'] },
    { verbs: ['get'], nonResourceURLs: ['*'] },
    false,
  ],
]

test('what covers what', () => {
  for (const [held, wanted, covered] of CASES)
    assert.equal(uncovered([held], [wanted]).length === 0, covered, JSON.stringify([held, wanted]))
})
