import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { recorded } from '../testing/recorded.ts'
import { FlagError } from './flag-error.ts'
import { loadEncryption } from './load-encryption.ts'

interface Row {
  readonly name: string
  readonly text: string
  /** How kube-apiserver v1.36.3 says why it does not start; null where it starts. */
  readonly sentence: string | null
}

for (const { name, text, sentence } of recorded<Row>(
  new URL('testdata/encryption.json', import.meta.url),
)) {
  test(`${name}: an EncryptionConfiguration is judged as the real server judges it`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'encryption-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'encryption.yaml')
    writeFileSync(file, text)
    const read = loadEncryption({ encryptionConfigFile: file })
    if (sentence === null) return void (await read)
    await assert.rejects(read, new FlagError('invalid', sentence.replace('@FILE@', file)))
  })
}
