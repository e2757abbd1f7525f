import { access, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { KUBERNETES, referenceFolder } from '../reference/build.ts'
import { runProgram } from './command.ts'
import { oneLine } from './junit.ts'
import type { Result, Suite } from './suite.ts'

const VERSION = '5.0.0'
/** The crates whose sources hold tests that need a cluster. */
const CRATES = ['kube', 'kube-client', 'kube-runtime'] as const
const FEATURES = [
  'kube/derive',
  'kube/runtime',
  'kube/ws',
  'kube/jsonpatch',
  'kube/admission',
  'kube/cel',
  'kube-client/ws',
  'kube-client/jsonpatch',
  'kube-client/admission',
] as const

/** The cluster tests of kube-rs, as its published crates carry them. */
export const KUBE_RS: Suite = {
  name: 'kube-rs',
  about: 'the tests of kube-rs that ask for a cluster',
  versions: { 'kube-rs': VERSION, Kubernetes: KUBERNETES },
  run: async ({ start, folder, only, say }) => {
    const workspace = await makeWorkspace()
    const log = path.join(folder, 'run.log')
    const env = { CARGO_BUILD_JOBS: '1' }
    const selection = [...CRATES.flatMap((it) => ['-p', it]), '--features', FEATURES.join(',')]
    say(`building in ${workspace}; ${log} tells how it goes`)
    const built = await runProgram('cargo', ['test', '--no-run', ...selection], {
      cwd: workspace,
      env,
      log,
    })
    if (built.code !== 0)
      throw new Error(`kube-rs could not be built: ${oneLine(built.all.slice(-400))}`)
    const { kubeconfig } = await start({ controllers: true, nodes: 1 })
    const args = ['test', '--no-fail-fast', ...selection, '--', '--ignored', '--test-threads=1']
    const ran = await runProgram('cargo', [...args, ...only], {
      cwd: workspace,
      env: { ...env, KUBECONFIG: kubeconfig },
      log,
      timeout: 30 * 60_000,
    })
    return rustResults(ran.all)
  },
}

/** The crates copied from cargo's registry into a workspace where they stand for themselves. */
async function makeWorkspace(): Promise<string> {
  const folder = path.join(referenceFolder(), `kube-rs-${VERSION}`)
  const there = await access(path.join(folder, 'Cargo.toml')).then(
    () => true,
    () => false,
  )
  if (there) return folder
  await download(folder)
  const patches = []
  for (const crate of CRATES) {
    const own = path.join(folder, crate)
    await cp(await registrySource(crate), own, { recursive: true })
    if (crate !== 'kube') await addKube(path.join(own, 'Cargo.toml'))
    patches.push(`${crate} = { path = "${crate}" }`)
  }
  const members = CRATES.map((it) => `"${it}"`).join(', ')
  await writeFile(
    path.join(folder, 'Cargo.toml'),
    `[workspace]\nresolver = "2"\nmembers = [${members}]\n\n[patch.crates-io]\n${patches.join('\n')}\n`,
  )
  return folder
}

/** Has cargo fetch the crates: a package that depends on them is enough. */
async function download(folder: string): Promise<void> {
  const probe = path.join(folder, 'fetch')
  await mkdir(path.join(probe, 'src'), { recursive: true })
  await writeFile(path.join(probe, 'src', 'lib.rs'), '')
  const dependencies = CRATES.map((it) => `${it} = "=${VERSION}"`).join('\n')
  await writeFile(
    path.join(probe, 'Cargo.toml'),
    `[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n${dependencies}\n\n[workspace]\n`,
  )
  const { code, all } = await runProgram('cargo', ['fetch'], { cwd: probe })
  if (code !== 0) throw new Error(`cargo could not fetch kube-rs: ${oneLine(all.slice(-400))}`)
}

async function registrySource(crate: string): Promise<string> {
  const home = process.env['CARGO_HOME'] ?? path.join(homedir(), '.cargo')
  const sources = path.join(home, 'registry', 'src')
  for (const registry of await readdir(sources)) {
    const folder = path.join(sources, registry, `${crate}-${VERSION}`)
    if (
      await access(folder).then(
        () => true,
        () => false,
      )
    )
      return folder
  }
  throw new Error(`cargo has no source of ${crate} ${VERSION} below ${sources}`)
}

/** Publishing drops the dependency of the parts on the whole, which their tests need. */
async function addKube(manifest: string): Promise<void> {
  const text = await readFile(manifest, 'utf8')
  const section =
    '[dev-dependencies.kube]\npath = "../kube"\nfeatures = ["derive", "runtime", "ws"]\n'
  await writeFile(manifest, `${text}\n${section}`)
}

/** The lines `test name ... ok` of Rust's own test runner, with what a failed one said. */
export function rustResults(text: string): readonly Result[] {
  const said = new Map(
    [...text.matchAll(/^---- (\S+) stdout ----\n([^]*?)(?=^---- |^failures:|$(?![^]))/gm)].map(
      ([, name = '', words = '']) => [name, words] as const,
    ),
  )
  return [...text.matchAll(/^test (\S+)(?: - should panic)? \.\.\. (?:.*?)(ok|FAILED)$/gms)].map(
    ([, name = '', how]): Result =>
      how === 'ok'
        ? { name, outcome: 'passed' }
        : { name, outcome: 'failed', reason: oneLine(said.get(name) ?? 'it failed') },
  )
}
