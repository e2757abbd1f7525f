import { mkdir, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ImageMap } from '@kubewright/cluster/nodes'
import { buildReference, KUBERNETES } from '../reference/build.ts'
import { runProgram } from './command.ts'
import { junitResults } from './junit.ts'
import type { Result, Suite, SuiteContext } from './suite.ts'
import { wanted } from './suite.ts'
import type { Target } from './target.ts'

const LISTS = fileURLToPath(new URL('../e2e/lists', import.meta.url))

/** Specs that are run together on a server of their own. */
interface List {
  readonly name: string
  /** How many nodes there are; without any, nothing is scheduled. */
  readonly nodes: number
  /** Whether pods have to do something: containers are programs of this machine, and specs run one after the other, for they share its ports. */
  readonly processes?: true
}

/** Kubernetes' conformance specs that need no image: what the lists name. */
export const E2E: Suite = {
  name: 'e2e',
  about: "Kubernetes' [Conformance] specs that run without images",
  versions: { Kubernetes: KUBERNETES },
  run: (context) =>
    runLists(context, [
      { name: 'conformance-no-node', nodes: 0 },
      { name: 'conformance-simulated-node', nodes: 3 },
      { name: 'conformance-process-node', nodes: 1, processes: true },
    ]),
}

/** The same of the specs that are not part of conformance. */
export const E2E_MORE: Suite = {
  name: 'e2e-more',
  about: 'specs of api-machinery, auth, cli and instrumentation outside of conformance',
  versions: { Kubernetes: KUBERNETES },
  run: (context) =>
    runLists(context, [
      { name: 'more-no-node', nodes: 0 },
      { name: 'more-simulated-node', nodes: 3 },
    ]),
}

/** The names in a list: one a line; `#` begins a remark. */
export async function namesOf(list: string): Promise<readonly string[]> {
  const text = await readFile(path.join(LISTS, `${list}.txt`), 'utf8')
  return text.split('\n').filter((it) => it !== '' && !it.startsWith('#'))
}

/** All lists at once, each on a server of its own: specs wait more than they work. A spec of several lists is run in the first. */
async function runLists(context: SuiteContext, lists: readonly List[]): Promise<readonly Result[]> {
  const seen = new Set<string>()
  const runs = []
  for (const list of lists) {
    const names = (await namesOf(list.name)).filter(
      (it) => wanted(context.only, it) && !seen.has(it),
    )
    for (const it of names) seen.add(it)
    if (names.length > 0) runs.push(runList(context, list, names))
  }
  return (await Promise.all(runs)).flat()
}

async function runList(
  context: SuiteContext,
  { name, nodes, processes }: List,
  asked: readonly string[],
): Promise<readonly Result[]> {
  if (processes && (context.server !== 'kubewright' || context.controllers !== 'kubewright'))
    return asked.map((it) => ({ name: it, outcome: 'skipped', reason: 'needs pods that serve' }))
  const bin = await buildReference(['ginkgo', 'e2e.test', 'kubectl'])
  const images = processes ? { images: await programs() } : {}
  const folder = path.join(context.folder, name)
  const target = await context.start(
    { controllers: true, nodes, ...images },
    path.join(name, 'server'),
  )
  try {
    const [serial, parallel] = [true, false].map((it) =>
      asked.filter((spec) => (processes ?? spec.includes('[Serial]')) === it),
    )
    const run = { ...context, folder }
    const results = await runSpecs(run, target, bin, parallel!, 4)
    // What is marked so counts objects of the whole cluster, or disturbs others.
    results.push(...(await runSpecs(run, target, bin, serial!, 1)))
    const ran = new Set(results.map((it) => it.name))
    const lost = asked.filter((it) => !ran.has(it))
    return [
      ...results,
      ...lost.map((it): Result => ({ name: it, outcome: 'failed', reason: 'did not run' })),
    ]
  } finally {
    await target.close()
  }
}

/** What the images of the specs mean on this machine. */
async function programs(): Promise<ImageMap> {
  const agnhost = path.join(await buildReference(['agnhost']), 'agnhost')
  return {
    'registry.k8s.io/e2e-test-images/agnhost': {
      command: [agnhost],
      args: ['pause'],
      programs: { '/agnhost': agnhost },
    },
    // What it does is wait until it is stopped.
    'registry.k8s.io/pause': { command: ['sleep', 'infinity'] },
  }
}

async function runSpecs(
  { folder, say }: SuiteContext,
  { kubeconfig }: Target,
  bin: string,
  names: readonly string[],
  processes: number,
): Promise<Result[]> {
  if (names.length === 0) return []
  const out = path.join(folder, processes > 1 ? 'parallel' : 'serial')
  await mkdir(out, { recursive: true })
  say(`${names.length} specs, ${processes} at a time; ${out}/run.log tells how it goes`)
  await runProgram(
    path.join(bin, 'ginkgo'),
    [
      `--procs=${processes}`,
      '--no-color',
      '--timeout=3h',
      '--keep-going',
      `--focus=${names.map((it) => `${exactly(it)}$`).join('|')}`,
      path.join(bin, 'e2e.test'),
      '--',
      `--kubeconfig=${kubeconfig}`,
      '--provider=skeleton',
      // No wait for nodes; yet the suite refuses to start without some.
      '--allowed-not-ready-nodes=-1',
      '--num-nodes=2',
      `--kubectl-path=${path.join(bin, 'kubectl')}`,
      `--report-dir=${out}`,
      '--report-complete-junit',
      '--disable-log-dump',
      '--dump-logs-on-failure=false',
    ],
    { log: path.join(out, 'run.log') },
  )
  const reports = (await readdir(out)).filter((it) => it.endsWith('.xml'))
  const found = []
  for (const it of reports) found.push(...junitResults(await readFile(path.join(out, it), 'utf8')))
  const asked = new Set(names)
  return found.filter((it) => asked.has(it.name) || !it.name.startsWith('[sig-'))
}

const exactly = (name: string): string => name.replace(/[[\]().*+?{}|^$\\]/g, '\\$&')
