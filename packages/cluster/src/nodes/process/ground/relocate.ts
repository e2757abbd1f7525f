import { join } from 'node:path'
import type { Mount } from './ground.ts'

/**
 * Where there is no mount namespace, a container's volumes are not at their paths: its command, its variables and its working directory
 * name the places where they really are instead. A path counts where it stands by itself or goes on below: `--data=/data/x`, not `/database`.
 */
export function relocate(text: string, mounts: readonly Mount[]): string {
  const byLength = mounts.toSorted((a, b) => b.to.length - a.to.length)
  return text.replace(/(^|[^\w./-])(\/[^\s:;,'"=]*)/g, (found, before: string, path: string) => {
    const mount = byLength.find(({ to }) => path === to || path.startsWith(`${trimmed(to)}/`))
    if (!mount) return found
    const rest = path.slice(trimmed(mount.to).length)
    return `${before}${rest === '' ? mount.from : join(mount.from, rest)}`
  })
}

const trimmed = (path: string): string => path.replace(/\/+$/, '')
