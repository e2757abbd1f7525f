import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { startCluster, type Cluster } from '@kubewright/cluster/testing'
import { installKinds, manager } from 'kubewright'
import { parse } from 'yaml'
import { appOtp } from '../app.ts'
import { AppOTP } from '../kind.ts'
import { narrator, type Narrator } from './narrator.ts'
import { createScreen, type Screen } from './screen.ts'
import { clear, create, isGone, KEY, later, type Step } from './steps.ts'
import { watchAll } from './watches.ts'

/** What the demonstration is asked to do. */
export interface DemoOptions {
  readonly once: boolean
  readonly port: number
  readonly dataDir?: string
}

const SAMPLE = new URL('../../config/samples/appotp_v1_appotp.yaml', import.meta.url)
/** How long a step may take before the demonstration says that it did not happen. */
const PATIENCE = 20_000

/** What the acts of the demonstration share. */
interface Stage {
  readonly cluster: Cluster
  readonly screen: Screen
  readonly narrator: Narrator
  readonly signal: AbortSignal
}

/** Starts everything and shows it; resolves when it is over, rejects with a sentence on what did not happen. */
export async function runDemo(options: DemoOptions): Promise<void> {
  const screen = createScreen(
    (line) => console.log(line),
    () => performance.now(),
    process.stdout.isTTY === true && !process.env['NO_COLOR'],
  )
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  const cluster = await start(options, screen)
  try {
    await show(
      { cluster, screen, narrator: narrator(screen), signal: stopping.signal },
      options.once,
    )
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
  try {
    const file = await keepKubeconfig(cluster)
    const took = Math.round(performance.now() - began)
    screen.step(`control plane at ${cluster.address?.url}, ready in ${took} ms`)
    screen.say(`kubeconfig in ${file}, objects ${dataDir ? `in ${dataDir}` : 'in memory'}`)
    return cluster
  } catch (error) {
    await cluster.close()
    throw error
  }
}

async function keepKubeconfig(cluster: Cluster): Promise<string> {
  const file = path.resolve('.kubewright', 'kubeconfig')
  try {
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, cluster.kubeconfig(), { mode: 0o600 })
  } catch (error) {
    throw new Error(
      `${file} cannot be written (${(error as NodeJS.ErrnoException).code}): run the demonstration in a folder that you may write to`,
      { cause: error },
    )
  }
  return path.relative(process.cwd(), file)
}

async function show(stage: Stage, once: boolean): Promise<void> {
  const { cluster, screen, signal } = stage
  await installKinds(cluster.client, [AppOTP])
  screen.say('CRD appotps.appotp.learn.com established')
  const operator = await manager({ name: 'app-otp' })
    .add(appOtp)
    .start({ transport: cluster.fetch, observer: stage.narrator.observe })
  // Not `await using`: Node 22 does not know it yet.
  try {
    screen.say('operator app-otp: for AppOTP, owns Deployment and Service, watches Pod')
    const watching = watchAll(cluster.client, screen, signal)
    await Promise.race([once ? walk(stage) : stay(stage), watching])
  } finally {
    await operator.stop()
  }
}

/** Create, upgrade, scale, repair, delete. */
async function walk(stage: Stage): Promise<void> {
  if (!(await isGone(stage.cluster.client))) await play(clear, stage)
  for (const step of [create(await sample()), ...later()]) await play(step, stage)
  stage.screen.step('everything happened as it should')
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

/** Makes the sample unless a data folder has it still, then keeps running until the signal aborts. */
async function stay(stage: Stage): Promise<void> {
  const { cluster, screen, signal } = stage
  const there = await cluster.client.find(AppOTP, KEY)
  if (there) screen.step(`appotp-sample is there from an earlier run, and is left as it is`)
  else await play(create(await sample()), stage)
  screen.say(TRY)
  // The listener keeps the process alive only while it is referenced; this timer says so plainly.
  const alive = setInterval(() => {}, 60_000)
  await new Promise<void>((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  clearInterval(alive)
}

async function sample(): Promise<AppOTP> {
  return parse(await readFile(SAMPLE, 'utf8')) as AppOTP
}

/** Acts, then waits until it has worked. Throws a sentence when it has not. */
async function play({ title, act, expected, done }: Step, stage: Stage): Promise<void> {
  const { cluster, screen, signal } = stage
  screen.step(`$ ${title}`)
  await act(cluster.client)
  const deadline = performance.now() + PATIENCE
  while (!(await done(cluster.client))) {
    signal.throwIfAborted()
    if (performance.now() > deadline)
      throw new Error(
        `after \`${title}\`, this did not happen within ${PATIENCE / 1000} s: ${expected}`,
      )
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  stage.narrator.flush()
  screen.line('done', expected)
}
