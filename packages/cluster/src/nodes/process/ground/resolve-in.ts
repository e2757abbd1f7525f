import { readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** How many links are followed before a path is taken as it stands (Linux' MAXSYMLINKS). */
const MOST_LINKS = 40

/**
 * Where a path leads below a root that is not this process's: links in it are followed as one would who has that root, so that
 * `/var/run/x` is `/run/x` there and never leaves it. What is not there yet is kept as it stands.
 */
export function resolveIn(root: string, path: string): string {
  let done = ''
  let left = path.split('/')
  for (let links = 0; left.length > 0;) {
    const [name = '', ...rest] = left
    left = rest
    if (name === '' || name === '.') continue
    if (name === '..') {
      done = done.slice(0, done.lastIndexOf('/'))
      continue
    }
    const target = links < MOST_LINKS ? linkAt(join(root, done, name)) : undefined
    if (target === undefined) {
      done = `${done}/${name}`
      continue
    }
    links++
    if (target.startsWith('/')) done = ''
    left = [...target.split('/'), ...rest]
  }
  return done === '' ? '/' : done
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
