import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient, parseKubeConfig } from 'kubewright/client'
import {
  ConfigMap,
  type Container,
  type ContainerStatus,
  Pod,
  type PodSpec,
  Secret,
  Service,
} from 'kubewright/kinds/core/v1'
import { EndpointSlice } from 'kubewright/kinds/discovery.k8s.io/v1'
import { isConditionTrue } from 'kubewright/machinery'
import { type PodNetwork, processNode } from '../nodes/index.ts'
import { familyOf } from '../nodes/process/ground/child.ts'
import { type Cluster, startCluster } from './cluster.ts'

const IMAGES = {
  'node:*': { command: [process.execPath] },
  'busybox:*': { command: ['sh'] },
}

const TIMEOUT = { timeout: 60_000 }

const isReady = (pod: Pod): boolean => isConditionTrue(pod.status?.conditions, 'Ready')
/** The status of a pod's only main container; an empty one before its node has told of it. */
const statusOf = (pod: Pod): Partial<ContainerStatus> => pod.status?.containerStatuses?.[0] ?? {}

const SERVER = `
  const server = require('http').createServer((_, it) => it.end(process.env.HOSTNAME + ' ' + Math.random()))
  server.listen(8080, process.env.IP)
  process.on('SIGTERM', () => { console.log('bye'); process.exit(3) })
`
const IP = { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }

/** Process nodes with either network: containers, volumes, probes, and their end. */
export function processNodesSuite(podNetwork: PodNetwork): void {
  let cluster: Cluster
  before(async () => {
    const delays = { backOff: 100, retry: 100 }
    cluster = await startCluster({ nodes: [processNode({ images: IMAGES, delays })], podNetwork })
  })
  after(() => cluster.close())

  const create = (
    name: string,
    container: Partial<Container>,
    spec: Partial<PodSpec> = {},
  ): Promise<Pod> =>
    cluster.client.create(Pod, {
      metadata: { namespace: 'default', name },
      spec: {
        terminationGracePeriodSeconds: 5,
        ...spec,
        containers: [{ name: 'main', image: 'busybox:1', ...container }],
      },
    })

  /** A client over a socket: commands need one. */
  const listening = async (): Promise<Client & AsyncDisposable> => {
    const client = createClient({
      kubeconfig: parseKubeConfig(cluster.kubeconfig(), '.', 'the cluster’s'),
    })
    return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
  }

  const until = (name: string, holds: (pod: Pod) => boolean): Promise<Pod> =>
    cluster.until(Pod, `default/${name}`, holds, TIMEOUT)

  /** What a server in a pod answers, through the API server's proxy. */
  const ask = async (pod: string): Promise<string> => {
    const path = `/api/v1/namespaces/default/pods/${pod}:8080/proxy/`
    return (await cluster.client.raw({ method: 'GET', path })).text()
  }

  test('a container is a process: it serves, is killed, comes back, and ends when its pod goes', async () => {
    const probe = { tcpSocket: { port: 8080 }, periodSeconds: 1 }
    await create('web', {
      image: 'node:22',
      args: ['-e', SERVER],
      env: [IP],
      readinessProbe: probe,
    })
    await until('web', isReady)
    const [name, one] = (await ask('web')).split(' ')
    assert.equal(name, 'web')
    process.kill(processWith('HOSTNAME=web'), 'SIGKILL')
    const again = await until('web', (it) => statusOf(it).restartCount === 1 && isReady(it))
    const { exitCode, reason } = statusOf(again).lastState!.terminated!
    assert.deepEqual([exitCode, reason], [137, 'Error'])
    const [, other] = (await ask('web')).split(' ')
    assert.notEqual(other, one)
    await cluster.client.delete(Pod, 'default/web')
    await cluster.untilGone(Pod, 'default/web', TIMEOUT)
  })

  test('a container that does its work is done, and its exit code and last words are told', async () => {
    const command = ['sh', '-c', 'printf "it was $WHAT" > /dev/termination-log; exit 7']
    await create(
      'work',
      { command, env: [{ name: 'WHAT', value: 'done' }] },
      { restartPolicy: 'Never' },
    )
    const pod = await until('work', (it) => it.status?.phase === 'Failed')
    const { exitCode, reason, message } = statusOf(pod).state!.terminated!
    assert.deepEqual([exitCode, reason, message], [7, 'Error', 'it was done'])
  })

  test('a program that is not there, and an image that nobody names, are told', async () => {
    await create('wrong', { command: ['no-such-program'] }, { restartPolicy: 'Never' })
    const wrong = await until('wrong', (it) => it.status?.phase === 'Failed')
    const { exitCode, reason, message } = statusOf(wrong).state!.terminated!
    assert.deepEqual([exitCode, reason], [128, 'StartError'])
    assert.match(message!, /exec: "no-such-program": executable file not found in \$PATH$/)
    await create('unknown', { image: 'mystery:1' })
    const unknown = await until('unknown', (it) =>
      /^(ErrImagePull|ImagePullBackOff)$/.test(statusOf(it).state?.waiting?.reason ?? ''),
    )
    assert.match(
      statusOf(unknown).state!.waiting!.message!,
      /image map of this node does not name "mystery:1"/,
    )
  })

  test('volumes show what they are of, and follow it', async () => {
    const { client } = cluster
    const settings = { namespace: 'default', name: 'settings' }
    await client.create(ConfigMap, { metadata: settings, data: { colour: 'red' } })
    await client.create(Secret, {
      metadata: { ...settings, name: 'keys' },
      stringData: { token: 's3cret' },
    })
    const script = `
    test "$(cat /data/kept)" = first || exit 1
    test "$(cat /secret/token)" = s3cret || exit 2
    test "$(cat /info/name)" = volumes || exit 3
    test "$(cat /var/run/secrets/kubernetes.io/serviceaccount/namespace)" = default || exit 4
    while ! test "$(cat /config/colour)" = blue; do sleep 0.1; done
  `
    const volumeMounts = ['data', 'config', 'secret', 'info'].map((name) => ({
      name,
      mountPath: `/${name}`,
    }))
    await create(
      'volumes',
      { command: ['sh', '-c', script], volumeMounts },
      {
        restartPolicy: 'Never',
        initContainers: [
          {
            name: 'first',
            image: 'busybox:1',
            args: ['-c', 'printf first > /data/kept'],
            volumeMounts,
          },
        ],
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: 'config', configMap: { name: 'settings' } },
          { name: 'secret', secret: { secretName: 'keys' } },
          {
            name: 'info',
            downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] },
          },
        ],
      },
    )
    await until(
      'volumes',
      (it) => statusOf(it).state?.running !== undefined || it.status?.phase === 'Failed',
    )
    await client.patch(ConfigMap, settings, { type: 'merge', body: { data: { colour: 'blue' } } })
    const pod = await until('volumes', (it) => /Succeeded|Failed/.test(it.status?.phase ?? ''))
    assert.equal(statusOf(pod).state!.terminated!.exitCode, 0)
  })

  test('pods that are deleted while their volumes are made are gone', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `brief-${index}`)
    for (const it of names) await create(it, { command: ['sleep', '60'] })
    for (const name of names) await cluster.client.delete(Pod, { namespace: 'default', name })
    for (const it of names) await cluster.untilGone(Pod, `default/${it}`, TIMEOUT)
  })

  test('a missing secret holds a container back until it is there', async () => {
    const env = [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'late', key: 'a' } } }]
    await create(
      'held',
      { command: ['sh', '-c', 'test "$KEY" = x'], env },
      { restartPolicy: 'Never' },
    )
    const held = await until(
      'held',
      (it) => statusOf(it).state?.waiting?.reason === 'CreateContainerConfigError',
    )
    assert.equal(statusOf(held).state!.waiting!.message, 'secret "late" not found')
    await cluster.client.create(Secret, {
      metadata: { namespace: 'default', name: 'late' },
      stringData: { a: 'x' },
    })
    await until('held', (it) => it.status?.phase === 'Succeeded')
  })

  test('probes and hooks run in the container, and a sick one is restarted', async () => {
    const script = 'touch well; trap "exit 0" TERM; while :; do sleep 0.1; done'
    await create('sick', {
      command: ['sh', '-c', script],
      lifecycle: { postStart: { exec: { command: ['sh', '-c', 'touch hooked'] } } },
      readinessProbe: { exec: { command: ['sh', '-c', 'test -e hooked'] }, periodSeconds: 1 },
      livenessProbe: {
        exec: { command: ['sh', '-c', 'test -e well'] },
        periodSeconds: 1,
        failureThreshold: 1,
        initialDelaySeconds: 2,
      },
      startupProbe: { exec: { command: ['true'] }, periodSeconds: 1 },
    })
    await until('sick', isReady)
  })

  test('a pod may speak to the API server as its service account', async () => {
    const script = `
    const { readFileSync } = require('fs')
    const folder = process.env.FOLDER
    const read = (name) => readFileSync(folder + '/' + name, 'utf8')
    const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env
    const headers = { authorization: 'Bearer ' + read('token') }
    require('https').get({ host, port, path: '/apis', headers, ca: read('ca.crt') }, (it) => {
      process.exit(it.statusCode === 200 ? 0 : 1)
    })
  `
    const env = [{ name: 'FOLDER', value: '/var/run/secrets/kubernetes.io/serviceaccount' }]
    await create(
      'caller',
      { image: 'node:22', args: ['-e', script], env },
      { restartPolicy: 'Never' },
    )
    const pod = await until('caller', (it) => /Succeeded|Failed/.test(it.status?.phase ?? ''))
    assert.equal(pod.status!.phase, 'Succeeded')
  })

  test('one reaches into a container: commands with their input and code, logs, ports and usage', async () => {
    await using client = await listening()
    const script = "console.log('begun'); " + SERVER
    await create('open', { image: 'node:22', args: ['-e', script], env: [IP] })
    await until('open', isReady)
    const pod = 'default/open'
    const command = ['sh', '-c', 'cat; echo "$HOSTNAME" >&2; exit 3']
    await using session = await client.exec(pod, command, { stdin: true })
    await session.write('said and ')
    await session.write('done')
    await session.endInput()
    const said = { stdout: '', stderr: '' }
    for await (const it of session.output) said[it.from] += it.bytes.toString()
    assert.deepEqual(said, { stdout: 'said and done', stderr: 'open\n' })
    assert.equal(await session.exit(), 3)
    let log = ''
    for await (const it of client.logs(pod)) log += it
    assert.equal(log, 'begun\n')
    // It listens a moment after it has begun.
    const served = await eventually(async () => {
      await using tunnel = await client.portForward(pod, 8080)
      await tunnel.write('GET / HTTP/1.0\r\n\r\n')
      let text = ''
      for await (const it of tunnel.output) text += String(it)
      return text.includes('200 OK') ? text : undefined
    })
    assert.match(served, /\r\n\r\nopen 0\.\d+$/)
    const path = '/api/v1/nodes/node-1/proxy/stats/summary'
    const own = await eventually(async () => {
      const summary = (await (await client.raw({ method: 'GET', path })).json()) as Summary
      return summary.pods.find((it) => it.podRef.name === 'open')?.containers[0]
    })
    assert.ok(own.memory.workingSetBytes > 1024 * 1024, JSON.stringify(own))
    assert.ok(own.cpu.usageCoreNanoSeconds > 0, JSON.stringify(own))
  })

  test('a service leads to the pods behind it, and to none where there is none', async () => {
    const { client } = cluster
    const ports = [{ port: 8000, targetPort: 8080 }]
    const labels = { app: 'served' }
    const metadata = { namespace: 'default', name: 'served' }
    await client.create(Service, { metadata, spec: { selector: labels, ports } })
    const main = {
      name: 'main',
      image: 'node:22',
      args: ['-e', SERVER],
      env: [IP],
      readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
    }
    for (const name of ['one', 'two'])
      await client.create(Pod, {
        metadata: { namespace: 'default', name, labels },
        spec: { containers: [main], terminationGracePeriodSeconds: 1 },
      })
    for (const name of ['one', 'two']) await until(name, isReady)
    await cluster.untilList(
      EndpointSlice,
      { namespace: 'default', labelSelector: 'kubernetes.io/service-name=served' },
      (all) => {
        const ready = all.flatMap((it) => it.endpoints ?? []).filter((it) => it.conditions?.ready)
        return ready.length === 2
      },
      TIMEOUT,
    )
    const script = `
      const ask = () => fetch('http://' + process.env.SERVED_SERVICE_HOST + ':8000').then((it) => it.text())
      const seen = new Set()
      const look = async () => {
        while (seen.size < 2) seen.add((await ask().catch(() => ' ')).split(' ')[0])
        require('fs').writeFileSync('/dev/termination-log', [...seen].filter(Boolean).sort().join(' '))
      }
      look()
    `
    // Where it is told to write, as a path of its own, is known to shells alone.
    const args = ['-e', script.replace("'/dev/termination-log'", 'process.env.LAST')]
    const env = [{ name: 'LAST', value: '/dev/termination-log' }]
    await create('asking', { image: 'node:22', args, env }, { restartPolicy: 'Never' })
    const pod = await until('asking', (it) => /Succeeded|Failed/.test(it.status?.phase ?? ''))
    assert.equal(statusOf(pod).state!.terminated!.message, 'one two')
  })

  test('a cluster that goes on later finds the volumes of its pods', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'kubewright-goes-on-'))
    const options = { nodes: [processNode({ images: IMAGES })], podNetwork, dataDir }
    const script =
      'echo run >> /data/runs; cat /data/runs; trap "exit 0" TERM; while :; do sleep 0.1; done'
    const metadata = { namespace: 'default', name: 'lasting' }
    const volumeMounts = [{ name: 'data', mountPath: '/data' }]
    const logOf = async ({ client }: Cluster): Promise<string> => {
      let text = ''
      for await (const it of client.logs('default/lasting')) text += it
      return text
    }
    try {
      {
        await using first = await startCluster(options)
        const containers = [
          { name: 'main', image: 'busybox:1', args: ['-c', script], volumeMounts },
        ]
        const spec = { containers, volumes: [{ name: 'data', emptyDir: {} }] }
        await first.client.create(Pod, { metadata, spec })
        await first.until(Pod, 'default/lasting', isReady, TIMEOUT)
        assert.equal(await eventually(async () => (await logOf(first)) || undefined), 'run\n')
      }
      await using second = await startCluster(options)
      const isAgain = (it: Pod): boolean => statusOf(it).restartCount === 1 && isReady(it)
      await second.until(Pod, 'default/lasting', isAgain, TIMEOUT)
      assert.equal(await eventually(async () => (await logOf(second)) || undefined), 'run\nrun\n')
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })

  test('when the cluster is killed, nothing of it is left', async () => {
    const program = `
    import { processNode, startCluster } from ${JSON.stringify(import.meta.resolve('./index.ts'))}
    import { Pod } from ${JSON.stringify(import.meta.resolve('kubewright/kinds/core/v1'))}
    const images = { busybox: { command: ['sh'] } }
    const cluster = await startCluster({ nodes: [processNode({ images })], podNetwork: ${JSON.stringify(podNetwork)} })
    // One of them leaves its session, as daemons do.
    const args = ['-c', 'setsid sleep 12345 & exec sleep 12345']
    const spec = { containers: [{ name: 'main', image: 'busybox', args }] }
    await cluster.client.create(Pod, { metadata: { namespace: 'default', name: 'long' }, spec })
    await cluster.until(Pod, 'default/long', (it) => it.status?.phase === 'Running')
    process.send('running')
  `
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: withoutTestContext(),
    })
    await once(child, 'message')
    const isSleeper = (pid: number): boolean =>
      textOf(`/proc/${pid}/cmdline`).startsWith('sleep\x0012345')
    while (familyOf(child.pid!).filter(isSleeper).length < 2) await sleep(20)
    const family = familyOf(child.pid!).filter((pid) => pid !== child.pid)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const deadline = Date.now() + 5000
    while (family.some((pid) => existsSync(`/proc/${pid}`)) && Date.now() < deadline)
      await sleep(20)
    assert.deepEqual(
      family.filter((pid) => existsSync(`/proc/${pid}`)),
      [],
    )
  })
}

interface Summary {
  readonly pods: readonly {
    readonly podRef: { readonly name: string }
    readonly containers: readonly {
      readonly memory: { readonly workingSetBytes: number }
      readonly cpu: { readonly usageCoreNanoSeconds: number }
    }[]
  }[]
}

/** What comes of asking again until something does. */
async function eventually<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await ask().catch(() => undefined)
    if (found !== undefined) return found
    await sleep(50)
  }
}

/** The process of this machine that has a variable. */
function processWith(variable: string): number {
  const found = readdirSync('/proc')
    .filter((it) => /^\d+$/.test(it))
    .find((pid) => textOf(`/proc/${pid}/environ`).split('\0').includes(variable))
  assert.ok(found, `no process has ${variable}`)
  return Number(found)
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function withoutTestContext(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return env
}
