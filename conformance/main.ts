import { mkdir, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { CERT_MANAGER } from './operators/cert-manager/suite.ts'
import { PROMETHEUS_OPERATOR } from './operators/prometheus/suite.ts'
import { countsOf, resultsText, writeResults } from './results.ts'
import { CONTROLLER_RUNTIME } from './suites/controller-runtime.ts'
import { E2E, E2E_MORE } from './suites/e2e.ts'
import { CORPUS, SEMANTICS } from './suites/external.ts'
import { KUBE_RS } from './suites/kube-rs.ts'
import { KUBECTL_COMPARE } from './suites/kubectl-compare.ts'
import type { Suite, SuiteContext } from './suites/suite.ts'
import {
  type Maker,
  type ServerName,
  startTarget,
  type Target,
  type TargetNeeds,
} from './suites/target.ts'
import { TEST_CMD } from './suites/test-cmd.ts'

const SUITES: readonly Suite[] = [
  SEMANTICS,
  CORPUS,
  CONTROLLER_RUNTIME,
  TEST_CMD,
  KUBECTL_COMPARE,
  KUBE_RS,
  E2E,
  E2E_MORE,
  PROMETHEUS_OPERATOR,
  CERT_MANAGER,
]

const HELP = `npm run conformance -- SUITE [options]

Runs a suite that asks an API server what it does, and writes conformance/results/SUITE.SERVER.txt: a test a line.

${SUITES.map((it) => `  ${it.name.padEnd(20)} ${it.about}`).join('\n')}

  --server oracle|kubewright   the real control plane, or kubewright's (default kubewright)
  --controllers oracle|kubewright
                               whose controllers, scheduler and nodes work for that server (default: its own)
  --kubeconfig FILE            a server that runs already instead; its results are printed, not kept
  --only A,B                   only tests whose name holds one of these; their results are printed, not kept
  --from DIR                   where a suite lies that is not in this repository (semantics, corpus)
  --folder DIR                 where logs and reports go (default: a new temporary folder, whose name is said)
  --help                       this text
`

interface Options {
  readonly suite: Suite
  readonly server: ServerName
  readonly controllers: Maker
  readonly kubeconfig: string | undefined
  readonly only: readonly string[]
  readonly from: string | undefined
  readonly folder: string | undefined
}

/** Runs a suite; resolves to the exit code: 0 where nothing failed, 1 where something did, 2 where it could not be run. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const options = optionsOf(argv)
    if (options !== undefined) return await run(options)
    console.log(HELP)
    return 0
  } catch (error) {
    console.error(`error: ${(error as Error).message}`)
    return 2
  }
}

function optionsOf(argv: readonly string[]): Options | undefined {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      server: { type: 'string', default: 'kubewright' },
      controllers: { type: 'string' },
      kubeconfig: { type: 'string' },
      only: { type: 'string', default: '' },
      from: { type: 'string' },
      folder: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const [name = ''] = positionals
  const suite = SUITES.find((it) => it.name === name)
  if (!suite)
    throw new Error(
      `${name === '' ? 'no suite is named' : `there is no suite ${name}`}: name one of ${SUITES.map((it) => it.name).join(', ')}`,
    )
  const server = makerOf('--server', values.server)
  return {
    suite,
    server: values.kubeconfig ? 'given' : server,
    controllers: makerOf('--controllers', values.controllers ?? server),
    kubeconfig: values.kubeconfig,
    only: values.only.split(',').filter((it) => it !== ''),
    from: values.from,
    folder: values.folder,
  }
}

function makerOf(flag: string, text: string): Maker {
  if (text === 'oracle' || text === 'kubewright') return text
  throw new Error(`${flag} ${text}: expected oracle or kubewright`)
}

async function run(options: Options): Promise<number> {
  const { suite, server, only } = options
  const folder = await folderOf(options)
  console.error(`logs and reports: ${folder}`)
  const started: Target[] = []
  const dead = Promise.withResolvers<never>()
  dead.promise.catch(() => {})
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => dead.reject(new Error(`ended by ${name}`)))
  const context: SuiteContext = {
    ...options,
    folder,
    start: async (needs, name = 'server') => {
      const target = await startFor(options, needs, path.join(folder, name))
      started.push(target)
      target.failed.catch(dead.reject)
      return target
    },
    say: (text) => console.error(text),
  }
  try {
    const results = await Promise.race([suite.run(context), dead.promise])
    const { passed, failed, skipped } = countsOf(results)
    if (only.length > 0 || server === 'given')
      console.log(resultsText(suite.name, suite.versions, results).trim())
    else console.log(await writeResults(suite, options, results))
    console.log(`${suite.name}: ${passed} passed, ${failed} failed, ${skipped} skipped`)
    return failed > 0 || passed === 0 ? 1 : 0
  } finally {
    for (const it of started) await it.close()
  }
}

async function folderOf({ folder, suite }: Options): Promise<string> {
  if (folder === undefined) return mkdtemp(path.join(tmpdir(), `kubewright-${suite.name}-`))
  await mkdir(folder, { recursive: true })
  return path.resolve(folder)
}

async function startFor(
  { server, controllers, kubeconfig }: Options,
  needs: TargetNeeds,
  folder: string,
): Promise<Target> {
  if (server !== 'given') return startTarget(server, controllers, needs, folder)
  const file = path.resolve(kubeconfig ?? '')
  return {
    kubeconfig: file,
    url: await urlIn(file),
    failed: new Promise(() => {}),
    close: async () => {},
  }
}

async function urlIn(kubeconfig: string): Promise<string> {
  const text = await readFile(kubeconfig, 'utf8')
  return /server['"]?: *['"]?(https:\/\/[^\s'",}]+)/.exec(text)?.[1] ?? ''
}
