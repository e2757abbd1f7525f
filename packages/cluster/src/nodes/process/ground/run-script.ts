import { execFile } from 'node:child_process'

/** Runs a program to its end. Resolves with what it said; rejects with what it complained of when it fails. */
export function runScript([program = '', ...args]: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }
    execFile(program, args, { env }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr.trim() || error.message, { cause: error }))
      else resolve(stdout)
    })
  })
}
