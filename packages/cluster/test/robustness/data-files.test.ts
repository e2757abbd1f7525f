import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ConfigMap } from 'kubewright/kinds/core/v1'
import { startCluster } from '../../src/testing/index.ts'

const root = mkdtempSync(join(tmpdir(), 'data-'))
const good = join(root, 'good')

before(async () => {
  await using cluster = await startCluster({ dataDir: good, controllers: false, port: 0 })
  for (let i = 0; i < 40; i++)
    await cluster.client.create(ConfigMap, {
      metadata: { name: `c${i}`, namespace: 'default' },
      data: { text: 'abcdefgh'.repeat(100) },
    })
})

after(() => rmSync(root, { recursive: true, force: true }))

interface Damage {
  readonly what: string
  readonly do: (folder: string, file: string) => void
  readonly told: RegExp
}

const DAMAGES: readonly Damage[] = [
  {
    what: 'emptied',
    do: (_, file) => truncateSync(file, 0),
    told: /cluster\.db is empty, which this server never makes it: restore it from a copy, or move it away/,
  },
  {
    what: 'cut off after its first page',
    do: (_, file) => truncateSync(file, 4096),
    told: /cluster\.db is damaged: restore it from a copy/,
  },
  {
    what: 'cut in half',
    do: (_, file) => truncateSync(file, statSync(file).size >> 1),
    told: /cluster\.db is damaged: restore it from a copy/,
  },
  {
    what: 'overwritten with something else',
    do: (_, file) => writeFileSync(file, 'something else '.repeat(1000)),
    told: /cluster\.db is not a data file of this server/,
  },
  {
    what: 'overwritten inside of an object',
    do: (_, file) => {
      const bytes = readFileSync(file)
      bytes.fill('"', bytes.indexOf('"data":{"text"'), bytes.indexOf('"data":{"text"') + 20)
      writeFileSync(file, bytes)
    },
    told: /cluster\.db is damaged: restore it from a copy/,
  },
  {
    what: 'replaced by a folder',
    do: (_, file) => {
      rmSync(file)
      mkdirSync(file)
    },
    told: /cluster\.db is a folder, which this server never makes it/,
  },
  {
    what: 'in a folder that is a file',
    do: (folder) => {
      rmSync(folder, { recursive: true })
      writeFileSync(folder, '')
    },
    told: /the data folder .* cannot be made: a file of that name is there; move it away/,
  },
  {
    what: 'beside an identity that cannot be written',
    do: (folder) => {
      rmSync(join(folder, 'identity.json'))
      mkdirSync(join(folder, 'identity.json'))
    },
    told: /identity\.json cannot be written: a folder of that name is there; move it away/,
  },
]

for (const [i, damage] of DAMAGES.entries()) {
  test(`a data file ${damage.what} is told of, and left as it is`, async () => {
    const folder = join(root, String(i))
    const file = join(folder, 'cluster.db')
    cpSync(good, folder, { recursive: true })
    damage.do(folder, file)
    const size = existsSync(file) ? statSync(file).size : undefined
    await assert.rejects(startCluster({ dataDir: folder, controllers: false, port: 0 }), {
      message: damage.told,
    })
    if (damage.told.source.startsWith('cluster')) assert.equal(statSync(file).size, size)
  })
}

test('what a server writes is for its owner alone', async () => {
  const mode = (path: string): number => statSync(path).mode & 0o777
  assert.equal(mode(good), 0o700)
  assert.equal(mode(join(good, 'cluster.db')), 0o600)
  assert.equal(mode(join(good, 'identity.json')), 0o600)
})

const AS_ANYBODY = `
  const [folder, testing] = process.argv.slice(1)
  const { startCluster } = await import(testing)
  process.setgid(65534); process.setuid(65534)
  await startCluster({ dataDir: folder, controllers: false }).then(
    (it) => it.close(),
    (error) => console.log(error.message),
  )`

/** What a server says that starts in another process as the user nobody. */
async function asNobody(folder: string): Promise<string> {
  const testing = new URL('../../src/testing/index.ts', import.meta.url).href
  const child = spawn(process.execPath, ['--input-type=module', '-e', AS_ANYBODY, folder, testing])
  let said = ''
  child.stdout.on('data', (it) => (said += String(it)))
  child.stderr.on('data', (it) => (said += String(it)))
  await once(child, 'close')
  return said
}

const isRoot = process.getuid?.() === 0

test(
  'files that the user may not read or write are told of',
  { skip: isRoot ? false : 'becoming another user needs root' },
  async () => {
    chmodSync(root, 0o755)
    const folder = join(root, 'foreign')
    cpSync(good, folder, { recursive: true })
    chmodSync(folder, 0o755)
    for (const mode of [0o444, 0o000]) {
      chmodSync(join(folder, 'cluster.db'), mode)
      assert.match(
        await asNobody(folder),
        /^the data file .*cluster\.db may not be read and written by this user \(EACCES\): check its permissions/,
      )
    }
    chmodSync(folder, 0o700)
    assert.match(await asNobody(folder), /may not be read and written by this user/)
    assert.match(
      await asNobody(join(root, 'new')),
      /^the data folder .*new cannot be made: this user may not; change the permissions/,
    )
  },
)
