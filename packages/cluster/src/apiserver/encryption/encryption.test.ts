import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { createApiServer } from '../server.ts'
import { memoryStorage } from '../storage/memory-storage.ts'
import { sqliteStorage } from '../storage/sqlite-storage.ts'
import { storageSuite } from '../storage/storage.suite.ts'
import { type EncryptionConfiguration, encryptionRules } from './configuration.ts'
import { encryptedStorage } from './encrypted-storage.ts'
import { aesCbc, aesGcm, secretbox } from './transformer.ts'

const key = (name: string, byte: number): { name: string; secret: string } => ({
  name,
  secret: Buffer.alloc(32, byte).toString('base64'),
})

interface Body {
  readonly kind: string
  readonly code: number
  readonly message: string
  readonly data: { readonly a: string }
  readonly metadata: {
    readonly name: string
    readonly resourceVersion: string
    readonly labels: { readonly app: string }
  }
  readonly items: readonly Body[]
}

const EVERYTHING = encryptionRules({
  resources: [
    { resources: ['*.*'], providers: [{ aesgcm: { keys: [key('k', 1)] } }, { identity: {} }] },
  ],
})

// What another store begins with was not written by this one: it is taken as it is.
storageSuite('an encrypted store', (window, from) =>
  encryptedStorage(
    memoryStorage({ window, freeze: true, ...(from ? { from } : {}) }),
    () => EVERYTHING,
  ),
)

test('what was encrypted comes out as it went in, and nowhere else', () => {
  for (const make of [aesGcm, aesCbc, secretbox]) {
    const transformer = make([{ name: 'a', secret: Buffer.alloc(32, 7) }])
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const data = transformer.encrypt(text, '/secrets/default/x')
        assert.ok(data.startsWith(transformer.prefix))
        assert.equal(transformer.decrypt(data, '/secrets/default/x'), Buffer.from(text).toString())
      }),
    )
  }
  const gcm = aesGcm([{ name: 'a', secret: Buffer.alloc(32, 7) }])
  const moved = gcm.encrypt('x', '/secrets/default/x')
  assert.throws(
    () => gcm.decrypt(moved, '/secrets/default/y'),
    /cipher: message authentication failed/,
  )
})

test('nothing of a secret can be read in the file, and other resources lie there as they are', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'encrypted-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'cluster.db')
  const config = (...providers: readonly object[]): EncryptionConfiguration => ({
    resources: [{ resources: ['secrets'], providers }],
  })
  const [old, next, wrong] = [
    { aescbc: { keys: [key('one', 1)] } },
    { aesgcm: { keys: [key('two', 2), key('three', 3)] } },
    { aescbc: { keys: [key('one', 9)] } },
  ]
  const path1 = '/api/v1/namespaces/default/secrets'
  const during = async (
    encryption: EncryptionConfiguration | undefined,
    run: (ask: (method: string, path: string, body?: object) => Promise<Body>) => Promise<void>,
  ): Promise<void> => {
    const storage = sqliteStorage({ path })
    const server = createApiServer({ storage, ...(encryption ? { encryption } : {}) })
    await run(async (method, where, body) => {
      const init = body
        ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
        : {}
      const answer = await server.fetch(new Request(`http://server${where}`, { method, ...init }))
      return (await answer.json()) as Body
    })
    await server.close()
  }
  await during(undefined, async (ask) => {
    await ask('POST', path1, { metadata: { name: 'plain' }, stringData: { a: 'before' } })
  })
  await during(config(old, { identity: {} }), async (ask) => {
    await ask('POST', path1, {
      metadata: { name: 'hidden', labels: { app: 'x' } },
      stringData: { a: 'SECRETWORD' },
    })
    await ask('POST', '/api/v1/namespaces/default/configmaps', {
      metadata: { name: 'm' },
      data: { a: 'OPENWORD' },
    })
    const { data, metadata } = await ask('GET', `${path1}/hidden`)
    assert.equal(Buffer.from(data.a, 'base64').toString(), 'SECRETWORD')
    assert.match(metadata.resourceVersion, /^\d+$/)
    const list = await ask('GET', `${path1}?labelSelector=app%3Dx`)
    assert.deepEqual(
      list.items.map((it) => it.metadata.name),
      ['hidden'],
    )
    assert.equal((await ask('GET', `${path1}/plain`)).kind, 'Secret')
  })
  const bytes = readdirSync(folder)
    .map((it) => readFileSync(join(folder, it)).toString('latin1'))
    .join('')
  assert.ok(bytes.includes('OPENWORD'))
  assert.ok(bytes.includes('k8s:enc:aescbc:v1:one:'))
  assert.ok(
    !bytes.includes('SECRETWORD') && !bytes.includes(Buffer.from('SECRETWORD').toString('base64')),
  )
  // Another key writes, the old one still reads; a write brings a value to the new one.
  await during(config(next, old, { identity: {} }), async (ask) => {
    const secret = await ask('GET', `${path1}/hidden`)
    await ask('PUT', `${path1}/hidden`, {
      ...secret,
      metadata: { ...secret.metadata, labels: { app: 'y' } },
    })
  })
  await during(config(next, { identity: {} }), async (ask) => {
    assert.equal((await ask('GET', `${path1}/hidden`)).metadata.labels.app, 'y')
  })
  await during(config(wrong), async (ask) => {
    assert.equal(
      (await ask('GET', `${path1}/hidden`)).message,
      'Internal error occurred: unable to transform key "/registry/secrets/default/hidden": no matching prefix found',
    )
  })
  await during(config({ aesgcm: { keys: [key('two', 9)] } }), async (ask) => {
    const { code, message } = await ask('GET', `${path1}/hidden`)
    assert.equal(code, 500)
    assert.equal(
      message,
      'Internal error occurred: unable to transform key "/registry/secrets/default/hidden": cipher: message authentication failed',
    )
  })
})

test('keys are turned over while the server runs', async () => {
  const storage = memoryStorage()
  const config = (...keys: readonly object[]): EncryptionConfiguration => ({
    resources: [{ resources: ['secrets'], providers: [{ secretbox: { keys } }] }] as never,
  })
  await using server = createApiServer({ storage, encryption: config(key('old', 1)) })
  const path = '/api/v1/namespaces/default/secrets'
  const post = async (name: string): Promise<number> => {
    const body = JSON.stringify({ metadata: { name }, stringData: { a: name } })
    const headers = { 'content-type': 'application/json' }
    const request = new Request(`http://server${path}`, { method: 'POST', body, headers })
    return (await server.fetch(request)).status
  }
  const keyOf = async (name: string): Promise<string | undefined> => {
    const stored = await storage.get(`/secrets/default/${name}`)
    return /k8s:enc:secretbox:v1:(\w+):/.exec(stored?.json ?? '')?.[1]
  }
  assert.equal(await post('a'), 201)
  await server.reconfigure({ encryption: config(key('new', 2), key('old', 1)) })
  assert.equal(await post('b'), 201)
  assert.deepEqual([await keyOf('a'), await keyOf('b')], ['old', 'new'])
  const answer = await server.fetch(new Request(`http://server${path}`))
  assert.equal(((await answer.json()) as Body).items.length, 2)
})
