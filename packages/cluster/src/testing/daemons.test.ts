import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { Pod, Service } from 'kubewright/kinds/core/v1'
import { isConditionTrue } from 'kubewright/machinery'
import { processNode } from '../nodes/index.ts'
import { familyOf } from '../nodes/process/ground/child.ts'
import { type Cluster, startCluster } from './cluster.ts'

const TIMEOUT = { timeout: 60_000 }
const isTestedWhole = process.env['CI'] === 'true'

/** Daemons of Debian's packages, and what a client says to them and hears. */
const DAEMONS = [
  {
    name: 'memcached',
    program: '/usr/bin/memcached',
    image: { command: ['memcached'], args: ['-l', '$(POD_IP)'], user: 'memcache' },
    port: 11211,
    says: 'set a 0 0 3\r\nabc\r\nget a\r\nquit\r\n',
    hears: 'STORED\r\nVALUE a 0 3\r\nabc\r\nEND\r\n',
    isNeeded: isTestedWhole,
  },
  {
    name: 'redis',
    program: '/usr/bin/redis-server',
    image: {
      command: ['redis-server'],
      args: ['--bind', '$(POD_IP)', '--protected-mode', 'no', '--save', ''],
      user: 'redis',
    },
    port: 6379,
    says: 'SET k v\r\nGET k\r\nQUIT\r\n',
    hears: '+OK\r\n$1\r\nv\r\n+OK\r\n',
    isNeeded: isTestedWhole,
  },
  {
    name: 'nginx',
    program: '/usr/sbin/nginx',
    image: { command: ['nginx', '-g', 'daemon off;'] },
    port: 80,
    says: 'GET / HTTP/1.0\r\n\r\n',
    hears: 'HTTP/1.1 200 OK\r\n',
    isNeeded: false,
  },
] as const

const isRoot = process.getuid?.() === 0
const skipped =
  isRoot || isTestedWhole ? false : 'namespaces for daemons of their own users need root'
let cluster: Cluster
before(async () => {
  if (skipped) return
  const images = {
    ...Object.fromEntries(DAEMONS.map((it) => [it.name, it.image])),
    node: { command: [process.execPath] },
  }
  cluster = await startCluster({ nodes: [processNode({ images })] })
})
after(() => cluster?.close())

/** What a process is called. */
function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8')
  } catch {
    return ''
  }
}

/** What a client in a pod hears that goes through a service by its name. */
async function hear(service: string, port: number, says: string): Promise<string> {
  const script = `
    const socket = require('net').connect(${port}, ${JSON.stringify(service)})
    socket.write(${JSON.stringify(says)})
    let text = ''
    socket.on('data', (it) => (text += it)).on('close', () => process.stdout.write(text))
    socket.on('error', () => process.exit(1))
  `
  const key = { namespace: 'default', name: `ask-${service}` }
  await cluster.client.create(Pod, {
    metadata: key,
    spec: {
      restartPolicy: 'OnFailure',
      containers: [{ name: 'main', image: 'node', args: ['-e', script] }],
    },
  })
  const name = `default/${key.name}`
  await cluster.until(Pod, name, (it) => it.status?.phase === 'Succeeded', TIMEOUT)
  let text = ''
  for await (const it of cluster.client.logs(name)) text += it
  await cluster.client.delete(Pod, key)
  await cluster.untilGone(Pod, name, TIMEOUT)
  return text
}

for (const { name, program, port, says, hears, isNeeded } of DAEMONS) {
  const missing = existsSync(program) || isNeeded ? false : `${program} is not on this machine`
  test(
    `${name} serves through a service, and is repaired when it is killed`,
    { skip: skipped || missing },
    async () => {
      const { client } = cluster
      const labels = { app: name }
      const readinessProbe = { tcpSocket: { port }, periodSeconds: 1 }
      const template = {
        metadata: { labels },
        spec: {
          containers: [{ name: 'main', image: name, readinessProbe }],
          terminationGracePeriodSeconds: 2,
        },
      }
      const metadata = { namespace: 'default', name }
      await client.create(Service, { metadata, spec: { selector: labels, ports: [{ port }] } })
      await client.create(Deployment, {
        metadata,
        spec: { selector: { matchLabels: labels }, template },
      })
      const isServing = (restarts: number) => (all: readonly Pod[]) =>
        all.length === 1 &&
        isConditionTrue(all[0]!.status?.conditions, 'Ready') &&
        all[0]!.status!.containerStatuses![0]!.restartCount === restarts
      const selection = { namespace: 'default', labelSelector: `app=${name}` }
      await cluster.untilList(Pod, selection, isServing(0), TIMEOUT)
      assert.ok((await hear(name, port, says)).startsWith(hears))
      const daemon = familyOf(process.pid).find((pid) => nameOf(pid).startsWith(name))
      assert.ok(daemon, `${name} is a process of this machine`)
      process.kill(daemon, 'SIGKILL')
      await cluster.untilList(Pod, selection, isServing(1), TIMEOUT)
      assert.ok((await hear(name, port, says)).startsWith(hears))
    },
  )
}
