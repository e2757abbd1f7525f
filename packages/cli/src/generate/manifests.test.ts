import assert from 'node:assert/strict'
import { test } from 'node:test'
import { controller, kind, s } from 'kubewright'
import { parse } from 'yaml'
import { newProject } from '../project.ts'
import { manifestsOf, yamlOf } from './manifests.ts'

const Cache = kind('cache.example.com/v1', 'Cache', { spec: { size: s.integer() }, status: {} })
const Root = kind('example.com/v1alpha1', 'Root', { scope: 'Cluster', spec: {} })
const app = {
  controllers: [controller(Cache).reconcile(() => {})],
  kinds: [Cache, Root],
  permissions: [],
}

test('manifests are named as kubebuilder names them', () => {
  const { owned, samples } = manifestsOf(newProject('example.com', 'caches'), app)
  assert.deepEqual(Object.keys(owned), [
    'config/crd/cache.example.com_caches.yaml',
    'config/crd/example.com_roots.yaml',
    'config/crd/kustomization.yaml',
    'config/rbac/service_account.yaml',
    'config/rbac/role.yaml',
    'config/rbac/role_binding.yaml',
    'config/rbac/leader_election_role.yaml',
    'config/rbac/leader_election_role_binding.yaml',
    'config/rbac/metrics_auth_role.yaml',
    'config/rbac/metrics_auth_role_binding.yaml',
    'config/rbac/metrics_reader_role.yaml',
    'config/rbac/cache_admin_role.yaml',
    'config/rbac/cache_editor_role.yaml',
    'config/rbac/cache_viewer_role.yaml',
    'config/rbac/root_admin_role.yaml',
    'config/rbac/root_editor_role.yaml',
    'config/rbac/root_viewer_role.yaml',
    'config/rbac/kustomization.yaml',
  ])
  assert.deepEqual(Object.keys(samples), [
    'config/samples/cache_v1_cache.yaml',
    'config/samples/v1alpha1_root.yaml',
  ])
})

test('a kustomization names every other file of its folder', () => {
  const { owned } = manifestsOf(newProject('example.com', 'caches'), app)
  for (const folder of ['config/crd', 'config/rbac']) {
    const files = Object.keys(owned)
      .filter((it) => it.startsWith(`${folder}/`) && !it.endsWith('/kustomization.yaml'))
      .map((it) => it.slice(folder.length + 1))
    const { resources } = parse(owned[`${folder}/kustomization.yaml`]!) as { resources: string[] }
    assert.deepEqual(resources, files)
  }
})

test('YAML reads back as what was written, long text on one line', () => {
  const object = { a: 'True', b: 'x: y', c: "it's", d: 'word '.repeat(60), e: ['1', 2, null] }
  const text = yamlOf(object)
  assert.deepEqual(parse(text), object)
  assert.equal(text.split('\n').filter((it) => it.includes('word')).length, 1)
})
