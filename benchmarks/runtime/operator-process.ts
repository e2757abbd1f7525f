import { spawn, type ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { end, residentMemory } from '../server.ts'

/** How to start a peer's operator: `sync` or `reconcile` comes after the arguments. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** An operator in a process of its own. */
export interface OperatorProcess {
  /** Milliseconds from its start to the line that says its cache is full. */
  readonly syncedAfter: number
  /** Resident memory, MiB. */
  memory(): Promise<number>
  /** Processor time that it has used, ms. */
  cpu(): Promise<number>
  stop(): Promise<void>
}

/** How long an operator may take to sync, ms. */
const PATIENCE = 180_000

/** Starts an operator and waits for its `synced` line; `count` is told to those that cannot tell by themselves. */
export async function startOperator(
  program: Program,
  mode: 'sync' | 'reconcile',
  kubeconfig: string,
  count: number,
): Promise<OperatorProcess> {
  const started = performance.now()
  const child = spawn(program.command, [...program.args, mode], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...program.env, KUBECONFIG: kubeconfig, COUNT: String(count) },
  })
  let tail = ''
  child.stderr.on('data', (it: Buffer) => (tail = (tail + it.toString()).slice(-2_000)))
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE)
  const synced = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, objects] = /^synced (\d+)/.exec(line) ?? []
      if (objects !== undefined) resolve(Number(objects))
    })
    child.once('exit', (code) =>
      reject(new Error(`${program.command} ended with ${code}: ${tail}`)),
    )
    child.once('error', reject)
  })
  clearTimeout(timer)
  const syncedAfter = performance.now() - started
  if (mode === 'sync' && synced !== count)
    throw new Error(`${program.command} synced ${synced} objects of ${count}`)
  return {
    syncedAfter,
    memory: () => sumOver(child, residentMemory),
    cpu: () => sumOver(child, processorTime),
    stop: () => end(child),
  }
}

const sumOver = (child: ChildProcess, of: (pid: number | undefined) => Promise<number>) =>
  of(child.pid)

/** User and system time of a process, ms (Linux `/proc`, 100 ticks a second). */
async function processorTime(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
