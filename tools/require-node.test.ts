import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Makes a Node say that it is an old one before anything else runs. */
const OLD = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}})`

for (const entry of [
  'packages/cli/bin/kubewright.mjs',
  'operators/app-otp/demo.mjs',
  'benchmarks/bench.mjs',
  'benchmarks/bench-server.mjs',
  'conformance/oracle.mjs',
  'conformance/conformance.mjs',
  'tools/test.mjs',
]) {
  test(`${entry} tells an older Node in one line what it needs`, () => {
    const { status, stderr } = spawnSync(process.execPath, ['--import', OLD, entry], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    assert.equal(status, 1)
    assert.match(stderr, /^kubewright needs Node 22\.18 or newer, and this is Node 20\.20\.2 .*\n$/)
  })
}
