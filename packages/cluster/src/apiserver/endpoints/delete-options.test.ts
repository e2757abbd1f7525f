import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiServer } from '../server.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'

/** What a DELETE of kube-apiserver v1.36.3 says, with the uid and version of the object put in. */
const ASKED: readonly (readonly [query: string, body: object | undefined, wanted: string])[] = [
  [
    'resourceVersion=1',
    undefined,
    'the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (RV). The object might have been modified',
  ],
  [
    'resourceVersion=abc',
    undefined,
    'the ResourceVersion in the precondition (abc) does not match the ResourceVersion in record (RV). The object might have been modified',
  ],
  [
    'uid=xyz',
    undefined,
    'the UID in the precondition (xyz) does not match the UID in record (UID). The object might have been deleted and then recreated',
  ],
  [
    'uid=x&resourceVersion=1',
    undefined,
    'the UID in the precondition (x) does not match the UID in record (UID). The object might have been deleted and then recreated',
  ],
  ['resourceVersion=&uid=', undefined, ''],
  ['preconditions.resourceVersion=1', undefined, ''],
  // Options in a body are all there are.
  ['resourceVersion=1', { kind: 'DeleteOptions', apiVersion: 'v1' }, ''],
]

test('what an object must still be can stand in the query of its DELETE', async () => {
  await using server = createApiServer({ admission: [] })
  const ask = async (method: string, path: string, body?: object): Promise<Response> =>
    server.fetch(
      new Request(`http://server${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    )
  for (const [query, body, wanted] of ASKED) {
    await ask('POST', MAPS, { metadata: { name: 'a' } })
    const { metadata } = (await (await ask('GET', `${MAPS}/a`)).json()) as {
      readonly metadata: { readonly uid: string; readonly resourceVersion: string }
    }
    const answer = await ask('DELETE', `${MAPS}/a?${query}`, body)
    const { status, message = '' } = (await answer.json()) as { status: string; message?: string }
    const why = wanted.replace('RV', metadata.resourceVersion).replace('(UID)', `(${metadata.uid})`)
    const told = wanted ? `Operation cannot be fulfilled on ConfigMap "a": ${why}` : ''
    assert.deepEqual([query, message], [query, told])
    assert.equal(answer.status, wanted ? 409 : 200)
    assert.equal(status, wanted ? 'Failure' : 'Success')
  }
})
