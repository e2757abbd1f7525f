import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { startCluster, type Cluster } from '@kubewright/cluster/testing'
import { installKinds, manager, type Running } from 'kubewright'
import { parse } from 'yaml'
import { appOtp } from '../app.ts'
import { AppOTP } from '../kind.ts'
import { createScreen, told, type Screen } from './screen.ts'
import { clear, create, LATER, type Step } from './steps.ts'
import { watchPods } from './watch-pods.ts'

/** What the demonstration is asked to do. */
export interface DemoOptions {
  readonly once: boolean
  readonly port: number
  readonly dataDir?: string
}

const SAMPLE = new URL('../../config/samples/appotp_v1_appotp.yaml', import.meta.url)
/** How long a step may take before the demonstration says that it did not happen. */
const PATIENCE = 20_000

/** Starts everything and shows it; resolves when it is over, rejects with a sentence on what did not happen. */
export async function runDemo(options: DemoOptions): Promise<void> {
  const screen = createScreen(
    (line) => console.log(line),
    () => performance.now(),
    process.stdout.isTTY === true,
  )
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  const cluster = await start(options, screen)
  try {
    await show(cluster, options, screen, stopping.signal)
  } catch (error) {
    if (!stopping.signal.aborted) throw error
  } finally {
    stopping.abort()
    await cluster.close()
  }
}

async function start({ port, dataDir }: DemoOptions, screen: Screen): Promise<Cluster> {
  const began = performance.now()
  const cluster = await startCluster({
    port,
    nodes: 2,
    ...(dataDir === undefined ? {} : { dataDir }),
  })
  const file = path.resolve('.kubewright', 'kubeconfig')
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, cluster.kubeconfig(), { mode: 0o600 })
  screen.step(
    `control plane at ${cluster.address?.url}, ready in ${Math.round(performance.now() - began)} ms`,
  )
  screen.say(
    `kubeconfig in ${path.relative(process.cwd(), file)}, objects ${dataDir ? `in ${dataDir}` : 'in memory'}`,
  )
  return cluster
}

async function show(
  cluster: Cluster,
  { once }: DemoOptions,
  screen: Screen,
  signal: AbortSignal,
): Promise<void> {
  await installKinds(cluster.client, [AppOTP])
  screen.say('CRD appotps.appotp.learn.com established')
  if (once) await clear(cluster.client)
  const operator = await startOperator(cluster, screen)
  screen.say('operator app-otp: for AppOTP, owns Deployment and Service, watches Pod')
  const pods = watchPods(cluster.client, screen, signal)
  await play(create(parse(await readFile(SAMPLE, 'utf8')) as object), cluster, screen, signal)
  if (once) for (const step of LATER) await play(step, cluster, screen, signal)
  else await stay(cluster, screen, signal)
  await operator.stop()
  if (once) screen.step('everything happened as it should')
  void pods
}

/** Acts, then waits until it has worked. Throws a sentence when it has not. */
async function play(
  { title, act, expected, done }: Step,
  { client }: Cluster,
  screen: Screen,
  signal: AbortSignal,
): Promise<void> {
  screen.step(`$ ${title}`)
  await act(client)
  const deadline = performance.now() + PATIENCE
  while (!(await done(client))) {
    signal.throwIfAborted()
    if (performance.now() > deadline)
      throw new Error(
        `after \`${title}\`, this did not happen within ${PATIENCE / 1000} s: ${expected}`,
      )
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  screen.line('done', expected)
}

function startOperator(cluster: Cluster, screen: Screen): Promise<Running> {
  return manager({ name: 'app-otp' })
    .add(appOtp)
    .start({
      transport: cluster.fetch,
      observer: (event) => {
        const line = told(event)
        if (line) screen.line(...line)
      },
    })
}

const TRY = `
Try, in another terminal:

  export KUBECONFIG=$PWD/.kubewright/kubeconfig
  kubectl get appotp,deploy,rs,pods,svc
  kubectl explain appotp.spec
  kubectl patch appotp appotp-sample --type merge -p '{"spec":{"size":5}}'
  kubectl delete deployment appotp-sample        # it comes back
  kubectl get events --sort-by=.metadata.creationTimestamp
  kubectl delete appotp appotp-sample

Ctrl-C ends it.`

/** Keeps running until the signal aborts. */
function stay(_: Cluster, screen: Screen, signal: AbortSignal): Promise<void> {
  screen.say(TRY)
  // The listener keeps the process alive only while it is referenced; this timer says so plainly.
  const alive = setInterval(() => {}, 60_000)
  return new Promise((resolve) => {
    const end = (): void => {
      clearInterval(alive)
      resolve()
    }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}
