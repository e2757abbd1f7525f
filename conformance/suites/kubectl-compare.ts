import { mkdtemp, readFile, rm, writeFile, copyFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { CASES } from '../kubectl/cases.ts'
import type { Case } from '../kubectl/case.ts'
import { inOrder, normalised, shapeOnly } from '../kubectl/normalise.ts'
import { buildReference, KUBERNETES } from '../reference/build.ts'
import { runProgram } from './command.ts'
import { oneLine } from './junit.ts'
import type { Result, Suite, SuiteContext } from './suite.ts'

const DATA = fileURLToPath(new URL('../kubectl/data', import.meta.url))
const ANSWERS = fileURLToPath(new URL('../kubectl/answers.txt', import.meta.url))

/**
 * What kubectl shows, case by case, beside what it shows of a real cluster. `--server oracle` records the answers; any other server is
 * held against them. All cases are run, whatever `--only` picks out: later ones live on earlier ones.
 */
export const KUBECTL_COMPARE: Suite = {
  name: 'kubectl-compare',
  about: 'what kubectl shows, beside what it shows of a real cluster',
  versions: { Kubernetes: KUBERNETES },
  run: async (context) => {
    const answers = await play(context)
    await writeFile(path.join(context.folder, 'answers.txt'), answersText(answers))
    const isOracle = context.server === 'oracle'
    if (isOracle && context.only.length === 0) await writeFile(ANSWERS, answersText(answers))
    const expected = answersIn(await readFile(ANSWERS, 'utf8'))
    return [...answers]
      .filter(([name]) => context.only.length === 0 || context.only.some((it) => name.includes(it)))
      .map(([name, answer]) => compared(name, answer, expected.get(name)))
  },
}

async function play({ start, folder, say }: SuiteContext): Promise<ReadonlyMap<string, string>> {
  const bin = await buildReference(['kubectl'])
  const { kubeconfig } = await start({ controllers: true, nodes: 0, scheduler: true })
  const home = await mkdtemp(path.join(tmpdir(), 'kubewright-kubectl-'))
  const config = path.join(home, 'kubeconfig')
  await copyFile(kubeconfig, config)
  const env = {
    KUBECONFIG: config,
    HOME: home,
    LANG: 'C',
    PATH: `${bin}${path.delimiter}${path.dirname(process.execPath)}${path.delimiter}${process.env['PATH'] ?? ''}`,
  }
  const log = path.join(folder, 'kubectl.log')
  say(`${CASES.length} cases; ${path.join(folder, 'answers.txt')} will have what was shown`)
  try {
    const named = ['config', 'set-context', '--current', '--namespace=shop']
    await runProgram(path.join(bin, 'kubectl'), named, { env })
    const answers = new Map<string, string>()
    for (const it of CASES) answers.set(it.name, await answerOf(it, env, log))
    return answers
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** How long a case is asked again for what it waits for, ms. */
const PATIENCE = 30_000

async function answerOf(
  { run, until, sorted }: Case,
  env: Readonly<Record<string, string>>,
  log: string,
): Promise<string> {
  const deadline = performance.now() + PATIENCE
  for (;;) {
    const { code, all } = await runProgram('bash', ['-c', run], {
      cwd: DATA,
      env,
      timeout: 120_000,
    })
    if (until && !until.test(all) && performance.now() < deadline) {
      await sleep(500)
      continue
    }
    await writeFile(log, `$ ${run}\n${all}\n`, { flag: 'a' })
    const plain = inOrder(normalised(all)).trimEnd()
    const text = run.startsWith('kubectl explain') ? shapeOnly(plain) : plain
    const shown = sorted ? text.split('\n').sort().join('\n') : text
    return `$ ${run.trimEnd()}\n${shown}${shown === '' ? '' : '\n'}(exit ${code})`
  }
}

const HEAD = /^=== (.*)$/m

const answersText = (answers: ReadonlyMap<string, string>): string =>
  [...answers].map(([name, text]) => `=== ${name}\n${text}\n`).join('\n')

function answersIn(text: string): ReadonlyMap<string, string> {
  const parts = text.split(HEAD)
  const found = new Map<string, string>()
  for (let at = 1; at + 1 < parts.length; at += 2) found.set(parts[at]!, parts[at + 1]!.trim())
  return found
}

function compared(name: string, answer: string, expected: string | undefined): Result {
  if (expected === undefined) return { name, outcome: 'failed', reason: 'no answer is recorded' }
  if (answer.trim() === expected) return { name, outcome: 'passed' }
  return { name, outcome: 'failed', reason: oneLine(firstDifference(answer, expected)) }
}

function firstDifference(answer: string, expected: string): string {
  const [ours, theirs] = [answer.trim().split('\n'), expected.split('\n')]
  const at = ours.findIndex((it, line) => it !== theirs[line])
  if (at < 0) return `ends before: ${theirs[ours.length]}`
  return `"${ours[at]}" and not "${theirs[at] ?? 'the end'}"`
}
