import { appendFile, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buildReference } from '../reference/build.ts'
import { type Ran, runProgram } from '../suites/command.ts'
import { oneLine } from '../suites/junit.ts'

/** The administrator's kubectl. */
export interface Kubectl {
  /** Runs it; its exit code is for the caller to read. */
  readonly run: (args: readonly string[], input?: object) => Promise<Ran>
  /** Runs it, and answers with what it said. Throws where it fails. */
  readonly must: (args: readonly string[], input?: object) => Promise<string>
  readonly close: () => Promise<void>
}

/** kubectl with a copy of a kubeconfig, in a namespace; what it caches goes to a folder that `close` removes, what it says to the file `log`. */
export async function openKubectl(
  kubeconfig: string,
  namespace: string,
  log: string,
): Promise<Kubectl> {
  const program = path.join(await buildReference(['kubectl']), 'kubectl')
  const home = await mkdtemp(path.join(tmpdir(), 'kubewright-operators-'))
  // kubectl may write to its kubeconfig.
  const own = path.join(home, 'kubeconfig')
  await copyFile(kubeconfig, own)
  const options = { env: { KUBECONFIG: own, HOME: home, LANG: 'C' }, timeout: 120_000 }
  const run: Kubectl['run'] = async (args, input) => {
    const given = input ? { input: JSON.stringify(input) } : {}
    const ran = await runProgram(program, args, { ...options, ...given })
    await appendFile(log, `$ kubectl ${args.join(' ')}\n${ran.all}\n`)
    return ran
  }
  const must: Kubectl['must'] = async (args, input) => {
    const { code, out, all } = await run(args, input)
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} failed: ${oneLine(all)}`)
    return out
  }
  await must(['config', 'set-context', '--current', `--namespace=${namespace}`])
  return { run, must, close: () => rm(home, { recursive: true, force: true }) }
}
