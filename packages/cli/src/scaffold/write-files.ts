import { access, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Failure } from '../failure.ts'

/** Files to write, by their path below a project's root. */
export type Files = Readonly<Record<string, string>>

/** Writes files that must not be there yet. Throws a {@link Failure} that names those that are, having written none. */
export async function writeNew(root: string, files: Files): Promise<readonly string[]> {
  const there = []
  for (const name of Object.keys(files)) if (await exists(path.join(root, name))) there.push(name)
  if (there.length > 0)
    throw new Failure(
      `${there.join(', ')} ${there.length > 1 ? 'are' : 'is'} already there in ${root}; nothing was written. Move ${there.length > 1 ? 'them' : 'it'} away, or choose another name.`,
    )
  return writeAll(root, files)
}

/** Writes files, whatever is there. Answers with their names. */
export async function writeAll(root: string, files: Files): Promise<readonly string[]> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(root, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  return Object.keys(files)
}

/** Writes those files that are not there yet. Answers with their names. */
export async function writeMissing(root: string, files: Files): Promise<readonly string[]> {
  const missing: Record<string, string> = {}
  for (const [name, text] of Object.entries(files))
    if (!(await exists(path.join(root, name)))) missing[name] = text
  return writeAll(root, missing)
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )
