import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Outcome } from './transcript.ts'

const PATIENCE = 30_000

const MANIFESTS = fileURLToPath(new URL('manifests', import.meta.url))

/** The kubectl to test with: that of KUBECTL, or that of the PATH; undefined where there is none. */
export function findKubectl(): string | undefined {
  const { KUBECTL, PATH = '' } = process.env
  const candidates = KUBECTL ? [KUBECTL] : PATH.split(delimiter).map((it) => join(it, 'kubectl'))
  return candidates.find((it) => spawnSync(it, ['version', '--client']).status === 0)
}

/** A folder in which kubectl is run: its own home, cache and kubeconfig, and a copy of the manifests. */
export interface Workplace extends Disposable {
  /** Runs a script of the shell there. A script that hangs ends with all that it started after half a minute. */
  readonly run: (script: string) => Promise<Outcome>
}

/** Makes a {@link Workplace} for a kubectl, a kubeconfig's text and a namespace. */
export function workplace(kubectl: string, kubeconfig: string): Workplace {
  const home = mkdtempSync(join(tmpdir(), 'kubewright-kubectl-'))
  const bin = join(home, 'bin')
  mkdirSync(bin)
  symlinkSync(kubectl, join(bin, 'kubectl'))
  cpSync(MANIFESTS, join(home, 'work'), { recursive: true })
  const config = join(home, 'kubeconfig')
  writeFileSync(config, kubeconfig, { mode: 0o600 })
  const env = {
    HOME: home,
    KUBECONFIG: config,
    PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
    LANG: 'C',
    TMPDIR: home,
  }
  return {
    run: (script) => shell(script, join(home, 'work'), env),
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  }
}

function shell(script: string, cwd: string, env: Record<string, string>): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  const child = spawn('sh', ['-c', script], { cwd, env, stdio: [...stdio], detached: true })
  const guard = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), PATIENCE)
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.setEncoding('utf8').on('data', (text: string) => (written[name] += text))
  }
  child.once('error', reject)
  child.once('close', (code) => {
    clearTimeout(guard)
    resolve({ ...written, code: code ?? -1 })
  })
  return promise
}
