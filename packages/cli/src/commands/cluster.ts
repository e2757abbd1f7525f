import { spawn } from 'node:child_process'
import { access, open, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Command, InvalidArgumentError } from 'commander'
import {
  clusterFiles,
  clusterRoot,
  forgetCluster,
  isAlive,
  makeFolder,
  runningCluster,
  writeCluster,
  type ClusterFiles,
} from '../cluster-state.ts'
import { Failure, whyNot } from '../failure.ts'
import {
  clusterNodes,
  nodeCounts,
  type NodeFlags,
  nodeFlags,
  nodesText,
  podNetwork,
} from './cluster-nodes.ts'
import { BUMP, readSnapshot, restoreSnapshot, takeSnapshot } from './cluster-snapshot.ts'

interface StartOptions extends NodeFlags {
  readonly port: number
  readonly dataDir?: string
  readonly from?: string
  readonly bumpRevision: number
  readonly controllers: boolean | readonly string[]
  readonly foreground?: boolean
}

/** `kubewright cluster start|stop|status|snapshot|restore`: a control plane of this folder's own. */
export function clusterCommand(): Command {
  const start = new Command('start')
    .description('Start a control plane for this folder; its kubeconfig is .kubewright/kubeconfig.')
    .option('--port <port>', 'where to listen on 127.0.0.1 (0: any free port)', portNumber, 0)
    .option('--data-dir <folder>', 'keep the objects in this folder, over restarts')
    .option('--from <file>', 'begin with a snapshot')
    .option('--bump-revision <n>', BUMP_TEXT, revisionNumber, BUMP)
    .option(
      '--nodes <n>',
      'how many simulated nodes (1, or none beside process nodes)',
      wholeNumber,
    )
    .option('--process-nodes <n>', 'how many nodes whose pods are processes here', wholeNumber, 0)
    .option('--images <file>', 'what images mean on process nodes: an image map, in YAML')
    .option('--pod-network <kind>', PODS_TEXT, podNetwork, 'namespaces')
    .option(
      '--controllers <names>',
      'which controllers run, as kube-controller-manager has it: *,-deployment or garbage-collector,namespace',
      nameList,
      true,
    )
    .option('--no-controllers', 'the API server alone: no stock controllers, no nodes')
    .option('--foreground', 'stay in this terminal until Ctrl-C')
    .action(async (options: StartOptions) => {
      const files = await filesHere()
      const there = await runningCluster(files)
      if (there)
        throw new Failure(
          `a cluster of this folder runs already at ${there.url} (process ${there.pid}); \`kubewright cluster stop\` ends it`,
        )
      await (options.foreground ? serve(files, options) : detach(files, options))
    })
  const stop = new Command('stop')
    .description('Stop the control plane of this folder.')
    .action(async () => stopCluster(await filesHere()))
  const status = new Command('status')
    .description('Say whether the control plane of this folder runs.')
    .action(async () => {
      const state = await runningCluster(await filesHere())
      const nodes = state?.nodes?.process ? nodesText(state.nodes) : ''
      const told = nodes === '' ? '' : `\n${nodes}`
      console.log(state ? `running at ${state.url} (process ${state.pid})${told}` : 'not running')
      if (!state) process.exitCode = 1
    })
  const snapshot = new Command('snapshot')
    .description('Write everything that the control plane of this folder has into a file.')
    .argument('<file>', 'where to; what is there is replaced')
    .action(async (file: string) => {
      const files = await filesHere()
      const state = await runningCluster(files)
      if (!state)
        throw new Failure('no cluster of this folder runs: `kubewright cluster start` starts one')
      await takeSnapshot(files, state, file)
    })
  const restore = new Command('restore')
    .description('Make a data folder of a snapshot, for a control plane to start with.')
    .argument('<file>', 'what `kubewright cluster snapshot` wrote')
    .requiredOption('--data-dir <folder>', 'where to; it must hold no cluster yet')
    .option('--bump-revision <n>', BUMP_TEXT, revisionNumber, BUMP)
    .action(async (file: string, options: { dataDir: string; bumpRevision: number }) => {
      const there = await runningCluster(await filesHere())
      if (there)
        throw new Failure(
          `a cluster of this folder runs at ${there.url} (process ${there.pid}), and nothing was restored; \`kubewright cluster stop\` ends it`,
        )
      await restoreSnapshot(file, options.dataDir, options.bumpRevision)
    })
  return new Command('cluster')
    .description('A control plane on this machine, in one process.')
    .addCommand(start)
    .addCommand(stop)
    .addCommand(status)
    .addCommand(snapshot)
    .addCommand(restore)
}

const PODS_TEXT =
  'namespaces: pods of process nodes have a network of their own; loopback: addresses of 127.0.0.0/8'
const BUMP_TEXT =
  'how far resourceVersions go on beyond the snapshot, past all that clients have seen'

const filesHere = async (): Promise<ClusterFiles> => clusterFiles(await clusterRoot(process.cwd()))

function nameList(text: string): boolean | readonly string[] {
  const names = text.split(',').map((it) => it.trim())
  if (!names.includes('')) return names
  throw new InvalidArgumentError('expected names with commas between them')
}

function portNumber(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new InvalidArgumentError('expected a whole number from 0 (any free port) to 65535')
}

function wholeNumber(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('expected a whole number, 0 or more')
}

function revisionNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('expected a whole number, 0 or more')
}

/** Serves in this process until SIGINT or SIGTERM, or until its folder is gone: nobody could find it any more to stop it. */
async function serve(
  files: ClusterFiles,
  { port, dataDir, controllers, from, bumpRevision, ...flags }: StartOptions,
): Promise<void> {
  const { startCluster } = await import('@kubewright/cluster/testing')
  const stopped = new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
  const cluster = await startCluster({
    port,
    ...(await clusterNodes(flags)),
    controllers,
    ...(dataDir ? { dataDir } : {}),
    ...(from ? { from: await readSnapshot(from), bumpRevision } : {}),
  })
  const { url = '' } = cluster.address ?? {}
  try {
    await writeCluster(files, cluster.kubeconfig(), {
      pid: process.pid,
      url,
      ...(controllers && { nodes: nodeCounts(flags) }),
    })
  } catch (error) {
    await cluster.close()
    throw error
  }
  console.log(startedText(url, files))
  process.send?.({ url })
  const orphaned = new AbortController()
  await Promise.race([stopped, stateGone(files, orphaned.signal)])
  orphaned.abort()
  await cluster.close()
  await forgetCluster(files)
}

/** How often a server looks whether its folder is still there, ms. */
const LOOK = 2_000

/** Resolves when the file that says where the cluster runs has been removed. */
async function stateGone(files: ClusterFiles, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(LOOK, undefined, { signal, ref: false }).catch(() => {})
    const there = await access(files.state).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
    )
    if (!there) return
  }
}

const startedText = (url: string, files: ClusterFiles): string =>
  `control plane at ${url}\nexport KUBECONFIG=${files.kubeconfig}`

/** How large the nursery may grow, in MiB: an idle server keeps no more with it, and a busy one a fifth less than with a smaller one. */
const SERVER_FLAGS = ['--max-semi-space-size=16']

/** Starts a process of its own that serves, and returns once it answers. */
async function detach(files: ClusterFiles, options: StartOptions): Promise<void> {
  await makeFolder(files)
  const log = await open(files.log, 'w').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${files.log} cannot be written: ${whyNot(error)}`, { cause: error })
  })
  const bin = fileURLToPath(new URL('../../bin/kubewright.mjs', import.meta.url))
  const child = spawn(
    process.execPath,
    [...SERVER_FLAGS, bin, 'cluster', 'start', '--foreground', ...flagsOf(options)],
    {
      detached: true,
      stdio: ['ignore', log.fd, log.fd, 'ipc'],
    },
  )
  const ready = await new Promise<{ readonly url: string } | undefined>((resolve) => {
    child.once('message', (message) => resolve(message as { url: string }))
    child.once('exit', () => resolve(undefined))
    child.once('error', () => resolve(undefined))
  })
  await log.close()
  if (!ready) throw new Failure(`the control plane did not start: ${await lastWords(files)}`)
  child.disconnect()
  child.unref()
  console.log(startedText(ready.url, files))
}

/** What a server said that did not start. */
async function lastWords({ log }: ClusterFiles): Promise<string> {
  const text = (await readFile(log, 'utf8')).trim().replace(/^error: /, '')
  return text || `its process ended without a word; its log is ${log}`
}

const controllerFlags = ({ controllers }: StartOptions): readonly string[] => {
  if (typeof controllers !== 'boolean') return [`--controllers=${controllers.join(',')}`]
  return controllers ? [] : ['--no-controllers']
}

const flagsOf = (options: StartOptions): string[] => [
  `--port=${options.port}`,
  ...nodeFlags(options),
  ...(options.dataDir ? [`--data-dir=${options.dataDir}`] : []),
  ...(options.from ? [`--from=${options.from}`, `--bump-revision=${options.bumpRevision}`] : []),
  ...controllerFlags(options),
]

async function stopCluster(files: ClusterFiles): Promise<void> {
  const state = await runningCluster(files)
  if (!state) {
    console.log('no cluster of this folder runs')
    return
  }
  process.kill(state.pid, 'SIGTERM')
  const deadline = Date.now() + 10_000
  while (isAlive(state.pid)) {
    if (Date.now() > deadline)
      throw new Failure(
        `process ${state.pid} did not end within 10 s of being told to; its log is ${files.log}`,
      )
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  console.log(`stopped the control plane at ${state.url}`)
}
