import assert from 'node:assert/strict'
import test from 'node:test'
import { findImage, type ImageMap } from './image-map.ts'
import { parseImageMap } from './parse-image-map.ts'

const MAP: ImageMap = {
  'memcached:1.6.*': { command: ['memcached', '-m', '64'] },
  'memcached:*': { command: ['memcached'] },
  etcd: { command: ['etcd'] },
  'registry.k8s.io/**': { command: ['agnhost'] },
  'ghcr.io/*/tool:v1': { command: ['tool'] },
}

const programOf = (image: string): string | undefined => findImage(MAP, image)?.command?.join(' ')

test('the first pattern that fits says what an image is', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['memcached', 'memcached'],
    ['memcached:1.6.23-alpine', 'memcached -m 64'],
    ['docker.io/library/memcached:1.5', 'memcached'],
    ['library/memcached:1.5', 'memcached'],
    ['example.com/memcached:1.5', undefined],
    ['etcd', 'etcd'],
    ['etcd:3.6', 'etcd'],
    [`etcd@sha256:${'0'.repeat(64)}`, 'etcd'],
    ['quay.io/coreos/etcd:3.6', undefined],
    ['registry.k8s.io/e2e-test-images/agnhost:2.59', 'agnhost'],
    ['ghcr.io/a/tool:v1', 'tool'],
    ['ghcr.io/a/b/tool:v1', undefined],
    ['ghcr.io/a/tool:v2', undefined],
  ]
  for (const [image, expected] of cases) assert.equal(programOf(image), expected, image)
})

test('a map is read from YAML, with commands in short', () => {
  const map = parseImageMap(`
images:
  etcd: etcd --name one
  nginx: [nginx, -g, daemon off;]
  postgres:16: { root: /srv/postgres, user: postgres, env: { PGDATA: /data } }
`)
  assert.deepEqual(map, {
    etcd: { command: ['etcd', '--name', 'one'] },
    nginx: { command: ['nginx', '-g', 'daemon off;'] },
    'postgres:16': { root: '/srv/postgres', user: 'postgres', env: { PGDATA: '/data' } },
  })
})

test('what a map cannot say is told', () => {
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['- etcd', /the document is no mapping/],
    ['images: [etcd]', /`images` is no mapping/],
    ['etcd: 3', /entry "etcd" must be an object/],
    ['etcd: { comand: [etcd] }', /has a field "comand": it takes command, args/],
    ['etcd: { command: [] }', /command must be a list of texts, the program first/],
    ['etcd: { root: ./here }', /root must be the absolute path of a folder/],
    ['etcd: { programs: { etcd: /usr/bin/etcd } }', /programs must be a mapping of absolute paths/],
  ]
  for (const [text, message] of wrong) assert.throws(() => parseImageMap(text), message, text)
})
