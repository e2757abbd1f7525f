import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiNames } from '../names.ts'
import { apiFiles, isRegistered, registered } from './api-files.ts'
import { projectFiles } from './project-files.ts'

const names = apiNames('example.com', 'cache', 'v1', 'Memcached')
const other = apiNames('example.com', 'web', 'v1', 'Site')
const app = projectFiles('caches')['src/app.ts']!

test('controllers are added to src/app.ts in the order in which they came', () => {
  assert.equal(isRegistered(app, names), false)
  const both = registered(registered(app, names)!, other)!
  assert.ok(isRegistered(both, names))
  assert.ok(isRegistered(both, other))
  assert.equal(
    both,
    `import { manager, type Manager } from 'kubewright'
import { memcachedController } from './controllers/memcached.ts'
import { siteController } from './controllers/site.ts'
// +kubewright:scaffold:imports

/** The operator: every controller that it runs. */
export const app: Manager = manager({ name: 'caches' }).add(
  memcachedController,
  siteController,
  // +kubewright:scaffold:controllers
)
`,
  )
})

test('without its markers src/app.ts is left as it is', () => {
  assert.equal(registered(app.replace('// +kubewright:scaffold:imports', ''), names), undefined)
  assert.equal(registered(app.replace('// +kubewright:scaffold:controllers', ''), names), undefined)
})

test('an API is what was asked for of a kind, a controller and a test', () => {
  const origin = { from: '../api/v1/memcached.ts', builtIn: false }
  const parts = { names, origin, namespaced: true, resource: true, controller: true }
  const all = ['src/api/v1/memcached.ts', 'src/controllers/memcached.ts', 'test/memcached.test.ts']
  assert.deepEqual(Object.keys(apiFiles(parts)), all)
  assert.deepEqual(Object.keys(apiFiles({ ...parts, controller: false })), all.slice(0, 1))
  assert.deepEqual(Object.keys(apiFiles({ ...parts, resource: false })), all.slice(1))
})

test('scope and plural are declared where they are not the usual ones', () => {
  const origin = { from: '../api/v1/cactus.ts', builtIn: false }
  const declare = (plural: string | undefined, namespaced: boolean): string =>
    apiFiles({
      names: apiNames('example.com', 'a', 'v1', 'Cactus', plural),
      origin,
      namespaced,
      resource: true,
      controller: false,
    })['src/api/v1/cactus.ts']!
  assert.match(declare('cacti', false), /\n {2}plural: 'cacti',\n {2}scope: 'Cluster',\n/)
  assert.doesNotMatch(declare(undefined, true), /plural|scope/)
})
