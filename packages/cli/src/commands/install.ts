import { Command } from 'commander'
import { type Client, type DeclaredKind, installKinds, isNotFound } from 'kubewright'
import { CustomResourceDefinition } from 'kubewright/kinds/apiextensions.k8s.io/v1'
import { Failure } from '../failure.ts'
import { loadApp } from '../generate/load-app.ts'
import { chooseCluster, clientFor, nameOf } from '../kubeconfig.ts'
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
      await withKinds(root, kubeconfig, async (client, kinds) => {
        await installKinds(client, kinds)
        for (const kind of kinds) console.log(`${resourceOf(kind)} installed`)
      })
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
      await withKinds(root, kubeconfig, async (client, kinds) => {
        for (const kind of kinds) {
          const there = await removeKind(client, kind)
          if (!there && !ignoreNotFound)
            throw new Failure(
              `the CRD ${crdOf(kind)} is not in the cluster; --ignore-not-found takes that as done`,
            )
          console.log(`${resourceOf(kind)} ${there ? 'uninstalled' : 'was not there'}`)
        }
      })
    })
}

const crdOf = (kind: DeclaredKind): string => `${kind.plural}.${kind.group}`

const resourceOf = (kind: DeclaredKind): string =>
  `customresourcedefinition.apiextensions.k8s.io/${crdOf(kind)}`

async function withKinds(
  root: string,
  kubeconfig: string | undefined,
  act: (client: Client, kinds: readonly DeclaredKind[]) => Promise<void>,
): Promise<void> {
  const { kinds } = await loadApp(root)
  if (kinds.length === 0)
    throw new Failure(
      'the operator declares no kind: run `kubewright create api`, or add a controller to src/app.ts',
    )
  const cluster = await chooseCluster(kubeconfig, root)
  console.log(`cluster: ${nameOf(cluster)}`)
  const client = clientFor(cluster)
  try {
    await act(client, kinds)
  } finally {
    await client.close()
  }
}

/** Resolves to whether there was such a CRD, when it has gone. */
async function removeKind(client: Client, kind: DeclaredKind): Promise<boolean> {
  try {
    await client.delete(CustomResourceDefinition, crdOf(kind))
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
  await gone(client, kind)
  return true
}

/** How long the objects of a kind may take to go with it, ms. */
const PATIENCE = 30_000

async function gone(client: Client, kind: DeclaredKind): Promise<void> {
  const deadline = Date.now() + PATIENCE
  while (await client.find(CustomResourceDefinition, crdOf(kind))) {
    if (Date.now() > deadline) throw new Failure(await whatHoldsIt(client, kind))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** A CRD goes when its objects have gone, and those wait for who has put a finalizer on them: mostly the operator, which has ended. */
async function whatHoldsIt(client: Client, kind: DeclaredKind): Promise<string> {
  const { items } = await client.list(kind)
  const held = items.map(
    ({ metadata: { namespace, name, finalizers = [] } }) =>
      `${namespace ? `${namespace}/` : ''}${name} (${finalizers.join(', ') || 'no finalizer'})`,
  )
  return (
    `the CRD ${crdOf(kind)} is still there after ${PATIENCE / 1000} s: it waits for ${held.join(', ') || 'its own finalizer'}; ` +
    'run the operator until they are gone, or take their finalizers away with kubectl edit'
  )
}
