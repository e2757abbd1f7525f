import { Command } from 'commander'
import { type Client, type DeclaredKind, installKinds, isNotFound } from 'kubewright'
import { CustomResourceDefinition } from 'kubewright/kinds/apiextensions.k8s.io/v1'
import { Failure } from '../failure.ts'
import { loadApp } from '../generate/load-app.ts'
import { chooseCluster, clientFor } from '../kubeconfig.ts'
import { openProject } from '../project.ts'
import { generate } from './generate.ts'

interface InstallOptions {
  readonly kubeconfig?: string
  readonly ignoreNotFound?: boolean
}

/** `kubewright install`: generates, then applies the CRDs and waits until the cluster serves them. */
export function installCommand(): Command {
  return new Command('install')
    .description('Install the CRDs into the cluster.')
    .option('--kubeconfig <file>', 'the cluster to install into')
    .action(async ({ kubeconfig }: InstallOptions) => {
      const { root } = await openProject(process.cwd())
      await generate(root)
      const { client, kinds } = await prepare(root, kubeconfig)
      await installKinds(client, kinds)
      for (const kind of kinds)
        console.log(`customresourcedefinition.apiextensions.k8s.io/${nameOf(kind)} installed`)
    })
}

/** `kubewright uninstall`: removes the CRDs, and with them every object of their kinds. */
export function uninstallCommand(): Command {
  return new Command('uninstall')
    .description('Remove the CRDs from the cluster, and with them every object of their kinds.')
    .option('--kubeconfig <file>', 'the cluster to remove from')
    .option('--ignore-not-found', 'a CRD that is not there is no error', false)
    .action(async ({ kubeconfig, ignoreNotFound }: InstallOptions) => {
      const { root } = await openProject(process.cwd())
      const { client, kinds } = await prepare(root, kubeconfig)
      for (const kind of kinds) {
        const gone = await removeKind(client, kind)
        if (!gone && !ignoreNotFound)
          throw new Failure(
            `the CRD ${nameOf(kind)} is not in the cluster; --ignore-not-found takes that as done`,
          )
        console.log(
          `customresourcedefinition.apiextensions.k8s.io/${nameOf(kind)} ${gone ? 'uninstalled' : 'was not there'}`,
        )
      }
    })
}

const nameOf = (kind: DeclaredKind): string => `${kind.plural}.${kind.group}`

async function prepare(
  root: string,
  kubeconfig: string | undefined,
): Promise<{ readonly client: Client; readonly kinds: readonly DeclaredKind[] }> {
  const { kinds } = await loadApp(root)
  if (kinds.length === 0)
    throw new Failure(
      'the operator declares no kind: run `kubewright create api`, or add a controller to src/app.ts',
    )
  const cluster = await chooseCluster(kubeconfig, root)
  console.log(`cluster: ${cluster.kubeconfig ?? 'default'} (${cluster.because})`)
  return { client: await clientFor(cluster), kinds }
}

async function removeKind(client: Client, kind: DeclaredKind): Promise<boolean> {
  try {
    await client.delete(CustomResourceDefinition, nameOf(kind))
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}
