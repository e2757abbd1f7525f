import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Payload } from './payload.ts'

const DATA = '..data'

/**
 * Writes a volume's files all at once or not at all, as the kubelet does (pkg/volume/util/atomic_writer.go): a new folder beside the old
 * one, and a link `..data` that is turned to it; what one sees are links through it. Nothing is touched where nothing differs. `group`
 * owns the files where the pod names one.
 */
export async function writePayload(
  folder: string,
  payload: Payload,
  group?: number,
): Promise<boolean> {
  await mkdir(folder, { recursive: true })
  const before = await readlink(join(folder, DATA)).catch(() => undefined)
  if (before !== undefined && (await holds(join(folder, before), payload))) return false
  const fresh = await mkdtemp(join(folder, '..payload-'))
  await chmod(fresh, 0o755)
  for (const [path, { content, mode }] of payload) {
    const file = join(fresh, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
    if (group !== undefined) await chown(file, -1, group).catch(() => {})
    // Whoever shares the group may read what its owner may.
    await chmod(file, group === undefined ? mode : mode | ((mode & 0o600) >> 3))
  }
  await symlink(fresh.slice(folder.length + 1), join(folder, `${DATA}_tmp`))
  await rename(join(folder, `${DATA}_tmp`), join(folder, DATA))
  await link(folder, payload)
  if (before !== undefined) await rm(join(folder, before), { recursive: true, force: true })
  return true
}

async function holds(folder: string, payload: Payload): Promise<boolean> {
  const there = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    () => undefined,
  )
  const files = there?.filter((it) => it.isFile()).map((it) => join(it.parentPath, it.name))
  if (files?.length !== payload.size) return false
  for (const [path, { content }] of payload) {
    const text = await readFile(join(folder, path)).catch(() => undefined)
    if (!text?.equals(Buffer.from(content))) return false
  }
  return true
}

/** What one sees of the volume: a link for each name at its top, and none for what is gone. */
async function link(folder: string, payload: Payload): Promise<void> {
  const tops = new Set([...payload.keys()].map((path) => path.split('/')[0]!))
  for (const name of await readdir(folder)) {
    if (name.startsWith('..') || tops.has(name)) continue
    await rm(join(folder, name), { recursive: true, force: true })
  }
  for (const name of tops) {
    const there = await lstat(join(folder, name)).catch(() => undefined)
    if (!there) await symlink(join(DATA, name), join(folder, name))
  }
}

/** Whether there is a folder or file. */
export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
