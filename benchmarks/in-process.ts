import { spawn } from 'node:child_process'

/**
 * How long a fresh in-process control plane (server, controllers, one node) takes in a test: milliseconds from `startCluster()` to an
 * answer, in a process that has imported the code and started one before, as the second test of a file finds it.
 */
export function freshInProcess(script: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    child.on('error', reject)
    child.on('exit', (code) =>
      code === 0 ? resolve(Number(out)) : reject(new Error(`${script} ended with code ${code}`)),
    )
  })
}
