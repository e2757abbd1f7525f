import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { CLUSTER_FOLDER } from './kubeconfig.ts'

/** What `cluster start` leaves for `cluster stop`: which process serves, and where. */
export interface ClusterState {
  readonly pid: number
  readonly url: string
}

/** The files of a folder's cluster. */
export interface ClusterFiles {
  readonly folder: string
  readonly kubeconfig: string
  readonly state: string
  readonly log: string
}

/** Where the cluster of a folder keeps its files. */
export function clusterFiles(root: string): ClusterFiles {
  const folder = path.join(root, CLUSTER_FOLDER)
  return {
    folder,
    kubeconfig: path.join(folder, 'kubeconfig'),
    state: path.join(folder, 'cluster.json'),
    log: path.join(folder, 'cluster.log'),
  }
}

/** Writes the kubeconfig (only its owner may read it) and the state. */
export async function writeCluster(
  files: ClusterFiles,
  kubeconfig: string,
  state: ClusterState,
): Promise<void> {
  await mkdir(files.folder, { recursive: true })
  await writeFile(files.kubeconfig, kubeconfig, { mode: 0o600 })
  await writeFile(files.state, `${JSON.stringify(state)}\n`)
}

/** The cluster of a folder if its process still runs; what a dead one left behind is removed. */
export async function runningCluster(files: ClusterFiles): Promise<ClusterState | undefined> {
  const text = await readFile(files.state, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const state = JSON.parse(text) as ClusterState
  if (isAlive(state.pid) && (await answers(state.url))) return state
  await forgetCluster(files)
  return undefined
}

/** Removes the kubeconfig and the state of a cluster that has ended. */
export async function forgetCluster(files: ClusterFiles): Promise<void> {
  await rm(files.state, { force: true })
  await rm(files.kubeconfig, { force: true })
}

/** Whether a process of this number runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Whether something listens at the url's port: a process number alone may have been given to another program. */
async function answers(url: string): Promise<boolean> {
  const { connect } = await import('node:net')
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) })
    const done = (is: boolean) => (): void => {
      socket.destroy()
      resolve(is)
    }
    socket.once('connect', done(true))
    socket.once('error', done(false))
    socket.setTimeout(2000, done(false))
  })
}
