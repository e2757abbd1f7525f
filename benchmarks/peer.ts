import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { generateKeyPairSync } from 'node:crypto'
import { buildReference } from '../conformance/reference/build.ts'
import { end, freePort, residentMemory, start, untilReady, type BenchServer } from './server.ts'

const TOKEN = 'bench'

/** Objects are made without the accounts that controllers would make. */
const FLAGS = ['--disable-admission-plugins=ServiceAccount']

/**
 * Starts a real kube-apiserver with etcd, built once from Go modules. Unless it is `durable`, etcd runs with `--unsafe-no-fsync`, as
 * envtest runs it, so that it is not the disk that is measured.
 */
export async function startPeer({ durable }: { readonly durable: boolean }): Promise<BenchServer> {
  const bin = await buildReference(['etcd', 'kube-apiserver'])
  const folder = await mkdtemp(path.join(tmpdir(), 'kubewright-bench-'))
  const [client, peer, secure] = [await freePort(), await freePort(), await freePort()]
  await writeKeys(folder, `${TOKEN},admin,admin,"system:masters"`)
  const url = `https://127.0.0.1:${secure}`
  const started = performance.now()
  const etcd = start(path.join(bin, 'etcd'), etcdFlags(folder, client, peer, durable))
  const apiserver = start(
    path.join(bin, 'kube-apiserver'),
    apiserverFlags(folder, client, secure, FLAGS),
  )
  await untilReady(url, TOKEN)
  const readyAfter = performance.now() - started
  const kubeconfig = path.join(folder, 'kubeconfig')
  await writeFile(kubeconfig, kubeconfigText(url, TOKEN))
  return {
    url,
    token: TOKEN,
    kubeconfig,
    etcd: `http://127.0.0.1:${client}`,
    readyAfter,
    memory: async () => (await residentMemory(etcd.pid)) + (await residentMemory(apiserver.pid)),
    stop: async () => {
      await end(apiserver)
      await end(etcd)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Writes the keys of service account tokens, and `line` of a token file, for {@link apiserverFlags}. */
export async function writeKeys(folder: string, line: string): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  await writeFile(path.join(folder, 'sa.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }))
  await writeFile(path.join(folder, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
  await writeFile(path.join(folder, 'tokens.csv'), `${line}\n`)
}

/** The flags of an etcd that is alone; unless it is `durable` it does not wait for the disk. */
export const etcdFlags = (
  folder: string,
  client: number,
  peer: number,
  durable: boolean,
): string[] => [
  `--data-dir=${folder}/etcd`,
  ...(durable ? [] : ['--unsafe-no-fsync']),
  `--listen-client-urls=http://127.0.0.1:${client}`,
  `--advertise-client-urls=http://127.0.0.1:${client}`,
  `--listen-peer-urls=http://127.0.0.1:${peer}`,
  `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
  `--initial-cluster=default=http://127.0.0.1:${peer}`,
  '--log-level=error',
]

/** The flags that every kube-apiserver on loopback needs here; `more` come after them. */
export const apiserverFlags = (
  folder: string,
  etcd: number,
  secure: number,
  more: readonly string[],
): string[] => [
  `--etcd-servers=http://127.0.0.1:${etcd}`,
  '--bind-address=127.0.0.1',
  '--advertise-address=192.0.2.1',
  `--secure-port=${secure}`,
  `--cert-dir=${folder}/certificates`,
  `--token-auth-file=${folder}/tokens.csv`,
  '--authorization-mode=RBAC',
  '--service-cluster-ip-range=10.0.0.0/16',
  '--service-account-issuer=https://kubernetes.default.svc',
  `--service-account-key-file=${folder}/sa.pub`,
  `--service-account-signing-key-file=${folder}/sa.key`,
  ...more,
]

/** A kubeconfig for a server whose certificate is not checked. */
export const kubeconfigText = (url: string, token: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'bench', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'bench', user: { token } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    'current-context': 'bench',
  })
