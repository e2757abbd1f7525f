import { access, readFile } from 'node:fs/promises'
import path from 'node:path'
import { createClient, type Client } from 'kubewright'
import { Failure, whyNot } from './failure.ts'

/** Where `cluster start` keeps its files, below the folder that it was called in. */
export const CLUSTER_FOLDER: string = '.kubewright'

/** Which cluster a command talks to, and how it came to it. */
export interface ChosenCluster {
  /** Undefined: what the client finds by itself (in-cluster, then ~/.kube/config). */
  readonly kubeconfig: string | undefined
  readonly because: string
}

/** `--kubeconfig`, then `$KUBECONFIG`, then the cluster that `cluster start` made in this folder, then the client's own search. */
export async function chooseCluster(
  given: string | undefined,
  root: string,
): Promise<ChosenCluster> {
  if (given) return { kubeconfig: await readable(given), because: '--kubeconfig' }
  if (process.env['KUBECONFIG'])
    return { kubeconfig: undefined, because: `KUBECONFIG=${process.env['KUBECONFIG']}` }
  const own = path.join(root, CLUSTER_FOLDER, 'kubeconfig')
  const there = await access(own).then(
    () => true,
    () => false,
  )
  return there
    ? { kubeconfig: own, because: 'the cluster started in this folder' }
    : { kubeconfig: undefined, because: 'in-cluster or ~/.kube/config' }
}

async function readable(file: string): Promise<string> {
  await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    throw new Failure(
      `--kubeconfig ${file} cannot be read: ${whyNot(cause)}; give the path of a kubeconfig file`,
      { cause },
    )
  })
  return path.resolve(file)
}

/** A client for the chosen cluster, writing as `kubewright`. Throws a ConfigurationError when its kubeconfig is of no use. */
export function clientFor({ kubeconfig }: ChosenCluster): Client {
  return createClient({ ...(kubeconfig ? { kubeconfig } : {}), fieldOwner: 'kubewright' })
}

/** How a command says which cluster it talks to. */
export const nameOf = ({ kubeconfig, because }: ChosenCluster): string =>
  kubeconfig ? `${kubeconfig} (${because})` : because
