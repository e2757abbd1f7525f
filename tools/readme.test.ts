import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const exec = promisify(execFile)
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TWINS = ['README.md', 'README.zh-CN.md']

const read = (name: string): Promise<string> => readFile(path.join(ROOT, name), 'utf8')

const blocks = (markdown: string): readonly string[] =>
  [...markdown.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)

/** The commands of indented blocks, without their comments. */
const commands = (markdown: string): readonly string[] =>
  [...markdown.matchAll(/^ {4}(\S.*)$/gm)].map(([, line = '']) => line.replace(/\s+#.*$/, ''))

test('the README and its Chinese twin show the same code and the same commands', async () => {
  const [english = '', chinese = ''] = await Promise.all(TWINS.map(read))
  assert.deepEqual(blocks(chinese), blocks(english))
  assert.deepEqual(commands(chinese), commands(english))
})

test('the first operator is thirty lines or fewer, type-checks, and passes its test', async () => {
  const [app = '', its = ''] = blocks(await read('README.md'))
  assert.ok(app.trim().split('\n').length <= 30, 'the README promises thirty lines')
  const folder = await mkdtemp(path.join(tmpdir(), 'kubewright-readme-'))
  try {
    await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
    await writeFile(path.join(folder, 'app.ts'), app)
    await writeFile(path.join(folder, 'app.test.ts'), its)
    const compilerOptions = { isolatedDeclarations: false, incremental: false }
    const config = { extends: path.join(ROOT, 'tsconfig.json'), compilerOptions, include: ['*.ts'] }
    await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(config))
    await run('tsc', ['-p', folder], folder)
    await run(process.execPath, ['--test', 'app.test.ts'], folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('every command in the README exists', async () => {
  const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> }
  const cli = path.join(ROOT, 'packages', 'cli', 'bin', 'kubewright.mjs')
  for (const command of commands(await read('README.md'))) {
    if (command.startsWith('npm ci && npm '))
      assert.ok(scripts[command.split(' ').at(-1) ?? ''], command)
    else {
      const words = command.split(' ').slice(1)
      const names = words.slice(0, words.findIndex((it) => it.startsWith('-')) >>> 0)
      const { stdout } = await exec(process.execPath, [cli, ...names, '--help'])
      for (const flag of words.filter((it) => it.startsWith('--')))
        assert.ok(stdout.includes(flag), `${command}: ${flag}`)
    }
  }
})

async function run(program: string, args: readonly string[], cwd: string): Promise<void> {
  const env = { ...process.env }
  delete env['NODE_TEST_CONTEXT']
  await exec(program, args, { cwd, env }).catch((error: { stdout?: string; stderr?: string }) => {
    throw new Error(
      `${program} ${args.join(' ')} failed:\n${error.stdout ?? ''}${error.stderr ?? ''}`,
      { cause: error },
    )
  })
}
