import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { createClient } from 'kubewright'
import { ConfigMap } from 'kubewright/kinds/core/v1'
import { folder, kubewright } from './command.ts'

/** What commands say, one after the other, with what differs from run to run replaced. */
async function transcript(root: string, commands: readonly string[]): Promise<string> {
  const said: string[] = []
  for (const command of commands) {
    const { code, out, err } = await kubewright(root, ...command.split(' '))
    said.push(`$ kubewright ${command}`, `${out}${err}`.trimEnd(), ...(code ? [`(${code})`] : []))
  }
  return said
    .join('\n')
    .replaceAll(root, 'ROOT')
    .replace(/127\.0\.0\.1:\d+/g, 'ADDRESS')
    .replace(/process \d+/g, 'process PID')
    .replace(/version \d+/g, 'version N')
    .replace(/revision \d+/g, 'revision N')
    .replace(/\d+ objects/g, 'SOME objects')
}

test('a cluster is snapshotted, restored and started from what was restored', async () => {
  await using made = await folder({ modules: false })
  const kubeconfig = path.join(made.path, '.kubewright/kubeconfig')
  await kubewright(made.path, 'cluster', 'start', '--no-controllers')
  const first = createClient({ kubeconfig })
  const a = await first.create(ConfigMap, { metadata: { name: 'a', namespace: 'default' } })
  await first.close()
  const said = await transcript(made.path, [
    'cluster snapshot backup.jsonl',
    'cluster snapshot no/such/folder/backup.jsonl',
    'cluster restore backup.jsonl --data-dir data',
    'cluster stop',
    'cluster snapshot backup.jsonl',
    'cluster restore nothing.jsonl --data-dir data',
    'cluster restore backup.jsonl --data-dir data',
    'cluster restore backup.jsonl --data-dir data',
    'cluster start --no-controllers --data-dir data',
  ])
  assert.equal(
    said,
    `$ kubewright cluster snapshot backup.jsonl
SOME objects of https://ADDRESS, at version N, are in backup.jsonl
$ kubewright cluster snapshot no/such/folder/backup.jsonl
error: ROOT/no/such/folder/backup.jsonl cannot be written: it is not there
(1)
$ kubewright cluster restore backup.jsonl --data-dir data
error: a cluster of this folder runs at https://ADDRESS (process PID), and nothing was restored; \`kubewright cluster stop\` ends it
(1)
$ kubewright cluster stop
stopped the control plane at https://ADDRESS
$ kubewright cluster snapshot backup.jsonl
error: no cluster of this folder runs: \`kubewright cluster start\` starts one
(1)
$ kubewright cluster restore nothing.jsonl --data-dir data
error: the snapshot nothing.jsonl cannot be read: it is not there
(1)
$ kubewright cluster restore backup.jsonl --data-dir data
SOME objects of backup.jsonl are in data
kubewright cluster start --data-dir data
$ kubewright cluster restore backup.jsonl --data-dir data
error: the data file data/cluster.db holds a cluster already, at revision N: restore into a new file, or move this one away
(1)
$ kubewright cluster start --no-controllers --data-dir data
control plane at https://ADDRESS
export KUBECONFIG=ROOT/.kubewright/kubeconfig`,
  )
  const second = createClient({ kubeconfig })
  const again = await second.get(ConfigMap, { name: 'a', namespace: 'default' })
  assert.deepEqual(again.metadata, a.metadata)
  const b = await second.create(ConfigMap, { metadata: { name: 'b', namespace: 'default' } })
  assert.ok(Number(b.metadata.resourceVersion) > 1_000_000_000)
  await second.close()
  await kubewright(made.path, 'cluster', 'stop')
  const backup = path.join(made.path, 'backup.jsonl')
  assert.equal((await stat(backup)).mode & 0o777, 0o600)
  const text = await readFile(backup, 'utf8')
  await writeFile(backup, text.slice(0, text.length / 2))
  const damaged = await kubewright(made.path, 'cluster', 'start', '--from', 'backup.jsonl')
  assert.match(
    damaged.err,
    /^error: the control plane did not start: backup\.jsonl is cut short or damaged/,
  )
  await writeFile(backup, text)
  const restart = 'cluster start --from backup.jsonl --bump-revision 5 --no-controllers'
  const started = await kubewright(made.path, ...restart.split(' '))
  assert.equal(started.code, 0, started.err)
  const third = createClient({ kubeconfig })
  assert.equal((await third.list(ConfigMap, { namespace: 'default' })).items.length, 1)
  await third.close()
  await kubewright(made.path, 'cluster', 'stop')
})
