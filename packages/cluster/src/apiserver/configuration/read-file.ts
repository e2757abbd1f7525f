import { readFile } from 'node:fs/promises'
import { FlagError } from './flag-error.ts'

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
}

/** The text of a file that a flag names. Rejects with a {@link FlagError} in the words of Go. */
export async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    const verb = code === 'EISDIR' ? 'read' : 'open'
    throw new FlagError('invalid', `${verb} ${path}: ${WHY[code] ?? message}`)
  }
}

/** What a file holds, read by `parse`, whose errors are told as of `what`. */
export async function parsed<T>(
  path: string,
  parse: (text: string) => T,
  what: string,
): Promise<T> {
  const text = await textOf(path)
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof FlagError) throw error
    throw new FlagError('invalid', `${what}: ${(error as Error).message}`)
  }
}
