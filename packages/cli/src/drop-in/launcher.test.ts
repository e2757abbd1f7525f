import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { launcherText } from './launcher.ts'

const home = mkdtempSync(path.join(tmpdir(), "kubewright's launcher "))
after(() => rmSync(home, { recursive: true }))

/** A project that holds a Node (this one, behind a script), a module that prints its arguments, and a launcher of it. */
function project(name: string): { readonly root: string; readonly program: string } {
  const root = path.join(home, name)
  const [node, module, folder] = ['node', 'module.mjs', 'assets'].map((it) => path.join(root, it))
  mkdirSync(folder!, { recursive: true })
  writeFileSync(node!, `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 })
  writeFileSync(module!, 'console.log(JSON.stringify(process.argv.slice(2)))')
  const program = path.join(folder!, 'etcd')
  const text = launcherText({
    program: 'etcd',
    folder: folder!,
    node: node!,
    module: module!,
    help: 'the help: $HOME `x` "y"\n  --unsafe-no-fsync\n',
    version: 'etcd Version: 1',
  })
  writeFileSync(program, text)
  chmodSync(program, 0o755)
  return { root, program }
}

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } })

test('help and version come from the shell, without a Node', () => {
  const { root, program } = project('help')
  rmSync(path.join(root, 'node'))
  assert.equal(run(program, '--help'), 'the help: $HOME `x` "y"\n  --unsafe-no-fsync\n')
  assert.equal(run(program, '-h'), run(program, '--help'))
  assert.equal(run(program, '--version'), 'etcd Version: 1\n')
})

test('arguments arrive as they were given', () => {
  const { program } = project('arguments')
  const given = ['--a=b c', "it's", '', '$HOME', '--help']
  assert.deepEqual(JSON.parse(run(program, ...given)), ['etcd', ...given])
})

test('a project that was moved as a whole keeps working, and one that is gone is told of', () => {
  const { root } = project('moved')
  const elsewhere = path.join(home, 'elsewhere')
  renameSync(root, elsewhere)
  assert.deepEqual(JSON.parse(run(path.join(elsewhere, 'assets', 'etcd'), '-x')), ['etcd', '-x'])
  rmSync(path.join(elsewhere, 'module.mjs'))
  const { status, stderr } = spawnSync(path.join(elsewhere, 'assets', 'etcd'), [], {
    encoding: 'utf8',
  })
  assert.equal(status, 1)
  assert.match(
    stderr,
    /^etcd: kubewright is no longer at .*module\.mjs; run `kubewright assets` for/,
  )
})
