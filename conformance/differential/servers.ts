import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { end, freePort, start, untilReady } from '../../benchmarks/server.ts'
import { buildReference } from '../reference/build.ts'
import { httpsWire, type Wire } from './wire.ts'

const TOKEN = 'differential'

/** A real kube-apiserver with etcd and no controllers, in processes of their own that end with `close`. */
export async function startReal(): Promise<Wire> {
  const bin = await buildReference(['etcd', 'kube-apiserver'])
  const folder = await mkdtemp(path.join(tmpdir(), 'kubewright-differential-'))
  const [client, peer, secure] = [await freePort(), await freePort(), await freePort()]
  await writeKeys(folder)
  const etcd = start(path.join(bin, 'etcd'), etcdFlags(folder, client, peer))
  const apiserver = start(path.join(bin, 'kube-apiserver'), apiserverFlags(folder, client, secure))
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

async function writeKeys(folder: string): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  await writeFile(path.join(folder, 'sa.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }))
  await writeFile(path.join(folder, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
  const line = `${TOKEN},kubernetes-admin,,"system:masters"\n`
  await writeFile(path.join(folder, 'tokens.csv'), line)
}

const etcdFlags = (folder: string, client: number, peer: number): string[] => [
  `--data-dir=${folder}/etcd`,
  '--unsafe-no-fsync',
  `--listen-client-urls=http://127.0.0.1:${client}`,
  `--advertise-client-urls=http://127.0.0.1:${client}`,
  `--listen-peer-urls=http://127.0.0.1:${peer}`,
  `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
  `--initial-cluster=default=http://127.0.0.1:${peer}`,
  '--log-level=error',
]

const apiserverFlags = (folder: string, etcd: number, secure: number): string[] => [
  `--etcd-servers=http://127.0.0.1:${etcd}`,
  '--bind-address=127.0.0.1',
  '--advertise-address=192.0.2.1',
  `--secure-port=${secure}`,
  `--cert-dir=${folder}/certificates`,
  `--token-auth-file=${folder}/tokens.csv`,
  '--authorization-mode=RBAC',
  '--allow-privileged=true',
  '--service-cluster-ip-range=10.0.0.0/16',
  '--service-account-issuer=https://kubernetes.default.svc',
  `--service-account-key-file=${folder}/sa.pub`,
  `--service-account-signing-key-file=${folder}/sa.key`,
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
