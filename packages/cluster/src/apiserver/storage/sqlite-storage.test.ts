import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { sqliteStorage } from './sqlite-storage.ts'
import { Compacted, StorageFailure } from './storage.ts'
import { storageSuite } from './storage.suite.ts'

const folder = mkdtempSync(join(tmpdir(), 'storage-'))
after(() => rmSync(folder, { recursive: true }))

let files = 0
const file = (): string => join(folder, `${++files}.db`)

storageSuite('SQLite storage', (window, from) =>
  sqliteStorage({ path: file(), window, freeze: true, ...(from && { from }) }),
)

const object = (value: unknown): { metadata: { name: string }; value: unknown } => ({
  metadata: { name: 'x' },
  value,
})

const failure = (part: RegExp) => (error: unknown) =>
  error instanceof StorageFailure && part.test(error.message)

describe('SQLite storage on its file', () => {
  test('finds everything again, at the same revision, but not the history', async () => {
    const path = file()
    const first = sqliteStorage({ path })
    await first.compareAndSwap('/a/x/1', 0, object('é "quoted"'))
    await first.compareAndSwap('/a/x/2', 0, object(2))
    await first.compareAndSwap('/a/x/2', 3, undefined)
    await first.close()
    const second = sqliteStorage({ path })
    assert.equal(second.revision, 4)
    assert.equal(second.compacted, 4)
    const { items } = await second.list({ prefix: '/' })
    assert.deepEqual(
      items.map((it) => [it.key, it.revision, it.object['value']]),
      [['/a/x/1', 2, 'é "quoted"']],
    )
    await assert.rejects(second.list({ prefix: '/', at: 3 }), Compacted)
    const swap = await second.compareAndSwap('/a/x/1', 2, object(3))
    assert.equal(swap.ok && swap.revision, 5)
    await second.close()
  })

  test('keeps what was answered when the process is killed', () => {
    const path = file()
    const program = `
      const { sqliteStorage } = await import(${JSON.stringify(new URL('./sqlite-storage.ts', import.meta.url).href)})
      const storage = sqliteStorage({ path: ${JSON.stringify(path)} })
      await Promise.all([1, 2, 3].map((it) => storage.compareAndSwap('/a/x/' + it, 0, { metadata: {}, it })))
      process.kill(process.pid, 'SIGKILL')`
    const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program])
    assert.equal(signal, 'SIGKILL')
    const storage = sqliteStorage({ path })
    assert.equal(storage.revision, 4)
    return storage.close()
  })

  test('refuses a file that another process has open', () => {
    const path = file()
    const storage = sqliteStorage({ path })
    assert.throws(() => sqliteStorage({ path }), failure(/is in use by another process: stop/))
    return storage.close()
  })

  test('refuses a file that is no database, or a damaged one, and leaves it as it is', async () => {
    const text = file()
    writeFileSync(text, 'this is not a database, whatever its name says. '.repeat(100))
    assert.throws(() => sqliteStorage({ path: text }), failure(/is not a data file of this server/))
    const foreign = file()
    const database = new DatabaseSync(foreign)
    database.exec('CREATE TABLE objects (a); CREATE TABLE facts (b)')
    database.close()
    assert.throws(() => sqliteStorage({ path: foreign }), failure(/cannot be read/))
  })

  test('refuses a file in a folder that is not there', () => {
    assert.throws(
      () => sqliteStorage({ path: join(folder, 'no', 'such.db') }),
      failure(/cannot be opened: check that its folder exists/),
    )
  })

  test('refuses a format of another version', async () => {
    const path = file()
    await sqliteStorage({ path }).close()
    const database = new DatabaseSync(path)
    database.exec("UPDATE facts SET value = 9 WHERE name = 'format'")
    database.close()
    assert.throws(() => sqliteStorage({ path }), failure(/has format 9, and this version reads/))
  })

  test('brings a file of the first format to this one', async () => {
    const path = file()
    const database = new DatabaseSync(path)
    for (const statement of [
      'CREATE TABLE objects (key TEXT PRIMARY KEY, revision INTEGER NOT NULL, value TEXT NOT NULL) WITHOUT ROWID',
      'CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID',
      "INSERT INTO facts VALUES ('format', 1), ('revision', 9)",
      `INSERT INTO objects VALUES ('/a/x/1', 7, '{"metadata":{},"value":1}'), ('/a/x/2', 9, '{"metadata":{}}')`,
    ])
      database.exec(statement)
    database.close()
    for (let opened = 0; opened < 2; opened++) {
      const storage = sqliteStorage({ path })
      assert.equal(storage.revision, 9 + opened)
      assert.equal((await storage.get('/a/x/1'))?.object['value'], 1)
      assert.ok((await storage.compareAndSwap(`/b/x/${opened}`, 0, object(2))).ok)
      await storage.close()
    }
  })

  test('notices a changed bit in a text, a key or a version, wherever it is', async () => {
    for (const [what, change] of [
      ['text', "UPDATE objects SET value = replace(value, 'one', 'onf')"],
      ['key', "UPDATE objects SET key = '/a/x/3' WHERE key = '/a/x/1'"],
      ['version', 'UPDATE objects SET revision = 1'],
      ['newest version', "UPDATE facts SET value = 2 WHERE name = 'revision'"],
    ] as const) {
      const path = file()
      const storage = sqliteStorage({ path })
      await storage.compareAndSwap('/a/x/1', 0, object('one'))
      await storage.compareAndSwap('/a/x/2', 0, object('two'))
      await storage.close()
      const database = new DatabaseSync(path)
      database.exec(change)
      database.close()
      assert.throws(
        () => sqliteStorage({ path }),
        failure(/is damaged: restore it from a copy/),
        what,
      )
    }
  })

  test('a full disk refuses the write, loses nothing, and goes on when there is room', async () => {
    const path = file()
    const storage = sqliteStorage({ path, pageLimit: 12 })
    const kept = await storage.compareAndSwap('/a/x/1', 0, object(1))
    assert.ok(kept.ok)
    const big = object('x'.repeat(1_000_000))
    await assert.rejects(
      storage.compareAndSwap('/a/x/2', 0, big),
      failure(/is full: nothing was written; make room/),
    )
    assert.equal(storage.revision, 2)
    assert.equal(await storage.get('/a/x/2'), undefined)
    const small = await storage.compareAndSwap('/a/x/2', 0, object(2))
    assert.equal(small.ok && small.revision, 3)
    await storage.close()
    const again = sqliteStorage({ path })
    assert.equal((await again.list({ prefix: '/' })).items.length, 2)
    await again.close()
  })

  test('a write after close is refused', async () => {
    const storage = sqliteStorage({ path: file() })
    await storage.close()
    await storage.close()
    await assert.rejects(storage.compareAndSwap('/a/x/1', 0, object(1)), failure(/is closed/))
  })
})
