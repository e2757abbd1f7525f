import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { Exchange } from '../endpoints/exchange.ts'
import type { Answer } from '../http/message.ts'
import { compression } from './compression.ts'

const LIMIT = 128 * 1024

async function compressed(
  body: Answer['body'],
  accepted: string | undefined,
  path = '/api/v1/pods',
  headers: Answer['headers'] = {},
): Promise<Answer> {
  const request = { header: () => accepted }
  const answer: Answer = { status: 200, headers, ...(body === undefined ? {} : { body }) }
  return compression(async () => answer)({ request, info: { path } } as unknown as Exchange)
}

test('what is longer than 128 KiB is compressed, in bytes', async () => {
  const encodingOf = async (body: string | Uint8Array): Promise<unknown> =>
    (await compressed(body, 'gzip')).headers['content-encoding']
  assert.equal(await encodingOf('x'.repeat(LIMIT)), undefined)
  assert.equal(await encodingOf('x'.repeat(LIMIT + 1)), 'gzip')
  assert.equal(await encodingOf('é'.repeat(LIMIT / 2)), undefined)
  assert.equal(await encodingOf('é'.repeat(LIMIT / 2 + 1)), 'gzip')
  assert.equal(await encodingOf(Buffer.alloc(LIMIT + 1)), 'gzip')
  const { body } = await compressed('x'.repeat(LIMIT + 1), 'gzip')
  assert.equal(gunzipSync(body as Uint8Array).length, LIMIT + 1)
})

test('a client takes gzip that names it so, as a real server reads it', async () => {
  const taken: Readonly<Record<string, boolean>> = {
    gzip: true,
    'deflate, gzip': true,
    ' gzip ': true,
    'gzip,deflate;q=0': true,
    'gzip;q=0.5': false,
    GZIP: false,
    'x-gzip': false,
    '*': false,
    br: false,
  }
  for (const [accepted, expected] of Object.entries(taken)) {
    const { headers } = await compressed('x'.repeat(LIMIT + 1), accepted)
    assert.equal(headers['content-encoding'] === 'gzip', expected, accepted)
  }
})

test('only objects and discovery are compressed, and Vary says so beside what it said', async () => {
  const long = 'x'.repeat(LIMIT + 1)
  assert.equal((await compressed(long, 'gzip', '/metrics')).headers['content-encoding'], undefined)
  const { headers } = await compressed(long, 'gzip', '/apis', { vary: 'Accept' })
  assert.deepEqual(headers['vary'], ['Accept', 'Accept-Encoding'])
  const stream = (async function* () {})()
  assert.equal((await compressed(stream, 'gzip')).body, stream)
})
