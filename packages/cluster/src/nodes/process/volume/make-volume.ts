import type { Stats } from 'node:fs'
import { chmod, chown, mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import type {
  HostPathVolumeSource,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Volume,
} from 'kubewright/kinds/core/v1'
import { hasPayload, payloadOf, type PayloadSources } from './payload.ts'
import { writePayload } from './write-payload.ts'

/** Where a pod's volumes may lie, and what is known of claims. */
export interface VolumePlaces extends PayloadSources {
  /** The pod's own folder: what is made there goes with it. */
  readonly podFolder: string
  /** What hostPath and local volumes begin at: `/data` is `<hostRoot>/data`. */
  readonly hostRoot: string
  /** Where volumes lie that were provisioned for claims; they stay. */
  readonly claimsFolder: string
  readonly claim: (name: string) => PersistentVolumeClaim | undefined
  readonly volume: (name: string) => PersistentVolume | undefined
}

/** Makes a volume, or writes it anew where what it shows has changed; answers with where it lies. Throws in the kubelet's words. */
export async function makeVolume(volume: Volume, pod: Pod, places: VolumePlaces): Promise<string> {
  const folder = join(places.podFolder, 'volumes', volume.name)
  const group = pod.spec?.securityContext?.fsGroup
  if (hasPayload(volume)) {
    await writePayload(folder, await payloadOf(volume, pod, places), group)
    return folder
  }
  if (volume.emptyDir) return ownFolder(folder, group)
  if (volume.hostPath) return hostPath(volume.hostPath, places.hostRoot)
  const claimName =
    volume.persistentVolumeClaim?.claimName ??
    (volume.ephemeral ? `${pod.metadata.name}-${volume.name}` : undefined)
  if (claimName !== undefined) return ownFolder(claimedPath(claimName, places), group)
  const what = Object.keys(volume).find((key) => key !== 'name')
  throw new Error(
    `process nodes have no volumes of type ${what}: use emptyDir, a claim, hostPath, or one that the API fills`,
  )
}

/** A folder that everybody may write into, as the kubelet makes an emptyDir; what a group makes there stays the group's. */
async function ownFolder(folder: string, group: number | undefined): Promise<string> {
  const there = await stat(folder).catch(() => undefined)
  if (there) return folder
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o777)
  if (group === undefined) return folder
  // Only root may give it away; to all others it is open anyway.
  await chown(folder, -1, group).catch(() => {})
  await chmod(folder, 0o2777)
  return folder
}

function claimedPath(
  name: string,
  { claim, volume, hostRoot, claimsFolder }: VolumePlaces,
): string {
  const found = claim(name)
  if (!found) throw new Error(`persistentvolumeclaim ${JSON.stringify(name)} not found`)
  const bound = found.spec.volumeName ? volume(found.spec.volumeName) : undefined
  if (!bound)
    throw new Error(`persistentvolumeclaim ${JSON.stringify(name)} is not bound to a volume yet`)
  const { local, hostPath: host } = bound.spec
  const path = local?.path ?? host?.path
  return path === undefined ? join(claimsFolder, bound.metadata.name!) : below(hostRoot, path)
}

const below = (root: string, path: string): string => join(root, normalize(`/${path}`))

/** A path below the root, made or looked for as its type asks (pkg/volume/hostpath). */
async function hostPath({ path, type = '' }: HostPathVolumeSource, root: string): Promise<string> {
  const place = below(root, path)
  if (type === 'DirectoryOrCreate' || type === '') await mkdirUnless(place)
  if (type === 'FileOrCreate') {
    await mkdir(dirname(place), { recursive: true })
    await writeFile(place, '', { flag: 'a', mode: 0o644 })
  }
  const there = await stat(place).catch(() => undefined)
  const check = HOST_PATH_CHECKS[type]
  if (check && !(there && check[1](there)))
    throw new Error(
      `hostPath type check failed: ${path} is not ${check[0]} (on this machine it is ${place})`,
    )
  return place
}

/** Makes a folder where nothing is yet. */
async function mkdirUnless(place: string): Promise<void> {
  const there = await stat(place).catch(() => undefined)
  if (!there) await mkdir(place, { recursive: true })
}

const HOST_PATH_CHECKS: Readonly<
  Record<string, readonly [what: string, holds: (it: Stats) => boolean]>
> = {
  Directory: ['a directory', (it) => it.isDirectory()],
  DirectoryOrCreate: ['a directory', (it) => it.isDirectory()],
  File: ['a file', (it) => it.isFile()],
  FileOrCreate: ['a file', (it) => it.isFile()],
  Socket: ['a socket file', (it) => it.isSocket()],
  CharDevice: ['a character device', (it) => it.isCharacterDevice()],
  BlockDevice: ['a block device', (it) => it.isBlockDevice()],
}
