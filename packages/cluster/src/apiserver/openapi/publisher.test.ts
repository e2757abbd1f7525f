import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinResources } from '../resources/builtins.ts'
import type { ResourceInfo } from '../resources/resource.ts'
import { Descriptions } from './descriptions.ts'
import { OpenApiPublisher, type OpenApiRequest } from './publisher.ts'

const source = {
  infos: builtinResources(),
  customKind: () => undefined,
  descriptions: new Descriptions(),
  version: '1.36',
}
const NOW = Date.parse('2026-11-30T18:50:49Z')
const request = (it: Partial<OpenApiRequest>): OpenApiRequest => ({
  path: 'apis/apps/v1',
  hash: null,
  accept: null,
  ifNoneMatch: null,
  now: NOW,
  ...it,
})

const hashIn = (publisher: OpenApiPublisher, path: string): string => {
  const { paths } = JSON.parse(String(publisher.index().body)) as {
    paths: Record<string, { serverRelativeURL: string }>
  }
  const [, hash] = /^\/openapi\/v3\/[a-z0-9/.]+\?hash=([0-9A-F]{128})$/.exec(
    paths[path]!.serverRelativeURL,
  )!
  return hash!
}

test('a document under its hash may be kept for ever', () => {
  const publisher = new OpenApiPublisher(source)
  const hash = hashIn(publisher, 'apis/apps/v1')
  const answer = publisher.document(request({ hash }))
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.headers, {
    'content-type': 'application/json',
    etag: `"${hash}"`,
    vary: 'Accept',
    'cache-control': 'public, immutable',
    expires: 'Tue, 30 Nov 2027 18:50:49 UTC',
  })
  assert.ok((JSON.parse(String(answer.body)) as { openapi: string }).openapi.startsWith('3.'))
  const again = publisher.document(request({ hash, ifNoneMatch: `"${hash}"` }))
  assert.deepEqual([again.status, again.body], [304, ''])
})

test('an old hash leads to the new one', () => {
  const publisher = new OpenApiPublisher(source)
  const hash = hashIn(publisher, 'apis/apps/v1')
  const answer = publisher.document(request({ hash: '0' }))
  assert.equal(answer.status, 301)
  assert.equal(answer.headers.location, `/openapi/v3/apis/apps/v1?hash=${hash}`)
})

test('what cannot be sent', () => {
  const publisher = new OpenApiPublisher(source)
  assert.equal(publisher.document(request({ path: 'nope' })).status, 404)
  assert.equal(publisher.document(request({ accept: 'text/html' })).status, 406)
  assert.equal(publisher.document(request({ accept: 'text/html, */*;q=0.1' })).status, 200)
  assert.equal(publisher.document(request({ accept: 'application/json, */*' })).status, 200)
})

test('version 2 is one document', () => {
  const publisher = new OpenApiPublisher(source)
  const answer = publisher.documentV2({ accept: 'application/json', ifNoneMatch: null })
  assert.equal(answer.status, 200)
  assert.equal((JSON.parse(String(answer.body)) as { swagger: string }).swagger, '2.0')
  const { etag } = answer.headers
  assert.equal(publisher.documentV2({ accept: null, ifNoneMatch: etag! }).status, 304)
  assert.equal(publisher.documentV2({ accept: 'text/html', ifNoneMatch: null }).status, 406)
  const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
  const protobuf = publisher.documentV2({ accept, ifNoneMatch: null })
  assert.equal(protobuf.headers['content-type'], accept.replace('@', '.'))
  assert.ok(protobuf.body instanceof Uint8Array)
  publisher.update({ ...source, infos: source.infos.slice(1) })
  assert.notEqual(publisher.documentV2({ accept: null, ifNoneMatch: null }).headers.etag, etag)
})

test('custom documents follow their definitions', () => {
  const widget: ResourceInfo = {
    ...builtinResources().find((it) => it.plural === 'configmaps')!,
    group: 'example.com',
    kind: 'Widget',
    plural: 'widgets',
    custom: true,
  }
  const publisher = new OpenApiPublisher(source)
  assert.equal(publisher.document(request({ path: 'apis/example.com/v1' })).status, 404)
  const publish = (type: string): string => {
    const customKind = () => ({ schema: { type: 'object', properties: { a: { type } } } })
    publisher.update({ ...source, infos: [...source.infos, widget], customKind })
    return hashIn(publisher, 'apis/example.com/v1')
  }
  assert.notEqual(publish('string'), publish('integer'))
  assert.equal(publish('string'), publish('string'))
  publisher.update(source)
  assert.equal(publisher.document(request({ path: 'apis/example.com/v1' })).status, 404)
})
