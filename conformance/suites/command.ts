import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'

/** What a program did. */
export interface Ran {
  readonly code: number
  readonly out: string
  /** Standard output and standard error, in the order they came. */
  readonly all: string
}

/** How a program is run. */
export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** A file that gets all of its output as it comes. */
  readonly log?: string
  /** After so many ms it is ended, and its code is 124. */
  readonly timeout?: number
  readonly input?: string
}

/** Runs a program to its end, at a low priority. Rejects only where it cannot be started, with a sentence. */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env = {}, log, timeout, input }: RunOptions = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn('nice', ['-n', '5', program, ...args], {
      ...(cwd ? { cwd } : {}),
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    })
    // A group of its own is not reached by Ctrl-C.
    const endWithUs = (): void => endGroup(child.pid)
    process.once('exit', endWithUs)
    const file = log ? createWriteStream(log) : undefined
    let [out, all, late] = ['', '', false]
    const heard = (isOut: boolean) => (chunk: Buffer) => {
      const text = chunk.toString()
      if (isOut) out += text
      all += text
      file?.write(chunk)
    }
    child.stdout.on('data', heard(true))
    child.stderr.on('data', heard(false))
    child.stdin.on('error', () => {})
    child.stdin.end(input ?? '')
    const timer = timeout && setTimeout(() => ((late = true), endGroup(child.pid)), timeout)
    child.once('error', (error) =>
      reject(new Error(`${program} could not be run: ${error.message}`)),
    )
    child.once('close', (code) => {
      if (timer) clearTimeout(timer)
      process.off('exit', endWithUs)
      file?.end()
      resolve({ code: late ? 124 : (code ?? 1), out, all })
    })
  })
}

/** Ends a program and all that it has started. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}
