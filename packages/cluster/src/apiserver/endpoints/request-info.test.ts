import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestInfo } from './request-info.ts'

/** verb group/version namespace resource/name/subresource, `-` for what is empty. */
function short(method: string, url: string): string {
  const [path = '', query] = url.split('?')
  const it = requestInfo(method, path, new URLSearchParams(query))
  if (!it.isResource) return `path ${it.verb} ${it.path}`
  const part = (text: string): string => text || '-'
  return `${it.verb} ${part(it.group)}/${it.version} ${part(it.namespace)} ${it.resource}/${part(it.name)}/${part(it.subresource)}`
}

const CASES: readonly (readonly [method: string, url: string, info: string])[] = [
  ['GET', '/', 'path get /'],
  ['GET', '/api', 'path get /api'],
  ['GET', '/api/v1', 'path get /api/v1'],
  ['GET', '/apis/apps/v1', 'path get /apis/apps/v1'],
  ['POST', '/healthz', 'path post /healthz'],
  ['GET', '//api/v1/nodes', 'path get //api/v1/nodes'],
  ['GET', '/api//v1/nodes', 'path get /api//v1/nodes'],
  ['GET', '/api/v1/nodes/', 'list -/v1 - nodes/-/-'],
  ['GET', '/api/v1/nodes/a%2Fb', 'get -/v1 - nodes/a/b'],
  ['GET', '/api/v1/nodes/%zz', 'get -/v1 - nodes/%zz/-'],
  ['GET', '/api/v1/nodes', 'list -/v1 - nodes/-/-'],
  ['GET', '/api/v1/nodes?watch=1', 'watch -/v1 - nodes/-/-'],
  ['GET', '/api/v1/nodes?watch=false', 'list -/v1 - nodes/-/-'],
  ['GET', '/api/v1/nodes/a', 'get -/v1 - nodes/a/-'],
  ['HEAD', '/api/v1/nodes/a', 'get -/v1 - nodes/a/-'],
  ['GET', '/api/v1/namespaces', 'list -/v1 - namespaces/-/-'],
  ['GET', '/api/v1/namespaces/a', 'get -/v1 a namespaces/a/-'],
  ['PUT', '/api/v1/namespaces/a/finalize', 'update -/v1 a namespaces/a/finalize'],
  ['GET', '/api/v1/namespaces/a/pods', 'list -/v1 a pods/-/-'],
  ['POST', '/api/v1/namespaces/a/pods', 'create -/v1 a pods/-/-'],
  [
    'PATCH',
    '/apis/apps/v1/namespaces/a/deployments/b/scale',
    'patch apps/v1 a deployments/b/scale',
  ],
  [
    'DELETE',
    '/apis/apps/v1/namespaces/a/deployments',
    'deletecollection apps/v1 a deployments/-/-',
  ],
  ['DELETE', '/apis/apps/v1/namespaces/a/deployments/b', 'delete apps/v1 a deployments/b/-'],
  ['GET', '/api/v1/watch/namespaces/a/pods/b', 'watch -/v1 a pods/b/-'],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Db', 'list -/v1 - pods/b/-'],
  ['GET', '/api/v1/namespaces/a/pods/b%2Fc', 'get -/v1 a pods/b/c'],
  ['GET', '/api/v1/namespaces/a/pods/%zz', 'get -/v1 a pods/%zz/-'],
]

for (const [method, url, info] of CASES) {
  test(`${method} ${url}`, () => assert.equal(short(method, url), info))
}
