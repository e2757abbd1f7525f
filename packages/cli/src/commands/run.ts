import { access } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Command } from 'commander'
import { CustomResourceDefinition } from 'kubewright/kinds/apiextensions.k8s.io/v1'
import { Failure } from '../failure.ts'
import { loadApp, reasonOf } from '../generate/load-app.ts'
import { chooseCluster, clientFor, nameOf, type ChosenCluster } from '../kubeconfig.ts'
import { openProject } from '../project.ts'
import { reloadable } from '../reloadable.ts'

interface RunOptions {
  readonly kubeconfig?: string
  readonly watch?: boolean
}

/** `kubewright run`: the operator on this machine, against the cluster. */
export function runCommand(): Command {
  return new Command('run')
    .description(
      'Run the operator on this machine, against the cluster; what stands behind -- goes to it.',
    )
    .option('--kubeconfig <file>', 'the cluster to run against')
    .option('--watch', 'take changes of src over at once, with caches as they are')
    .argument('[flags...]', 'flags for the operator')
    .action(async (flags: readonly string[], { kubeconfig, watch }: RunOptions) => {
      const { root } = await openProject(process.cwd())
      const cluster = await chooseCluster(kubeconfig, root)
      console.error(`cluster: ${nameOf(cluster)}`)
      await refuseWithoutKinds(root, cluster)
      if (watch) await runWatched(root, cluster, flags)
      else await runOperator(root, cluster, flags)
    })
}

/** A cluster that does not answer, or does not know the operator's kinds, is told of at once: an operator would wait for it. */
async function refuseWithoutKinds(root: string, cluster: ChosenCluster): Promise<void> {
  const { kinds } = await loadApp(root)
  const client = clientFor(cluster)
  try {
    for (const { plural, group } of kinds)
      if (!(await client.find(CustomResourceDefinition, `${plural}.${group}`)))
        throw new Failure(
          `the cluster ${client.server} does not have the CRD ${plural}.${group}: run \`kubewright install\` first`,
        )
  } finally {
    await client.close()
  }
}

/**
 * Runs src/main.ts in this process, so that signals, the terminal and the exit code are the operator's own. Resolves when it has ended.
 */
async function runOperator(
  root: string,
  { kubeconfig }: ChosenCluster,
  flags: readonly string[],
): Promise<void> {
  const file = path.join(root, 'src', 'main.ts')
  await access(file).catch((cause: unknown) => {
    throw new Failure(`${file} is not there: it was expected to run the operator`, { cause })
  })
  takePlaceOf(file, kubeconfig, flags)
  try {
    await import(pathToFileURL(file).href)
  } catch (error) {
    throw new Failure(`${file} failed: ${reasonOf(error)}`, { cause: error })
  }
}

/** Runs the manager of src/app.ts as src/main.ts would, and takes over what changes below src. */
async function runWatched(
  root: string,
  { kubeconfig }: ChosenCluster,
  flags: readonly string[],
): Promise<void> {
  takePlaceOf(path.join(root, 'src', 'main.ts'), kubeconfig, flags)
  const sources = reloadable(root)
  const app = await sources.load()
  await app.run({ onStarted: (running) => sources.follow(running) })
  sources.close()
}

/** Makes this process look like the operator's own. */
function takePlaceOf(file: string, kubeconfig: string | undefined, flags: readonly string[]): void {
  if (kubeconfig) process.env['KUBECONFIG'] = kubeconfig
  process.argv = [process.execPath, file, ...flags]
}
