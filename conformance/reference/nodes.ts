import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../../benchmarks/server.ts'
import { KWOK, moduleFolder } from './build.ts'
import type { Processes } from './processes.ts'

const exec = promisify(execFile)

/** What kwok does with nodes and pods; it has nothing of it built in. */
const STAGES = ['node/fast', 'node/heartbeat-with-lease', 'pod/general'] as const

/** Makes nodes and starts kwok, which keeps them and their pods alive; resolves when all are ready. */
export async function startNodes(
  processes: Processes,
  bin: string,
  folder: string,
  kubeconfig: string,
  count: number,
): Promise<void> {
  const kubectl = (...args: string[]): Promise<string> =>
    exec(path.join(bin, 'kubectl'), [`--kubeconfig=${kubeconfig}`, ...args], {
      maxBuffer: 1 << 24,
    }).then((it) => it.stdout)
  const nodes = path.join(folder, 'nodes.json')
  const items = Array.from({ length: count }, (_, at) => node(`kwok-${at + 1}`))
  await writeFile(nodes, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  await kubectl('apply', '-f', nodes)
  const source = await moduleFolder(`sigs.k8s.io/kwok@${KWOK}`)
  const stages = []
  for (const it of STAGES)
    stages.push(await kubectl('kustomize', path.join(source, 'kustomize', 'stage', it)))
  const config = path.join(folder, 'stages.yaml')
  await writeFile(config, stages.join('---\n'))
  processes.start({
    name: 'kwok',
    file: path.join(bin, 'kwok'),
    args: [
      `--kubeconfig=${kubeconfig}`,
      '--manage-all-nodes=true',
      '--cidr=10.244.0.0/16',
      '--node-ip=127.0.0.1',
      '--node-port=0',
      `--server-address=127.0.0.1:${await freePort()}`,
      '--node-lease-duration-seconds=40',
      `--config=${config}`,
    ],
  })
  const ready = async (): Promise<boolean> =>
    (await kubectl('get', 'nodes', '--no-headers')).match(/ Ready /g)?.length === count
  for (let tries = 0; !(await ready()); tries++) {
    if (tries > 120) throw new Error(`kwok did not make its ${count} nodes ready within a minute`)
    await Promise.race([sleep(500), processes.failed])
  }
}

const node = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    annotations: { 'node.alpha.kubernetes.io/ttl': '0', 'kwok.x-k8s.io/node': 'fake' },
    labels: {
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      type: 'kwok',
    },
  },
  status: { allocatable: RESOURCES, capacity: RESOURCES },
})

const RESOURCES = { cpu: '32', memory: '256Gi', pods: '110', 'ephemeral-storage': '100Gi' }
