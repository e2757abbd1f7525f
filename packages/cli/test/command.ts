import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { isAlive } from '../src/cluster-state.ts'
import { main } from '../src/main.ts'

/** What a command did. */
export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** The command as a program of its own. */
export const BIN: string = fileURLToPath(new URL('../bin/kubewright.mjs', import.meta.url))
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url))

/** A folder that is removed with the block that it was made in; `modules` lets a project in it find the packages of this tree. */
export async function folder({ modules = true }: { readonly modules?: boolean } = {}): Promise<
  AsyncDisposable & { readonly path: string }
> {
  const made = await realpath(await mkdtemp(path.join(tmpdir(), 'kubewright-cli-')))
  if (modules) await symlink(MODULES, path.join(made, 'node_modules'))
  return { path: made, [Symbol.asyncDispose]: () => rm(made, { recursive: true, force: true }) }
}

/** Runs the command in this process: quick, one at a time. What it prints is caught. */
export async function kubewright(cwd: string, ...argv: string[]): Promise<Outcome> {
  const { log, error } = console
  const before = process.cwd()
  const written = { out: '', err: '' }
  console.log = (...parts: unknown[]) => void (written.out += `${parts.join(' ')}\n`)
  console.error = (...parts: unknown[]) => void (written.err += `${parts.join(' ')}\n`)
  process.chdir(cwd)
  try {
    return { code: await main(argv), ...written }
  } finally {
    process.chdir(before)
    process.exitCode = undefined
    Object.assign(console, { log, error })
  }
}

/** What a process gets beside its arguments. */
export interface ProcessOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Run as this user and group; only the superuser may. */
  readonly uid?: number
}

/** The environment of this process without what would lead a command to some other cluster. */
export function environment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { KUBECONFIG: _, NODE_TEST_CONTEXT: __, ...rest } = process.env
  return { ...rest, ...more }
}

/** Runs a program to its end. */
export function run(
  program: string,
  args: readonly string[],
  { cwd, env = {}, uid }: ProcessOptions,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const user = uid === undefined ? {} : { uid, gid: uid }
    execFile(
      program,
      [...args],
      { cwd, env: environment(env), timeout: 120_000, maxBuffer: 1 << 24, ...user },
      (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
        resolve({ code, out, err })
      },
    )
  })
}

/** Runs the command as a program of its own. */
export const kubewrightProcess = (options: ProcessOptions, ...argv: string[]): Promise<Outcome> =>
  run(process.execPath, [BIN, ...argv], options)

/** A program that runs until it is told to end; it is killed with the block if it has not. */
export interface Background extends AsyncDisposable {
  readonly child: ChildProcess
  /** Resolves with the match as soon as what it has printed, on either stream, matches. Rejects when it ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  /** Sends a signal and resolves to what the program did in the end. */
  end(signal: NodeJS.Signals): Promise<Outcome & { readonly signal: NodeJS.Signals | null }>
}

/** Starts a program that runs on. */
export function background(
  program: string,
  args: readonly string[],
  { cwd, env = {} }: ProcessOptions,
): Background {
  const child = spawn(program, args, {
    cwd,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const written = { out: '', err: '' }
  const waiting = new Set<() => void>()
  const note = (stream: 'out' | 'err') => (chunk: Buffer) => {
    written[stream] += chunk.toString()
    for (const check of waiting) check()
  }
  child.stdout.on('data', note('out'))
  child.stderr.on('data', note('err'))
  const ended = new Promise<{ code: number; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code: code ?? -1, signal }))
  })
  return {
    child,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const found = pattern.exec(written.out + written.err)
          if (!found) return
          waiting.delete(check)
          resolve(found)
        }
        waiting.add(check)
        check()
        void ended.then(() =>
          reject(new Error(`ended before it printed ${pattern}:\n${written.out}${written.err}`)),
        )
      }),
    async end(signal) {
      child.kill(signal)
      return { ...(await ended), ...written }
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
    },
  }
}

/** A port of 127.0.0.1 where nothing listens: it was free a moment ago. */
export function closedPort(): Promise<number> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

/** Resolves when a process has ended whose number is all that is known of it. */
export async function untilEnded(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 20))
}
