import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Snapshot } from '@kubewright/cluster/testing'
import { createClient } from 'kubewright'
import { Failure, whyNot } from '../failure.ts'
import type { ClusterFiles, ClusterState } from '../cluster-state.ts'

/** Where a control plane of this package gives its snapshot. */
const SNAPSHOT_PATH = '/kubewright/snapshot'

/** How far a restored cluster begins beyond its snapshot, unless it is said: no client has seen a version as late as that. */
export const BUMP = 1_000_000_000

/** Writes everything that the running cluster has into a file, whole or not at all. Only its owner may read it: it holds Secrets. */
export async function takeSnapshot(
  files: ClusterFiles,
  { url }: ClusterState,
  file: string,
): Promise<void> {
  const client = createClient({ kubeconfig: files.kubeconfig })
  const response = await client.raw({ method: 'GET', path: SNAPSHOT_PATH })
  const bytes = Buffer.from(await response.arrayBuffer())
  await client.close()
  await writeWhole(path.resolve(file), bytes)
  const head = JSON.parse(bytes.subarray(0, bytes.indexOf(10)).toString()) as {
    readonly revision: number
    readonly objects: number
  }
  console.log(`${head.objects} objects of ${url}, at version ${head.revision}, are in ${file}`)
}

async function writeWhole(file: string, bytes: Buffer): Promise<void> {
  const half = `${file}.part`
  try {
    await writeFile(half, bytes, { mode: 0o600 })
    await rename(half, file)
  } catch (cause) {
    await rm(half, { force: true }).catch(() => {})
    throw new Failure(`${file} cannot be written: ${whyNot(cause as NodeJS.ErrnoException)}`, {
      cause,
    })
  }
}

/** Makes a data folder of a snapshot. */
export async function restoreSnapshot(file: string, dataDir: string, bump: number): Promise<void> {
  const { restoreDataFolder } = await import('@kubewright/cluster/testing')
  const snapshot = await readSnapshot(file)
  await restoreDataFolder(dataDir, snapshot, bump)
  console.log(
    `${snapshot.items.length} objects of ${file} are in ${dataDir}\nkubewright cluster start --data-dir ${dataDir}`,
  )
}

/** Reads a snapshot from a file. Throws a sentence where that is none. */
export async function readSnapshot(file: string): Promise<Snapshot> {
  const { decodeSnapshot } = await import('@kubewright/cluster/testing')
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    throw new Failure(`the snapshot ${file} cannot be read: ${whyNot(cause)}`, { cause })
  })
  return decodeSnapshot(bytes, file)
}
