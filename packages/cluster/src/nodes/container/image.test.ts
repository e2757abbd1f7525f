import assert from 'node:assert/strict'
import test from 'node:test'
import { fullImageName, imageId, isImageName, pullError } from './image.ts'

test('an image is named in full as containerd does', () => {
  assert.equal(fullImageName('nginx'), 'docker.io/library/nginx:latest')
  assert.equal(fullImageName('nginx:1.25'), 'docker.io/library/nginx:1.25')
  assert.equal(fullImageName('bitnami/redis:7'), 'docker.io/bitnami/redis:7')
  assert.equal(fullImageName('localhost:5000/app'), 'localhost:5000/app:latest')
  assert.equal(fullImageName('registry.k8s.io/pause:3.10'), 'registry.k8s.io/pause:3.10')
})

test('an image id is a digest that depends on nothing but the image', () => {
  assert.match(imageId('nginx'), /^docker\.io\/library\/nginx@sha256:[0-9a-f]{64}$/)
  assert.equal(imageId('nginx'), imageId('nginx:latest'))
  assert.notEqual(imageId('nginx:1.25'), imageId('nginx:1.26'))
})

test('names that no registry could know are told from those that could be there', () => {
  for (const good of [
    'nginx',
    'a/b-c_d/e:1.2.3',
    'host.example:5000/x/y:z',
    `x@sha256:${'0'.repeat(64)}`,
  ]) {
    assert.ok(isImageName(good), good)
  }
  for (const bad of ['', 'NGINX:1', 'a b', 'nginx:', 'x::y', '/nginx'])
    assert.ok(!isImageName(bad), bad)
})

test('a pull fails by tag', () => {
  assert.equal(pullError('nginx'), undefined)
  assert.equal(
    pullError('nginx:does-not-exist'),
    'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/nginx:does-not-exist": failed to resolve reference "docker.io/library/nginx:does-not-exist": docker.io/library/nginx:does-not-exist: not found',
  )
})
