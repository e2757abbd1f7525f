import { access, chmod, cp, mkdir, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildReference, KUBERNETES, moduleFolder, referenceFolder } from '../reference/build.ts'
import { runProgram } from './command.ts'
import { junitResults, oneLine } from './junit.ts'
import type { Result, Suite, SuiteContext } from './suite.ts'
import { wanted } from './suite.ts'

const VERSION = 'v0.25.2'

/** The packages whose tests start a control plane, and those that share their suites. */
const PACKAGES = [
  'builder',
  'cache',
  'client',
  'client/apiutil',
  'cluster',
  'controller',
  'controller/controllerutil',
  'envtest',
  'handler',
  'internal/controller',
  'internal/recorder',
  'internal/testing/controlplane',
  'manager',
  'manager/internal/integration',
  'metrics/filters',
  'reconcile',
  'source',
  'webhook',
] as const

/** controller-runtime's own tests on envtest, unchanged: the programs in KUBEBUILDER_ASSETS are the server under test. */
export const CONTROLLER_RUNTIME: Suite = {
  name: 'controller-runtime',
  about: "controller-runtime's own tests, whose control plane comes from KUBEBUILDER_ASSETS",
  versions: { 'controller-runtime': VERSION, Kubernetes: KUBERNETES },
  run: async (context) => {
    const assets = await assetsOf(context)
    const source = await writableSource()
    const results: Result[] = []
    for (const name of PACKAGES.filter((it) => wanted(context.only, it))) {
      const found = await runPackage(context, source, assets, name)
      const failed = found.filter((it) => it.outcome === 'failed').length
      context.say(`${name}: ${found.length} tests, ${failed} failed`)
      results.push(...found.map((it) => ({ ...it, name: `${name}: ${it.name}` })))
    }
    return results
  },
}

const CLI = fileURLToPath(new URL('../../packages/cli/bin/kubewright.mjs', import.meta.url))

/** The folder of the programs: those of the reference, or those that `kubewright assets` writes. */
async function assetsOf({ server, folder }: SuiteContext): Promise<string> {
  if (server === 'given')
    throw new Error('controller-runtime starts servers of its own: --kubeconfig says nothing to it')
  const bin = await buildReference(['etcd', 'kube-apiserver', 'kubectl'])
  if (server === 'oracle') return bin
  const assets = path.join(folder, 'assets')
  const kubectl = path.join(bin, 'kubectl')
  const { code, all } = await runProgram(process.execPath, [
    CLI,
    'assets',
    assets,
    '--kubectl',
    kubectl,
  ])
  if (code !== 0) throw new Error(`kubewright assets failed: ${all.trim()}`)
  return assets
}

/** A copy of the module that may be written to: tests lie beside their data, and module zips carry no exec bits. */
async function writableSource(): Promise<string> {
  const folder = path.join(referenceFolder(), `controller-runtime-${VERSION}`)
  const there = await access(folder).then(
    () => true,
    () => false,
  )
  if (there) return folder
  await cp(await moduleFolder(`sigs.k8s.io/controller-runtime@${VERSION}`), folder, {
    recursive: true,
  })
  await makeWritable(folder)
  const scripts = path.join(folder, 'pkg/internal/testing/controlplane/testdata')
  for (const it of await readdir(scripts))
    if (it.endsWith('.sh')) await chmod(path.join(scripts, it), 0o755)
  return folder
}

/** What is copied from the module cache may not be written to, folders too. */
async function makeWritable(folder: string): Promise<void> {
  const { code, all } = await runProgram('chmod', ['-R', 'u+w', folder])
  if (code !== 0) throw new Error(`${folder} cannot be made writable: ${all.trim()}`)
}

async function runPackage(
  { folder }: SuiteContext,
  source: string,
  assets: string,
  name: string,
): Promise<readonly Result[]> {
  const file = name.replaceAll('/', '_')
  const binary = await testBinary(source, name, file)
  const report = path.join(folder, `${file}.xml`)
  const isGinkgo = name !== 'client/apiutil'
  const { code, all } = await runProgram(
    binary,
    isGinkgo ? ['--ginkgo.no-color', `--ginkgo.junit-report=${report}`] : ['-test.v'],
    {
      cwd: path.join(source, 'pkg', name),
      env: { KUBEBUILDER_ASSETS: assets },
      log: path.join(folder, `${file}.log`),
      timeout: 15 * 60_000,
    },
  )
  if (!isGinkgo) return goResults(all)
  const xml = await readFile(report, 'utf8').catch(() => '')
  if (xml === '')
    return [{ name: 'suite', outcome: 'failed', reason: `ended with code ${code} and no report` }]
  return junitResults(xml)
}

/** Builds the tests of a package, once. */
async function testBinary(source: string, name: string, file: string): Promise<string> {
  const folder = path.join(referenceFolder(), 'bin', 'controller-runtime')
  const binary = path.join(folder, `${file}.test`)
  const there = await access(binary).then(
    () => true,
    () => false,
  )
  if (there) return binary
  await mkdir(folder, { recursive: true })
  const args = ['test', '-c', '-vet=off', '-o', binary, `./pkg/${name}`]
  const { code, all } = await runProgram('go', args, { cwd: source })
  if (code !== 0) throw new Error(`the tests of ${name} could not be built: ${oneLine(all)}`)
  return binary
}

/** The tests and subtests of `go test -v`, without those that only hold others. */
export function goResults(text: string): readonly Result[] {
  const found = new Map<string, Result>()
  for (const [, how, name = ''] of text.matchAll(/^ *--- (PASS|FAIL|SKIP): (\S+)/gm)) {
    const outcome = how === 'PASS' ? 'passed' : how === 'FAIL' ? 'failed' : 'skipped'
    found.set(name, { name, outcome })
  }
  const names = [...found.keys()]
  return [...found.values()].filter(({ name }) => !names.some((it) => it.startsWith(`${name}/`)))
}
