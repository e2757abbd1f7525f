import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const CHILD = fileURLToPath(new URL('in-process-child.ts', import.meta.url))

/**
 * How long a fresh in-process control plane (server, controllers, one node) takes in a test: milliseconds from `startCluster()` to an
 * answer, in a process that has imported the code and started one before, as the second test of a file finds it.
 */
export function freshInProcess(): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CHILD], { stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    child.on('error', reject)
    child.on('exit', (code) =>
      code === 0 ? resolve(Number(out)) : reject(new Error(`${CHILD} ended with code ${code}`)),
    )
  })
}
