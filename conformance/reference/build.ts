import { execFile } from 'node:child_process'
import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const exec = promisify(execFile)

/** The release that answers for Kubernetes here, the etcd that it is tested with, and who simulates nodes for it. */
export const KUBERNETES: string = 'v1.36.3'
const ETCD = 'v3.6.8'
export const KWOK: string = 'v0.8.0'

/** The reference programs that {@link buildReference} can make: the control plane, its nodes, and the suites that test it. */
export type ReferenceProgram =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubectl'
  | 'kubectl-convert'
  | 'kwok'
  | 'ginkgo'
  | 'agnhost'
  | 'e2e.test'

/** The package of a program that is built in Kubernetes' own module. */
const PACKAGES: Readonly<Record<Exclude<ReferenceProgram, 'etcd' | 'kwok'>, string>> = {
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  'kubectl-convert': 'k8s.io/kubernetes/cmd/kubectl-convert',
  ginkgo: 'github.com/onsi/ginkgo/v2/ginkgo',
  agnhost: 'k8s.io/kubernetes/test/images/agnhost',
  'e2e.test': 'k8s.io/kubernetes/test/e2e',
}

const VERSION_FLAGS = [
  `-X k8s.io/component-base/version.gitVersion=${KUBERNETES}`,
  `-X k8s.io/client-go/pkg/version.gitVersion=${KUBERNETES}`,
  `-X k8s.io/component-base/version.gitMajor=1`,
  `-X k8s.io/component-base/version.gitMinor=${KUBERNETES.split('.')[1]}`,
].join(' ')

/** Where built programs are kept: `$KUBEWRIGHT_REFERENCE`, or a folder in the user's cache. */
export function referenceFolder(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache')
  return (
    process.env['KUBEWRIGHT_REFERENCE'] ?? path.join(cache, 'kubewright', `reference-${KUBERNETES}`)
  )
}

/**
 * Builds the named programs of the real control plane from their published Go modules, once, and answers with the folder that
 * holds them. On two cores the first kube-apiserver takes some five minutes. Throws an Error that says so where there is no Go.
 */
export async function buildReference(programs: readonly ReferenceProgram[]): Promise<string> {
  const bin = path.join(referenceFolder(), 'bin')
  const missing: ReferenceProgram[] = []
  for (const program of programs)
    if (!(await exists(path.join(bin, program)))) missing.push(program)
  if (missing.length === 0) return bin
  await requireGo(missing)
  await mkdir(bin, { recursive: true })
  for (const program of missing) await buildOne(program, bin)
  return bin
}

function buildOne(program: ReferenceProgram, bin: string): Promise<void> {
  if (program === 'etcd') return buildEtcd(bin)
  if (program === 'kwok') return buildKwok(bin)
  return buildKubernetes(program, bin)
}

async function buildKubernetes(
  program: Exclude<ReferenceProgram, 'etcd' | 'kwok'>,
  bin: string,
): Promise<void> {
  const folder = path.join(referenceFolder(), 'kubernetes')
  const source = PACKAGES[program]
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'go.mod'), await kubernetesModule())
  await writeFile(
    path.join(folder, 'programs.go'),
    importing(program.startsWith('kube-') ? `${source}/app` : source),
  )
  const version = source.startsWith('k8s.io/kubernetes/') ? `@${KUBERNETES}` : ''
  await go(folder, 'get', `${source}${version}`)
  const how = program === 'e2e.test' ? ['test', '-c', '-vet=off'] : ['build']
  const flags = ['-mod=mod', '-ldflags', `-s -w ${VERSION_FLAGS}`]
  await go(folder, ...how, ...flags, '-o', path.join(bin, program), source)
}

async function buildKwok(bin: string): Promise<void> {
  const folder = path.join(referenceFolder(), 'kwok')
  await mkdir(folder, { recursive: true })
  await writeFile(
    path.join(folder, 'go.mod'),
    `module kubewright.dev/reference-kwok\n\nrequire sigs.k8s.io/kwok ${KWOK}\n`,
  )
  await writeFile(path.join(folder, 'programs.go'), importing('sigs.k8s.io/kwok/cmd/kwok'))
  await go(folder, 'mod', 'tidy', '-e')
  const source = 'sigs.k8s.io/kwok/cmd/kwok'
  await go(folder, 'build', '-mod=mod', '-ldflags', '-s -w', '-o', path.join(bin, 'kwok'), source)
}

async function buildEtcd(bin: string): Promise<void> {
  const folder = path.join(referenceFolder(), 'etcd')
  await mkdir(folder, { recursive: true })
  await writeFile(
    path.join(folder, 'go.mod'),
    `module kubewright.dev/reference-etcd\n\nrequire go.etcd.io/etcd/server/v3 ${ETCD}\n`,
  )
  await writeFile(
    path.join(folder, 'main.go'),
    'package main\n\nimport (\n\t"os"\n\n\t"go.etcd.io/etcd/server/v3/etcdmain"\n)\n\nfunc main() { etcdmain.Main(os.Args) }\n',
  )
  await go(folder, 'mod', 'tidy')
  await go(folder, 'build', '-mod=mod', '-ldflags', '-s -w', '-o', path.join(bin, 'etcd'), '.')
}

/** Kubernetes' own go.mod names its staging modules at v0.0.0 and replaces them by folders; outside they have real versions. */
async function kubernetesModule(): Promise<string> {
  const { stdout } = await exec('go', [
    'mod',
    'download',
    '-json',
    `k8s.io/kubernetes@${KUBERNETES}`,
  ])
  const { GoMod } = JSON.parse(stdout) as { GoMod: string }
  const staging = [
    ...(await readFile(GoMod, 'utf8')).matchAll(/^\s+(k8s\.io\/[\w-]+) v0\.0\.0$/gm),
  ].map(([, name]) => name)
  const version = KUBERNETES.replace(/^v1/, 'v0')
  const replaced = staging.map((it) => `\t${it} => ${it} ${version}\n`).join('')
  return `module kubewright.dev/reference-kubernetes\n\nrequire k8s.io/kubernetes ${KUBERNETES}\n\nreplace (\n${replaced})\n`
}

const importing = (...packages: readonly string[]): string =>
  `//go:build tools\n\npackage reference\n\nimport (\n${packages.map((it) => `\t_ "${it}"\n`).join('')})\n`

async function requireGo(programs: readonly string[]): Promise<void> {
  await exec('go', ['version']).catch((cause: unknown) => {
    throw new Error(
      `${programs.join(', ')} must be built from Go modules, and there is no \`go\` on the PATH. ` +
        'Install Go 1.26 or newer, or set KUBEWRIGHT_REFERENCE to a folder whose bin/ holds the programs.',
      { cause },
    )
  })
}

/** The folder of a module's published source, downloaded if need be. Throws an Error that says so where there is no Go. */
export async function moduleFolder(module: string): Promise<string> {
  await requireGo([module])
  const { stdout } = await exec('go', ['mod', 'download', '-json', module])
  return (JSON.parse(stdout) as { Dir: string }).Dir
}

const go = (cwd: string, ...args: readonly string[]): Promise<unknown> =>
  exec('go', args, { cwd, maxBuffer: 1 << 26 })

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

// `node conformance/reference/build.ts kubectl etcd` builds what is named and prints the folder.
if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(await buildReference(process.argv.slice(2) as ReferenceProgram[]))
