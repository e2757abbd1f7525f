import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import type { ProcessEnd, RunningProcess } from './ground.ts'

/** How a child of this process is started. */
export interface ChildSpec {
  readonly argv: readonly string[]
  readonly variables: ReadonlyMap<string, string>
  readonly cwd?: string
  readonly stdin: boolean
  /** Whether it says on descriptor 3 how it goes. Default false. */
  readonly status?: boolean
}

/** Starts a child in a session of its own. Rejects with Node's error when it did not start. */
export function startChild({
  argv,
  variables,
  cwd,
  stdin,
  status,
}: ChildSpec): Promise<ChildProcess> {
  const [program = '', ...args] = argv
  const child = spawn(program, args, {
    env: Object.fromEntries(variables),
    stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe', ...(status ? (['pipe'] as const) : [])],
    detached: true,
    ...(cwd !== undefined && { cwd }),
  })
  // A reader that goes away is the other side's affair.
  child.stdin?.on('error', () => {})
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child))
    child.once('error', reject)
  })
}

/** How a child ended, once its output has ended too or a moment later: others may hold that open. */
export function endOf(child: ChildProcess): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(processEnd(code, signal)))
  })
}

function processEnd(code: number | null, signal: NodeJS.Signals | null): ProcessEnd {
  if (signal === null) return { exitCode: code ?? 0 }
  return { exitCode: 128 + constants.signals[signal], signal }
}

/** A child as those see it who use it; `pidOf` finds the process that signals are for. */
export function runningChild(
  child: ChildProcess,
  pidOf: () => number | undefined,
  kill: () => void,
): RunningProcess {
  const ended = endOf(child)
  let isOver = false
  void ended.then(() => (isOver = true))
  return {
    stdin: child.stdin ?? undefined,
    stdout: child.stdout!,
    stderr: child.stderr!,
    ended,
    terminal: child.pid,
    signal: (name) => {
      const pid = isOver ? undefined : pidOf()
      if (pid !== undefined) sendSignal(pid, name)
    },
    kill,
  }
}

/** Sends a signal by name to a process, or by a negative number to a group; one that is gone is none. */
export function sendSignal(pid: number, name: string): void {
  try {
    process.kill(pid, name as NodeJS.Signals)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The processes that a process has started itself. */
export function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return text.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** All that are below a process, itself first. */
export function familyOf(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(familyOf)]
}
