import assert from 'node:assert/strict'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { findStore, storeFile } from './etcd-store.ts'
import { startEtcd } from './etcd.ts'

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'kubewright-etcd-')))
after(() => rmSync(folder, { recursive: true }))
const never = new AbortController().signal

/** A port of 127.0.0.1 that was free a moment ago. */
async function freeUrl(): Promise<URL> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return new URL(`http://127.0.0.1:${port}`)
}

test('etcd says that it is well, and where its folder is', async () => {
  const url = await freeUrl()
  const dataDir = path.join(folder, 'made', 'for it')
  const etcd = await startEtcd({ dataDir, listen: [url], fsync: false })
  const health = await fetch(new URL('/health', url))
  assert.deepEqual([health.status, await health.json()], [200, { health: 'true', reason: '' }])
  assert.equal((await fetch(new URL('/v3/kv/range', url))).status, 404)
  const store = await findStore([url.origin], never)
  assert.deepEqual(store, { dataDir, fsync: false })
  assert.equal(await storeFile(store, '/registry'), path.join(dataDir, 'kubewright', 'registry.db'))
  await etcd.close()
  await assert.rejects(fetch(new URL('/health', url)))
})

test('a port in use and a folder that is a file are told of', async () => {
  const url = await freeUrl()
  await using _ = disposable(await startEtcd({ dataDir: folder, listen: [url], fsync: true }))
  await assert.rejects(startEtcd({ dataDir: folder, listen: [url], fsync: true }), {
    message: `listen tcp 127.0.0.1:${url.port}: bind: address already in use`,
  })
  const file = path.join(folder, 'file')
  writeFileSync(file, '')
  await assert.rejects(
    startEtcd({ dataDir: path.join(file, 'x'), listen: [url], fsync: true }),
    /^Error: the data folder .*file\/x cannot be had: a file stands where a folder/,
  )
})

test('the server waits for its etcd to come, and knows it from a real one', async () => {
  const url = await freeUrl()
  const found = findStore([url.origin], never)
  await using _ = disposable(await startEtcd({ dataDir: folder, listen: [url], fsync: true }))
  assert.deepEqual(await found, { dataDir: folder, fsync: true })
  const other = createServer((_, outgoing) => outgoing.writeHead(404).end())
  const at = await freeUrl()
  await new Promise<void>((resolve) => other.listen(Number(at.port), at.hostname, resolve))
  await assert.rejects(
    findStore([at.origin], never),
    /is not the etcd that `kubewright assets` wrote/,
  )
  other.close()
})

const disposable = <T extends { close(): Promise<void> }>(it: T): AsyncDisposable => ({
  [Symbol.asyncDispose]: () => it.close(),
})
