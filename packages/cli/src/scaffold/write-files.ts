import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Failure, whyNot } from '../failure.ts'

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
    await writeOne(file, text)
  }
  return Object.keys(files)
}

/** Writes those files whose text is another than the given one. Answers with their names. */
export async function writeChanged(root: string, files: Files): Promise<readonly string[]> {
  const changed: Record<string, string> = {}
  for (const [name, text] of Object.entries(files)) {
    const there = await readFile(path.join(root, name), 'utf8').catch(() => undefined)
    if (there !== text) changed[name] = text
  }
  return writeAll(root, changed)
}

/** Writes one file and the folders above it. Throws a {@link Failure} that says why it cannot be written. */
export async function writeOne(file: string, text: string): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  } catch (error) {
    throw new Failure(`${file} cannot be written: ${whyNot(error as NodeJS.ErrnoException)}`, {
      cause: error,
    })
  }
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
