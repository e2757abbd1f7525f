import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { sqliteStorage } from './sqlite-storage.ts'

const folder = mkdtempSync(join(tmpdir(), 'storage-kill-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** How often a process is killed; KILL_ROUNDS in the environment says otherwise. */
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 4)

/** Writes and removes with many at once, and says what was answered: `put <key> <revision> <value>`, `remove <key> <revision>`. */
const WRITER = `
  const [module, path] = process.argv.slice(1)
  const { sqliteStorage } = await import(module)
  const storage = sqliteStorage({ path })
  const say = (...words) => process.stdout.write(words.join(' ') + '\\n')
  let value = storage.revision * 1000
  const work = async (worker) => {
    for (;;) {
      const key = '/a/x/' + worker + '-' + (value % 7)
      const current = await storage.get(key)
      const next = current && value % 3 === 0 ? undefined : { metadata: {}, value: ++value, pad: 'x'.repeat(value % 3000) }
      const swap = await storage.compareAndSwap(key, current?.revision ?? 0, next)
      if (swap.ok) say(next ? 'put' : 'remove', key, swap.revision, next?.value ?? '')
      else value++
    }
  }
  for (let worker = 0; worker < 16; worker++) void work(worker)`

interface Told {
  readonly key: string
  readonly revision: number
  readonly value: number | undefined
}

async function writeUntilKilled(path: string, answers: number): Promise<readonly Told[]> {
  const module = new URL('./sqlite-storage.ts', import.meta.url).href
  const child = spawn(process.execPath, ['--input-type=module', '-e', WRITER, module, path])
  const told: Told[] = []
  const lines = createInterface(child.stdout)
  lines.on('line', (line) => {
    const [what, key = '', revision, value] = line.split(' ')
    told.push({
      key,
      revision: Number(revision),
      value: what === 'put' ? Number(value) : undefined,
    })
    if (told.length === answers) child.kill('SIGKILL')
  })
  const closed = once(lines, 'close')
  const [, signal] = (await once(child, 'exit')) as [unknown, string]
  await closed
  assert.equal(signal, 'SIGKILL')
  return told
}

test('a process that is killed at any moment has lost nothing that it answered, and no revision is given twice', async () => {
  const path = join(folder, 'killed.db')
  const last = new Map<string, Told>()
  const given = new Set<number>()
  for (const answers of fc.sample(fc.integer({ min: 1, max: 400 }), { numRuns: ROUNDS, seed: 7 })) {
    for (const it of await writeUntilKilled(path, answers)) {
      assert.ok(!given.has(it.revision), `revision ${it.revision} was given twice`)
      given.add(it.revision)
      if ((last.get(it.key)?.revision ?? 0) < it.revision) last.set(it.key, it)
    }
    const storage = sqliteStorage({ path })
    for (const it of last.values()) {
      assert.ok(storage.revision >= it.revision)
      const found = await storage.get(it.key)
      // A later write may have been kept and not yet been answered.
      if (found && found.revision > it.revision) continue
      if (!found && it.value !== undefined) assert.ok(storage.revision > it.revision, it.key)
      else assert.equal(found?.object['value'], it.value, it.key)
    }
    // What was kept and not answered has its revision for good.
    for (const { revision } of storage.snapshot().items) given.add(revision)
    for (let revision = 2; revision <= storage.revision; revision++) given.add(revision)
    await storage.close()
  }
})
