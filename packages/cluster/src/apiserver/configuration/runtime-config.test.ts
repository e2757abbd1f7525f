import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiServer } from '../server.ts'
import { FlagError } from './flag-error.ts'
import { servedVersions } from './runtime-config.ts'

const HERE = [
  { group: '', version: 'v1' },
  { group: 'apps', version: 'v1' },
  { group: 'autoscaling', version: 'v1' },
  { group: 'autoscaling', version: 'v2' },
  { group: 'resource.k8s.io', version: 'v1beta1' },
  { group: 'resource.k8s.io', version: 'v1alpha3' },
]

const read = (text: string): ReturnType<typeof servedVersions> => {
  const pairs = text.split(',').map((it) => it.split('='))
  const given = new Map(pairs.map(([key = '', value = '']) => [key, value]))
  return servedVersions(given, HERE, (it) => /^v\d+$/.test(it.version))
}

const served = (text: string): string =>
  HERE.filter((it) => read(text)({ ...it, plural: 'things' }))
    .map((it) => `${it.group}/${it.version}`)
    .join(' ')

test('versions are turned off and on by name and by kind, the name counting for more', () => {
  assert.equal(served('apps/v1=false'), '/v1 autoscaling/v1 autoscaling/v2')
  assert.equal(served('api/all=false,v1=true,apps/v1'), '/v1 apps/v1')
  assert.equal(served('api/all=false,api/ga=true'), '/v1 apps/v1 autoscaling/v1 autoscaling/v2')
  const beta = '/v1 apps/v1 autoscaling/v1 autoscaling/v2 resource.k8s.io/v1beta1'
  assert.equal(served('api/beta=true'), beta)
  assert.equal(served('api/all=true'), `${beta} resource.k8s.io/v1alpha3`)
  assert.equal(served('api/all=true,api/alpha=false'), beta)
  assert.equal(served('api/alpha=false,resource.k8s.io/v1beta1'), beta)
  assert.equal(served('api/v1=false'), 'apps/v1 autoscaling/v1 autoscaling/v2')
  assert.equal(served('api/legacy=false,apps/v1/deployments=false').split(' ').length, 4)
})

test('a resource counts for more than its version', () => {
  const serves = read('apps/v1/deployments=false,autoscaling/v1=false,autoscaling/v1/things=true')
  const apps = { group: 'apps', version: 'v1' }
  assert.equal(serves({ ...apps, plural: 'deployments' }), false)
  assert.equal(serves({ ...apps, plural: 'daemonsets' }), true)
  assert.equal(serves({ group: 'autoscaling', version: 'v1', plural: 'things' }), true)
  assert.equal(serves({ group: 'autoscaling', version: 'v1', plural: 'others' }), false)
})

test('versions without resources may be asked for', () => {
  assert.equal(served('extensions/v1beta1=true,imagepolicy.k8s.io/v1alpha1'), served('v1=true'))
})

test('what cannot be read is refused as kube-apiserver v1.36.3 refuses it', () => {
  for (const [text, sentence] of [
    ['foo/v1=true', 'unknown api groups foo/v1'],
    ['foo/v1,bar/v1=false', 'unknown api groups bar/v1,foo/v1'],
    ['a/b/c/d=false', 'runtime-config invalid key a/b/c/d'],
    [
      'scheduling.k8s.io/v1alpha1=true',
      'group version scheduling.k8s.io/v1alpha1 that has not been registered',
    ],
    ['apps/v7=true', 'group version apps/v7 that has not been registered'],
    [
      'apps/v1=maybe',
      'invalid value of apps/v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    ['api/all=no', 'invalid value api/all=no'],
    [
      'apps/v1/Deployments=false',
      'invalid key apps/v1/Deployments: group/version/resource and resource is always lowercase plural, not "Deployments"',
    ],
  ] as const)
    assert.throws(() => read(text), new FlagError('invalid', sentence))
})

test('a server does not serve what is turned off', async () => {
  const serves = read('autoscaling/v1=false,apps/v1=false')
  await using server = createApiServer({ serves })
  const get = async (path: string): Promise<Response> =>
    server.fetch(new Request(`http://server${path}`))
  assert.equal((await get('/apis/apps/v1')).status, 404)
  assert.equal((await get('/apis/apps/v1/deployments')).status, 404)
  assert.equal((await get('/apis/autoscaling/v1')).status, 404)
  assert.equal((await get('/apis/autoscaling/v2')).status, 200)
  const services = (await (await get('/apis/apiregistration.k8s.io/v1/apiservices')).json()) as {
    readonly items: readonly { readonly metadata: { readonly name: string } }[]
  }
  const names = services.items.map((it) => it.metadata.name)
  assert.deepEqual([names.includes('v1.apps'), names.includes('v2.autoscaling')], [false, true])
})
