import { spawn, type ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import https from 'node:https'
import { createServer } from 'node:net'

/** A running API server in a process of its own, as a benchmark sees it. */
export interface BenchServer {
  readonly url: string
  readonly token: string
  /** A kubeconfig file for it. */
  readonly kubeconfig: string
  /** Where its etcd listens, for who seeds it; absent where there is none. */
  readonly etcd?: string
  /** Milliseconds from starting the processes to `/readyz` answering ok. */
  readonly readyAfter: number
  /** Resident memory of all its processes, in MiB. */
  memory(): Promise<number>
  stop(): Promise<void>
}

/** Starts a child whose output is kept for the error that says it died. */
export function start(program: string, args: readonly string[]): ChildProcess {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let tail = ''
  child.stderr?.on('data', (chunk: Buffer) => (tail = (tail + chunk.toString()).slice(-2000)))
  child.on('exit', (code) => {
    if (code) console.error(`${program} ended with code ${code}:\n${tail}`)
  })
  return child
}

/** Asks `/readyz` every few milliseconds until it is ok; throws after 60 s. */
export async function untilReady(url: string, token: string): Promise<void> {
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    const status = await ask(`${url}/readyz`, token).catch(() => 0)
    if (status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`${url}/readyz did not answer ok within 60 s`)
}

function ask(url: string, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = token ? { authorization: `Bearer ${token}` } : {}
    const request = https.get(
      url,
      { headers, rejectUnauthorized: false, agent: false },
      (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
      },
    )
    request.on('error', reject)
  })
}

/** Resident memory of a process, in MiB (Linux `/proc`). */
export async function residentMemory(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024
}

/** Ends a child with SIGTERM and waits until it has gone. */
export function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

/** A TCP port of the loopback interface that nobody holds right now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
