import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { end, freePort, residentMemory, untilReady, type BenchServer } from './server.ts'

/** Starts kubewright's control plane as a user does, in a process of its own; `alone` leaves controllers and nodes out, `durable` keeps objects on disk. */
export async function startOurs(
  bin: string,
  { alone, durable = false }: { readonly alone: boolean; readonly durable?: boolean },
): Promise<BenchServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kubewright-bench-'))
  const port = await freePort()
  const url = `https://127.0.0.1:${port}`
  const flags = [
    'cluster',
    'start',
    '--foreground',
    `--port=${port}`,
    ...(alone ? ['--no-controllers'] : []),
    ...(durable ? ['--data-dir=data'] : []),
  ]
  const started = performance.now()
  const child = spawn(process.execPath, ['--max-semi-space-size=16', bin, ...flags], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await untilReady(url, '')
  const readyAfter = performance.now() - started
  const kubeconfig = path.join(folder, '.kubewright', 'kubeconfig')
  return {
    url,
    token: await tokenIn(kubeconfig),
    kubeconfig,
    readyAfter,
    memory: () => residentMemory(child.pid),
    stop: async () => {
      await end(child)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The bearer token of a kubeconfig that has just been written. */
async function tokenIn(kubeconfig: string): Promise<string> {
  for (let tries = 0; ; tries++) {
    const token = /token: *"?([^"\n]+)"?/.exec(
      await readFile(kubeconfig, 'utf8').catch(() => ''),
    )?.[1]
    if (token) return token
    if (tries > 500) throw new Error(`${kubeconfig} never held a token`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
