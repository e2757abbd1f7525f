import assert from 'node:assert/strict'
import { test } from 'node:test'
import { abacAuthorizer, abacPolicies } from './abac.ts'

const HEAD = '"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy"'
const line = (spec: object): string => `{${HEAD},"spec":${JSON.stringify(spec)}}`

interface Asked {
  readonly user?: string
  readonly groups?: readonly string[]
  readonly verb?: string
  readonly resource?: string
  readonly group?: string
  readonly namespace?: string
  readonly path?: string
}

function allows(text: string, asked: Asked): boolean {
  const authorize = abacAuthorizer(abacPolicies(text, 'p'))
  const { user = 'anna', groups = ['system:authenticated'], verb = 'get', path } = asked
  const who = { user: { name: user, groups }, verb }
  const { resource = 'pods', group = '', namespace = 'default' } = asked
  const rest = { version: 'v1', subresource: '', name: '' }
  const decision = authorize(
    path === undefined
      ? { kind: 'resource', ...who, resource, group, namespace, ...rest }
      : { kind: 'path', ...who, path },
  )
  return (decision as { readonly allowed: boolean }).allowed
}

test('a policy is about who and what it names', () => {
  const policy = line({ user: 'anna', namespace: 'default', resource: 'pods', apiGroup: '' })
  assert.ok(allows(policy, {}))
  assert.ok(allows(policy, { verb: 'delete' }))
  for (const asked of [
    { user: 'bert' },
    { namespace: 'other' },
    { resource: 'services' },
    { group: 'apps' },
    { path: '/healthz' },
  ])
    assert.ok(!allows(policy, asked), JSON.stringify(asked))
  const both = line({ user: 'anna', group: 'ops', resource: '*', namespace: '*', apiGroup: '*' })
  assert.ok(!allows(both, {}))
  assert.ok(allows(both, { groups: ['ops'], resource: 'x', group: 'y', namespace: 'z' }))
  assert.ok(!allows(line({ resource: '*', namespace: '*' }), {}), 'nobody is named')
})

test('a readonly policy reads', () => {
  const policy = line({ user: '*', readonly: true, namespace: '*', resource: '*', apiGroup: '*' })
  for (const verb of ['get', 'list', 'watch']) assert.ok(allows(policy, { verb }))
  for (const verb of ['create', 'deletecollection']) assert.ok(!allows(policy, { verb }))
  assert.ok(!allows(policy, { groups: ['system:unauthenticated'] }), '* is who is known')
})

test('paths are named whole or by how they begin', () => {
  const policy = (nonResourcePath: string): string => line({ user: 'anna', nonResourcePath })
  assert.ok(allows(policy('/healthz'), { path: '/healthz' }))
  assert.ok(!allows(policy('/healthz'), { path: '/healthz/x' }))
  assert.ok(allows(policy('/api*'), { path: '/apis/apps' }))
  assert.ok(allows(policy('*'), { path: '/x' }))
  assert.ok(!allows(policy('*'), {}))
})

test('lines of before there were versions leave out what is anything', () => {
  assert.ok(allows('# all may read\n\n{"readonly": true}', { path: '/x' }))
  assert.ok(allows('{"user":"anna","resource":"pods"}', { namespace: 'any' }))
  assert.ok(!allows('{"user":"anna","resource":"pods"}', { path: '/x' }))
  assert.ok(!allows('{"user":"bert"}', {}))
})

test('a line that cannot be read is told as kube-apiserver v1.36.3 tells it', () => {
  const struct =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
  for (const [text, why] of [
    [
      'foo',
      `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type ${struct}`,
    ],
    [
      '[]',
      `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${struct}`,
    ],
    [
      `{${HEAD},"spec":{"user":3}}`,
      'json: cannot unmarshal number into Go struct field PolicySpec.spec.user of type string',
    ],
    ['{"user":3}', 'json: cannot unmarshal number into Go struct field Policy.user of type string'],
    [
      '{"kind":"Foo","apiVersion":"v1"}',
      'no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
  ] as const)
    assert.throws(() => abacPolicies(`\n${text}`, '/p'), {
      message: `error reading policy file /p, line 2: ${text}: ${why}`,
    })
})
