import { execFile } from 'node:child_process'
import { access, cp, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { packAll } from '../../tools/pack.ts'
import type { Program } from './operator-process.ts'

const exec = promisify(execFile)

/** A peer whose operator can be started. */
export interface Peer {
  readonly name: string
  readonly version: string
  readonly program: Program
  /** What has to be in its image beside the runtime of its language, MiB. */
  readonly installSize: number
  /** Which scenarios it takes part in. */
  readonly scenarios: readonly ('sync' | 'reconcile')[]
}

/** How a {@link Peer} comes to be. */
export interface PeerRecipe {
  readonly name: string
  readonly version: string
  readonly scenarios?: Peer['scenarios']
  /** Builds in `folder`, which holds a copy of the peer's sources and what an earlier build left. */
  build(folder: string): Promise<{ readonly program: Program; readonly shipped: readonly string[] }>
}

/** Where peers are built: `$KUBEWRIGHT_BENCH`, or a folder in the user's cache. */
export function benchFolder(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache')
  return process.env['KUBEWRIGHT_BENCH'] ?? path.join(cache, 'kubewright', 'bench')
}

/** Copies a peer's sources into the cache and builds it there; the second time little is left to do. */
export async function buildPeer(recipe: PeerRecipe): Promise<Peer> {
  const { name, version, scenarios = ['sync', 'reconcile'] } = recipe
  const folder = path.join(benchFolder(), `${name}-${version}`)
  await mkdir(folder, { recursive: true })
  await cp(fileURLToPath(new URL(`peers/${name}`, import.meta.url)), folder, { recursive: true })
  const { program, shipped } = await recipe.build(folder)
  const sizes = await Promise.all(shipped.map((it) => sizeOf(path.join(folder, it))))
  const installSize = sizes.reduce((sum, it) => sum + it, 0) / 2 ** 20
  return { name, version, program, installSize, scenarios }
}

async function sizeOf(at: string): Promise<number> {
  const found = await stat(at)
  if (!found.isDirectory()) return found.size
  const entries = await readdir(at)
  const sizes = await Promise.all(entries.map((it) => sizeOf(path.join(at, it))))
  return sizes.reduce((sum, it) => sum + it, 0)
}

const run = (folder: string, command: string, ...args: readonly string[]): Promise<unknown> =>
  exec(command, args, { cwd: folder, maxBuffer: 64 << 20 })

/** Ours, packed and installed as a user gets it. */
export const KUBEWRIGHT: PeerRecipe = {
  name: 'kubewright',
  version: 'here',
  async build(folder) {
    await rm(path.join(folder, 'node_modules'), { recursive: true, force: true })
    await rm(path.join(folder, 'tarballs'), { recursive: true, force: true })
    const tarballs = await packAll(path.join(folder, 'tarballs'))
    const own = tarballs.filter((it) => /kubewright-\d/.test(path.basename(it)))
    await writeFile(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }')
    await run(folder, 'npm', 'install', '--no-audit', '--no-fund', '--no-package-lock', ...own)
    const program = { command: process.execPath, args: [path.join(folder, 'operator.mjs')] }
    return { program, shipped: ['node_modules', 'operator.mjs'] }
  },
}

const CONTROLLER_RUNTIME: PeerRecipe = {
  name: 'controller-runtime',
  version: '0.25.2',
  async build(folder) {
    await run(folder, 'go', 'mod', 'tidy')
    await run(folder, 'go', 'build', '-trimpath', '-ldflags=-s -w', '-o', 'bench', '.')
    return { program: { command: path.join(folder, 'bench'), args: [] }, shipped: ['bench'] }
  },
}

const KUBE_RS: PeerRecipe = {
  name: 'kube-rs',
  version: '5.0.0',
  async build(folder) {
    await run(folder, 'cargo', 'build', '--release')
    const shipped = 'target/release/bench'
    return { program: { command: path.join(folder, shipped), args: [] }, shipped: [shipped] }
  },
}

const KOPF: PeerRecipe = {
  name: 'kopf',
  version: '1.45.2',
  async build(folder) {
    const python = path.join(folder, 'venv', 'bin', 'python')
    const there = await access(python).then(
      () => true,
      () => false,
    )
    if (!there) await run(folder, 'python3', '-m', 'venv', 'venv')
    await run(folder, python, '-m', 'pip', 'install', '-q', '-r', 'requirements.txt')
    const program = { command: python, args: [path.join(folder, 'bench_operator.py')] }
    return { program, shipped: ['venv', 'bench_operator.py'] }
  },
}

const JOSDK: PeerRecipe = {
  name: 'josdk',
  version: '5.2.3',
  async build(folder) {
    await run(folder, 'mvn', '-q', '-B', 'package')
    const classpath = `${path.join(folder, 'target/bench.jar')}:${path.join(folder, 'target/lib/*')}`
    const program = { command: 'java', args: ['-cp', classpath, 'bench.Main'] }
    return { program, shipped: ['target/bench.jar', 'target/lib'] }
  },
}

/** Only an informer: client-node has no controllers. */
const CLIENT_NODE: PeerRecipe = {
  name: 'client-node',
  version: '2.0.1',
  scenarios: ['sync'],
  async build(folder) {
    await run(folder, 'npm', 'install', '--no-audit', '--no-fund', '--no-package-lock')
    const program = { command: process.execPath, args: [path.join(folder, 'operator.mjs')] }
    return { program, shipped: ['node_modules', 'operator.mjs'] }
  },
}

/** Who can be measured beside ours; the first is what the ratios are to. */
export const PEERS: readonly PeerRecipe[] = [CONTROLLER_RUNTIME, KUBE_RS, JOSDK, KOPF, CLIENT_NODE]
