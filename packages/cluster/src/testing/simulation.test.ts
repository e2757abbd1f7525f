import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { fakeClock } from 'kubewright/base'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { Job } from 'kubewright/kinds/batch/v1'
import { HorizontalPodAutoscaler } from 'kubewright/kinds/autoscaling/v2'
import { Node, Pod } from 'kubewright/kinds/core/v1'
import { findCondition } from 'kubewright/machinery'
import { type Cluster, startCluster } from './cluster.ts'
import { whenPod } from './index.ts'
import { deployment, here, job, template } from './objects.fixture.ts'

/** Programs take their time on a busy machine. */
const PATIENT = { timeout: 60_000 }

const restarts = (it: Pod): number => it.status?.containerStatuses?.[0]?.restartCount ?? 0
const isReady = (it: Pod): boolean =>
  findCondition(it.status?.conditions, 'Ready')?.status === 'True'

describe('pods behave as rules say', () => {
  test('a job whose pods fail three times succeeds with the fourth', async () => {
    const pods = [whenPod('job-name=flaky').failsWith(137).times(3)]
    const clock = fakeClock()
    await using cluster = await startCluster({ clock, pods })
    await cluster.client.create(Job, job('flaky', ['true']))
    for (let second = 0; second < 120; second++) await clock.advance(1000)
    const { status } = await cluster.client.get(Job, here('flaky'))
    assert.deepEqual([status?.failed, status?.succeeded], [3, 1])
  })

  test('rules come and go while pods run, and a deployment shows it', async () => {
    await using cluster = await startCluster()
    const { client } = cluster
    await client.create(Deployment, deployment('web', 2))
    await cluster.until(Deployment, 'default/web', (it) => it.status?.readyReplicas === 2)
    {
      using _ = cluster.simulate(whenPod({ app: 'web' }).isNotReady())
      await cluster.until(Deployment, 'default/web', (it) => (it.status?.readyReplicas ?? 0) === 0)
    }
    await cluster.until(Deployment, 'default/web', (it) => it.status?.readyReplicas === 2)
  })

  test('annotations do as well, also those that come later', async () => {
    await using cluster = await startCluster()
    const annotations = {
      'kubewright.dev/exit-reason': 'OOMKilled',
      'kubewright.dev/exit-times': '1',
    }
    await cluster.client.create(Pod, {
      metadata: { ...here('hungry'), annotations },
      spec: template('x').spec,
    })
    const pod = await cluster.until(
      Pod,
      'default/hungry',
      (it) => restarts(it) === 1 && isReady(it),
    )
    const { reason, exitCode } = pod.status!.containerStatuses![0]!.lastState!.terminated!
    assert.deepEqual([reason, exitCode], ['OOMKilled', 137])
    const body = { metadata: { annotations: { 'kubewright.dev/ready': 'false' } } }
    await cluster.client.patch(Pod, here('hungry'), { type: 'merge', body })
    await cluster.until(Pod, 'default/hungry', (it) => !isReady(it))
  })

  test('a node whose kubelet is stopped is lost, and comes back', async () => {
    const clock = fakeClock()
    await using cluster = await startCluster({ clock, nodes: 2 })
    const { client } = cluster
    const turn = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second++) await clock.advance(1000)
    }
    const ready = async (): Promise<string | undefined> =>
      findCondition((await client.get(Node, 'node-1')).status?.conditions, 'Ready')?.status
    await turn(30)
    const switched = (to: string | null): Promise<Node> =>
      client.patch(Node, 'node-1', {
        type: 'merge',
        body: { metadata: { annotations: { 'kubewright.dev/kubelet': to } } },
      })
    await switched('stopped')
    await turn(70)
    assert.equal(await ready(), 'Unknown')
    await switched(null)
    await turn(20)
    assert.equal(await ready(), 'True')
  })
})

test('an autoscaler follows what pods use', async () => {
  const clock = fakeClock()
  const busy = whenPod('app=web').uses((seconds) => ({
    cpu: seconds < 120 ? 0.2 : 0.01,
    memory: 64 * 2 ** 20,
  }))
  await using cluster = await startCluster({ clock, nodes: 2, pods: [busy] })
  const { client } = cluster
  const { metadata, spec } = deployment('web', 1)
  const hungry = template('web', { resources: { requests: { cpu: '100m' } } })
  await client.create(Deployment, {
    metadata: metadata!,
    spec: { ...spec!, template: { ...spec!.template, spec: hungry.spec } },
  })
  await client.create(HorizontalPodAutoscaler, {
    metadata: here('web'),
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 6,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
        },
      ],
    },
  })
  const seen: number[] = []
  for (let step = 0; step < 90; step++) {
    for (let second = 0; second < 10; second++) await clock.advance(1000)
    const { spec: now } = await client.get(Deployment, here('web'))
    if (now!.replicas !== seen.at(-1)) seen.push(now!.replicas!)
  }
  assert.equal(Math.max(...seen), 6, 'four times as much is used as should be')
  assert.equal(seen.at(-1), 1, 'and little later on')
})

const hasKubectl = (() => {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()
const skip = hasKubectl || process.env['CI'] ? false : 'there is no kubectl on this machine'

describe('kubectl reaches into simulated pods', { skip, timeout: 180_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-'))
  let cluster: Cluster

  before(async () => {
    cluster = await startCluster({ port: 0, pods: [whenPod('run=told').logs('first', 'second')] })
    writeFileSync(join(folder, 'kubeconfig'), cluster.kubeconfig())
  })

  after(async () => {
    await cluster.close()
    rmSync(folder, { recursive: true })
  })

  const args = (...words: readonly string[]): readonly string[] => [
    '--kubeconfig',
    join(folder, 'kubeconfig'),
    ...words,
  ]
  const kubectl = (...words: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      execFile('kubectl', args(...words), (error, out, err) =>
        error ? reject(new Error(`${words.join(' ')}: ${err}`)) : resolve(out),
      )
    })
  const typed = async (input: string, ...words: readonly string[]): Promise<string> => {
    const child = spawn('kubectl', args(...words))
    const closed = once(child, 'close')
    child.stdin.end(input)
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
    const [code] = (await closed) as [number]
    assert.equal(code, 0, err)
    return out
  }

  test('logs: what the command writes, or what is told to', async () => {
    await kubectl('run', 'told', '--image=nginx')
    await kubectl(
      'run',
      'job',
      '--image=busybox',
      '--restart=Never',
      '--',
      'sh',
      '-c',
      'echo hello; echo $HOSTNAME',
    )
    await cluster.until(Pod, 'default/told', isReady, PATIENT)
    assert.equal(await kubectl('logs', 'told'), 'first\nsecond\n')
    await cluster.until(Pod, 'default/job', (it) => it.status?.phase === 'Succeeded', PATIENT)
    assert.equal(await kubectl('logs', 'job'), 'hello\njob\n')
    assert.equal(await kubectl('logs', '-f', 'job', '--tail=1'), 'job\n')
  })

  test('logs -f ends with its container', async () => {
    await kubectl(
      'run',
      'short',
      '--image=busybox',
      '--restart=Never',
      '--',
      'sh',
      '-c',
      'echo a; sleep 1; echo b',
    )
    await cluster.until(Pod, 'default/short', (it) => it.status?.phase === 'Running', PATIENT)
    assert.equal(await kubectl('logs', '-f', 'short'), 'a\nb\n')
  })

  test('exec: a small shell', async () => {
    await kubectl('run', 'shell', '--image=nginx', '--env=COLOUR=blue')
    await cluster.until(Pod, 'default/shell', isReady, PATIENT)
    assert.equal(
      await kubectl('exec', 'shell', '--', 'sh', '-c', 'echo $COLOUR on $HOSTNAME'),
      'blue on shell\n',
    )
    assert.equal(
      await typed('echo typed\nhostname\n', 'exec', '-i', 'shell', '--', 'sh'),
      'typed\nshell\n',
    )
    await assert.rejects(
      kubectl('exec', 'shell', '--', 'nginx', '-t'),
      /executable file not found in \$PATH/,
    )
  })

  test('run -i --rm: whoever is attached is the process, and the pod ends with him', async () => {
    const out = await typed(
      'echo from inside\nexit\n',
      'run',
      'once',
      '-i',
      '--rm',
      '--restart=Never',
      '--image=busybox',
      '--',
      'sh',
    )
    assert.match(out, /from inside\n/)
    assert.match(out, /pod "once" deleted/)
  })

  test('run -it: with a terminal', async () => {
    const words = args(
      'run',
      'tty',
      '-it',
      '--rm',
      '--restart=Never',
      '--image=busybox',
      '--',
      'sh',
    )
    const child = spawn('script', ['-qec', `kubectl ${words.join(' ')}`, '/dev/null'])
    let out = ''
    child.stdout.on('data', (it: Buffer) => (out += it.toString()))
    while (!out.includes('/ # ')) await once(child.stdout, 'data')
    child.stdin.write('echo $HOSTNAME-$((1))\rexit\r')
    await once(child, 'close')
    assert.match(out, /tty-/)
    assert.match(out, /pod "tty" deleted/)
  })

  test('debug: a container more in a running pod', async () => {
    await kubectl('run', 'sick', '--image=nginx')
    await cluster.until(Pod, 'default/sick', isReady, PATIENT)
    const out = await typed(
      'hostname\n',
      'debug',
      '-i',
      'sick',
      '--image=busybox',
      '--container=doctor',
      '--',
      'sh',
    )
    assert.match(out, /sick\n/)
    const pod = await cluster.until(
      Pod,
      'default/sick',
      (it) => it.status?.ephemeralContainerStatuses?.[0]?.state?.terminated !== undefined,
      PATIENT,
    )
    assert.equal(pod.status?.phase, 'Running')
  })

  test('top and get: what nodes and pods use', async () => {
    await kubectl(
      'run',
      'used',
      '--image=nginx',
      '--annotations=kubewright.dev/usage-cpu=250m',
      '--annotations=kubewright.dev/usage-memory=64Mi',
    )
    await cluster.until(Pod, 'default/used', isReady, PATIENT)
    assert.match(
      await kubectl('top', 'pod', 'used'),
      /^NAME +CPU\(cores\) +MEMORY\(bytes\) *\nused +250m +64Mi *\n$/,
    )
    assert.match(
      await kubectl('top', 'pod', '-l', 'run=used', '--containers'),
      /\nused +used +250m +64Mi/,
    )
    assert.match(await kubectl('top', 'nodes'), /\nnode-1 +\d+m +\d+% +\d+Mi +\d+% *\n$/)
    assert.match(
      await kubectl('get', 'podmetrics', 'used'),
      /^NAME +CPU +MEMORY +WINDOW\nused +250000000n +65536Ki +15s\n$/,
    )
    assert.match(
      await kubectl('get', 'apiservice', 'v1beta1.metrics.k8s.io'),
      /kube-system\/metrics-server +True/,
    )
    await assert.rejects(
      kubectl('get', 'podmetrics', 'nobody'),
      /podmetrics.metrics.k8s.io "nobody" not found/,
    )
  })

  test('port-forward: declared ports answer', async () => {
    await kubectl('run', 'served', '--image=nginx', '--port=80')
    await cluster.until(Pod, 'default/served', isReady, PATIENT)
    const child = spawn('kubectl', args('port-forward', 'pod/served', ':80'))
    const [bytes] = (await once(child.stdout, 'data')) as [Buffer]
    const port = /127\.0\.0\.1:(\d+)/.exec(bytes.toString())![1]
    const answer = await fetch(`http://127.0.0.1:${port}/`)
    assert.match(await answer.text(), /^pod default\/served is simulated/)
    child.kill('SIGTERM')
    await once(child, 'close')
  })
})
