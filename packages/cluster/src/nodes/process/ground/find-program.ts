import { accessSync, constants, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'

/** Where a program lies that is named by its path, or by a name that is looked for along PATH. Undefined where it does not. */
export function findProgram(name: string, path: string, cwd: string): string | undefined {
  if (name.includes('/')) return usable(isAbsolute(name) ? name : join(cwd, name))
  return path
    .split(':')
    .map((folder) => usable(join(folder === '' ? cwd : folder, name)))
    .find((it) => it !== undefined)
}

function usable(file: string): string | undefined {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile() ? file : undefined
  } catch {
    return undefined
  }
}
