import { access } from 'node:fs/promises'
import path from 'node:path'
import { KUBERNETES } from '../reference/build.ts'
import { runProgram } from './command.ts'
import { oneLine } from './junit.ts'
import type { Result, Suite } from './suite.ts'

/** The server that both were recorded with: nobody makes service accounts there, so none may be asked for. */
const NEEDS = {
  controllers: false,
  nodes: 0,
  flags: ['--disable-admission-plugins=ServiceAccount'],
} as const

/**
 * A suite that lies outside of this repository: a folder with a program `check.py` that takes `--kubeconfig FILE`. `read` makes results
 * of what it prints; `names` are what it prints for `--list`.
 */
const external = (
  name: string,
  about: string,
  { lists, read }: { readonly lists: boolean; readonly read: Reader },
): Suite => ({
  name,
  about,
  versions: { Kubernetes: KUBERNETES },
  run: async ({ start, folder, from, only, say }) => {
    const program = await programIn(name, from)
    const { kubeconfig } = await start(NEEDS)
    const log = path.join(folder, 'run.log')
    say(`${log} tells how it goes`)
    const selection = only.flatMap((it) => ['--only', it])
    const all = lists ? (await runProgram('python3', [program, '--list'])).out.split('\n') : []
    const args = [program, '--kubeconfig', kubeconfig, ...selection]
    const ran = await runProgram('python3', args, { log })
    return read(ran.all, only.length > 0 ? [] : all.filter((it) => it !== ''))
  },
})

type Reader = (text: string, names: readonly string[]) => readonly Result[]

async function programIn(name: string, from: string | undefined): Promise<string> {
  if (from === undefined)
    throw new Error(
      `the suite ${name} lies outside of this repository: --from DIR says where; DIR holds its check.py`,
    )
  const program = path.resolve(from, 'check.py')
  await access(program).catch((cause: unknown) => {
    throw new Error(`${program} is not there: --from DIR names the folder that holds check.py`, {
      cause,
    })
  })
  return program
}

/** Every name that no line `FAIL name: why` complains of has passed. */
export const casesIn: Reader = (text, names) => {
  const failed = [...text.matchAll(/^FAIL ([^\s:]+):? *(.*)$/gm)].map(
    ([, name = '', why = '']) => ({
      name,
      outcome: 'failed' as const,
      reason: oneLine(why),
    }),
  )
  const bad = new Set(failed.map((it) => it.name))
  const passed = names.map((it) => it.split(/\s/)[0]!).filter((it) => !bad.has(it))
  return [...failed, ...passed.map((name): Result => ({ name, outcome: 'passed' }))]
}

/** A line for each operator, with how many answers it is about, and one for each answer that differs. */
export const operatorsIn: Reader = (text) => {
  const results: Result[] = []
  let operator = ''
  for (const line of text.split('\n')) {
    const [, name, passed, failed] =
      /^(?:ok {2}|FAIL) (\S+): (\d+) passed, (\d+) failed/.exec(line) ?? []
    if (name !== undefined) {
      operator = name
      const reason = `${passed} answers as recorded, ${failed} not`
      results.push({ name, outcome: failed === '0' ? 'passed' : 'failed', reason })
    }
    const broken = /^FAIL (\S+): (?!\d+ passed)(.*)/.exec(line)
    if (broken) results.push({ name: broken[1]!, outcome: 'failed', reason: oneLine(broken[2]!) })
    const item = /^ {2}- (.+)$/.exec(line)
    if (item) results.push({ name: `${operator}: ${item[1]}`, outcome: 'failed' })
  }
  return results
}

/** Small inputs whose right outcome is known. */
export const SEMANTICS: Suite = external(
  'semantics',
  'API semantics: small inputs, right outcomes',
  {
    lists: true,
    read: casesIn,
  },
)

/** The definitions and samples of well-known operators. */
export const CORPUS: Suite = external('corpus', 'definitions and samples of well-known operators', {
  lists: false,
  read: operatorsIn,
})
