import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ConfigMap } from 'kubewright/kinds/core/v1'
import { ApiError } from 'kubewright/machinery'
import { startCluster } from '../../src/testing/index.ts'

const disk = mkdtempSync(join(tmpdir(), 'disk-'))
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]).status === 0

after(() => {
  if (mounted) spawnSync('umount', [disk])
  rmSync(disk, { recursive: true, force: true })
})

const TEXT = 'x'.repeat(100_000)

test(
  'a full disk refuses writes with a sentence, keeps what there is, and takes writes again when there is room',
  { skip: mounted ? false : 'a small disk of its own needs the right to mount a tmpfs' },
  async () => {
    const dataDir = join(disk, 'data')
    const ballast = join(disk, 'ballast')
    const kept: string[] = []
    const write = async (name: string): Promise<void> => {
      await first.client.create(ConfigMap, {
        metadata: { name, namespace: 'default' },
        data: { text: TEXT },
      })
      kept.push(name)
    }
    const first = await startCluster({ dataDir, controllers: false })
    try {
      writeFileSync(ballast, Buffer.alloc(2_000_000))
      const refused = await fill(write)
      assert.ok(refused instanceof ApiError)
      assert.equal(refused.code, 500)
      assert.match(
        refused.message,
        /the disk that holds .*cluster\.db is full: nothing was written; make room and try again/,
      )
      assert.ok(kept.length > 0)
      await assert.rejects(write('late'))
      const { items } = await first.client.list(ConfigMap, { namespace: 'default' })
      assert.deepEqual(items.map((it) => it.metadata.name).sort(), [...kept].sort())
      unlinkSync(ballast)
      await write('late')
    } finally {
      await first.close()
    }
    await using second = await startCluster({ dataDir, controllers: false })
    const { items } = await second.client.list(ConfigMap, { namespace: 'default' })
    assert.deepEqual(items.map((it) => it.metadata.name).sort(), [...kept].sort())
    assert.ok(items.every((it) => it.data?.['text'] === TEXT))
  },
)

/** Writes until it is refused, and answers with why. */
async function fill(write: (name: string) => Promise<void>): Promise<unknown> {
  for (let i = 0; i < 100; i++) {
    const refused = await write(`c${i}`).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (refused) return refused
  }
  return undefined
}
