import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { apiserverFlags, etcdFlags, writeKeys } from '../../benchmarks/peer.ts'
import { end, freePort, start, untilReady } from '../../benchmarks/server.ts'
import { buildReference } from '../reference/build.ts'
import { httpsWire, type Wire } from './wire.ts'

const TOKEN = 'differential'

/** A real kube-apiserver with etcd and no controllers, in processes of their own that end with `close`. */
export async function startReal(): Promise<Wire> {
  const bin = await buildReference(['etcd', 'kube-apiserver'])
  const folder = await mkdtemp(path.join(tmpdir(), 'kubewright-differential-'))
  const [client, peer, secure] = [await freePort(), await freePort(), await freePort()]
  await writeKeys(folder, `${TOKEN},kubernetes-admin,,"system:masters"`)
  const etcd = start(path.join(bin, 'etcd'), etcdFlags(folder, client, peer, false))
  const apiserver = start(
    path.join(bin, 'kube-apiserver'),
    apiserverFlags(folder, client, secure, FLAGS),
  )
  const url = `https://127.0.0.1:${secure}`
  await untilReady(url, TOKEN)
  const wire = httpsWire('kube-apiserver', url, TOKEN)
  return {
    ...wire,
    close: async () => {
      await wire.close()
      await end(apiserver)
      await end(etcd)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const FLAGS = [
  '--allow-privileged=true',
  // One client asks as fast as it can; nobody is to be made to wait for fairness.
  '--enable-priority-and-fairness=false',
  '--max-requests-inflight=0',
  '--max-mutating-requests-inflight=0',
]

const SCRIPT = fileURLToPath(new URL('our-server.ts', import.meta.url))

/** Kubewright's API server without controllers, in a process of its own that ends with `close`. */
export async function startOurs(): Promise<Wire> {
  const child = spawn(process.execPath, [SCRIPT], {
    env: { ...process.env, TOKEN },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await firstLine(child)
  await untilReady(url, TOKEN)
  const wire = httpsWire('kubewright', url, TOKEN)
  return {
    ...wire,
    close: async () => {
      await wire.close()
      await end(child)
    },
  }
}

/** What a child prints first. Throws an Error when it ends before. */
function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
    })
    child.on('exit', (code) => reject(new Error(`kubewright ended with ${code} and no address`)))
  })
}
