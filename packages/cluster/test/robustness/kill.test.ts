import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { ConfigMap } from 'kubewright/kinds/core/v1'
import { startCluster } from '../../src/testing/index.ts'

const root = mkdtempSync(join(tmpdir(), 'kill-'))
after(() => rmSync(root, { recursive: true, force: true }))

/** Writes with many at once until it is killed; tells of each write once it has been answered. */
const WRITER = `
  const [dataDir, prefix, testing, kinds] = process.argv.slice(1)
  const { startCluster } = await import(testing)
  const { ConfigMap } = await import(kinds)
  const { client } = await startCluster({ dataDir, controllers: false })
  const say = (...words) => process.stdout.write(words.join(' ') + '\\n')
  let next = 0
  const work = async () => {
    for (;;) {
      const name = prefix + next++
      const made = await client.create(ConfigMap, { metadata: { name, namespace: 'default' }, data: { v: '1' } })
      say('has', name, '1')
      await client.update(ConfigMap, { ...made, data: { v: '2' } })
      say('has', name, '2')
      if (next % 5 > 0) continue
      await client.delete(ConfigMap, { name, namespace: 'default' })
      say('gone', name, '')
    }
  }
  for (let i = 0; i < 8; i++) void work()`

/** What was answered before the process was killed, in the middle of more. */
async function writeUntilKilled(prefix: string, answers: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    WRITER,
    root,
    prefix,
    new URL('../../src/testing/index.ts', import.meta.url).href,
    import.meta.resolve('kubewright/kinds/core/v1'),
  ])
  const said: string[] = []
  const lines = createInterface(child.stdout)
  lines.on('line', (line) => {
    said.push(line)
    if (said.length === answers) child.kill('SIGKILL')
  })
  const closed = once(lines, 'close')
  const [, signal] = (await once(child, 'exit')) as [unknown, string]
  await closed
  assert.equal(signal, 'SIGKILL')
  return said
}

test('a server that is killed in the middle of its writes has lost none that it answered', async () => {
  const values = new Map<string, string>()
  const gone = new Set<string>()
  for (const prefix of ['a', 'b']) {
    for (const line of await writeUntilKilled(prefix, 300)) {
      const [is = '', name = '', value = ''] = line.split(' ')
      if (is === 'has') values.set(name, value)
      else {
        values.delete(name)
        gone.add(name)
      }
    }
    await using cluster = await startCluster({ dataDir: root, controllers: false })
    const found = new Map<string, string>()
    for (const it of (await cluster.client.list(ConfigMap, { namespace: 'default' })).items)
      found.set(it.metadata.name ?? '', it.data?.['v'] ?? '')
    assert.ok(values.size > 50 && gone.size > 0)
    for (const [name, value] of values) {
      // The last write of each may have been done and not yet been answered: a newer value, or a removal.
      const isNewer = value === '1' ? found.get(name) === '2' : !found.has(name)
      const removable = value === '2' && isNewer
      assert.ok(found.get(name) === value || (value === '1' && isNewer) || removable, name)
    }
    for (const name of gone) assert.equal(found.has(name), false, name)
    const missing = [...values.keys()].filter((it) => !found.has(it))
    assert.ok(missing.length <= 8, `only what was under way may have gone: ${missing.join()}`)
    for (const it of missing) values.delete(it)
  }
})
