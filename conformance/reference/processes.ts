import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import https from 'node:https'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** One program to start. */
export interface Program {
  /** By what its log and errors are named. */
  readonly name: string
  readonly file: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** How long a process may take to end after SIGTERM, ms. */
const GRACE = 10_000

/** Programs that belong together: each writes a log of its own, all end together, the last one started first. */
export class Processes {
  readonly #folder: string
  readonly #running: { readonly name: string; readonly child: ChildProcess }[] = []
  readonly #failed = Promise.withResolvers<never>()
  #stopping = false

  /** Logs are written to `folder`, which is there. */
  constructor(folder: string) {
    this.#folder = folder
    this.#failed.promise.catch(() => {})
  }

  /** Rejects with a sentence when a program ends that was not told to. */
  get failed(): Promise<never> {
    return this.#failed.promise
  }

  start({ name, file, args, env }: Program): void {
    const log = path.join(this.#folder, `${name}.log`)
    const out = openSync(log, 'w')
    const child = spawn(file, [...args], {
      stdio: ['ignore', out, out],
      env: { ...process.env, ...env },
    })
    child.once('error', (error) => this.#fail(`${name} could not be started: ${error.message}`))
    child.once('exit', (code, signal) => {
      const how = signal ? `by ${signal}` : `with code ${code}`
      this.#fail(`${name} ended ${how}; its log is ${log}${lastWords(log)}`)
    })
    this.#running.push({ name, child })
  }

  /** Resolves when an HTTPS address answers 200; rejects when a program ends before, or after a minute. */
  async until(url: string, token: string): Promise<void> {
    await Promise.race([answersOk(url, token), this.failed])
  }

  async stop(): Promise<void> {
    this.#stopping = true
    for (const { child } of this.#running.toReversed()) await end(child)
  }

  #fail(message: string): void {
    if (!this.#stopping) this.#failed.reject(new Error(message))
  }
}

function lastWords(log: string): string {
  const lines = readFileSync(log, 'utf8').trim().split('\n')
  const telling = lines.filter((it) => /^(E|F)\d{4}|rror|fatal|panic/.test(it)).at(-1)
  return telling || lines.at(-1) ? `:\n${telling ?? lines.at(-1)}` : ''
}

/** Resolves when an HTTPS address answers 200; rejects after a minute. */
export async function answersOk(url: string, token: string): Promise<void> {
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    if ((await statusOf(url, token).catch(() => 0)) === 200) return
    await sleep(50)
  }
  throw new Error(`${url} did not answer 200 within a minute`)
}

function statusOf(url: string, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    const sent = https.get(
      url,
      { headers, rejectUnauthorized: false, agent: false, timeout: 2_000 },
      (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      },
    )
    sent.on('timeout', () => sent.destroy(new Error('no answer')))
    sent.on('error', reject)
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE)
  await gone
  clearTimeout(timer)
}
