import { spawn } from 'node:child_process'
import { glob } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/** One check of the tree: a program and its arguments. It passes when the program exits 0. */
interface Check {
  readonly name: string
  readonly command: readonly string[]
}

const CHECKS: readonly Check[] = [
  { name: 'types', command: ['tsc', '-p', 'tsconfig.json'] },
  { name: 'types of the operators', command: ['tsc', '-p', 'operators'] },
  { name: 'lint', command: ['oxlint', '--deny-warnings'] },
  { name: 'format', command: ['prettier', '--check', '--log-level', 'warn', '.'] },
  { name: 'layers and cycles', command: [process.execPath, 'tools/layers.ts'] },
]

const TESTS = [
  'packages/**/*.test.ts',
  'operators/**/*.test.ts',
  'tools/**/*.test.ts',
  'docs/**/*.test.ts',
  'conformance/**/*.test.ts',
]

interface Totals {
  passed: number
  failed: number
  skipped: number
}

/** Runs the checks, then the tests (only those whose path holds one of `filters`, if any); resolves to the exit code. */
export async function main(filters: readonly string[]): Promise<number> {
  const checks = filters.length ? [] : await runChecks()
  const totals = await runTests(filters)
  const broken = checks.filter((it) => !it.ok).map((it) => it.name)
  console.log(
    `checks: ${checks.length - broken.length} of ${checks.length} hold${broken.length ? `; broken: ${broken.join(', ')}` : ''}`,
  )
  console.log(
    `${totals.passed} passed, ${totals.failed + broken.length} failed, ${totals.skipped} skipped`,
  )
  return totals.failed + broken.length > 0 || totals.passed === 0 ? 1 : 0
}

async function runChecks(): Promise<readonly { readonly name: string; readonly ok: boolean }[]> {
  const outcomes = []
  for (const { name, command } of CHECKS) {
    const started = performance.now()
    const ok = (await exitCode(command)) === 0
    console.log(`${ok ? '✔' : '✖'} ${name} (${Math.round(performance.now() - started)} ms)`)
    outcomes.push({ name, ok })
  }
  return outcomes
}

function exitCode([program = '', ...args]: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'inherit' })
    child.on('error', (error) => {
      console.error(`${program} could not be started: ${error.message}. Run \`npm ci\` first.`)
      resolve(1)
    })
    child.on('close', (code) => resolve(code ?? 1))
  })
}

async function runTests(filters: readonly string[]): Promise<Totals> {
  const files = []
  for await (const file of glob(TESTS, { exclude: (name) => name.includes('node_modules') }))
    if (filters.length === 0 || filters.some((it) => file.includes(it))) files.push(file)
  const totals: Totals = { passed: 0, failed: 0, skipped: 0 }
  const stream = run({
    files: files.sort(),
    concurrency: Math.max(2, availableParallelism()),
    timeout: 300_000,
  })
  const counted = (details: { type?: string | undefined }): boolean => details.type !== 'suite'
  stream.on('test:pass', (it) => {
    if (!counted(it.details)) return
    if (it.skip !== undefined || it.todo !== undefined) totals.skipped++
    else totals.passed++
  })
  stream.on('test:fail', (it) => {
    if (counted(it.details)) totals.failed++
  })
  const printed = stream.compose(new spec())
  for await (const chunk of printed) process.stdout.write(chunk as string)
  return totals
}
