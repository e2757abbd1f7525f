import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Container, Pod } from 'kubewright/kinds/core/v1'
import { ContainerConfigError } from '../environment/environment.ts'
import type { Identity } from '../ground/ground.ts'

/** What the user database of an image or of this machine says of somebody. */
interface User {
  readonly uid: number
  readonly gid: number
  readonly home: string
}

/**
 * As whom a container runs: as its pod says, or its image's entry, or else as root or whoever runs the cluster. Throws a
 * {@link ContainerConfigError} for a user that nobody knows, and for a root that the pod does not want.
 */
export function identityOf(
  pod: Pod,
  container: Container,
  image: { readonly user?: string; readonly root?: string },
  self: number,
): { readonly identity: Identity; readonly home: string } {
  const wanted = { ...pod.spec?.securityContext, ...container.securityContext }
  const { runAsUser, runAsGroup, runAsNonRoot } = wanted
  const base = lookUp(image.user ?? String(self), image.root ?? '/')
  const user = runAsUser === undefined ? base : lookUp(String(runAsUser), image.root ?? '/')
  if (runAsNonRoot && user.uid === 0)
    throw new ContainerConfigError(
      runAsUser === 0
        ? "container's runAsUser breaks non-root policy"
        : 'container has runAsNonRoot and image will run as root',
    )
  const { fsGroup, supplementalGroups = [] } = pod.spec?.securityContext ?? {}
  const groups = [...supplementalGroups, ...(fsGroup === undefined ? [] : [fsGroup])]
  return { identity: { uid: user.uid, gid: runAsGroup ?? user.gid, groups }, home: user.home }
}

/** `memcache`, `1000`, `1000:2000`, `postgres:ssl`. */
function lookUp(text: string, root: string): User {
  const [name = '', group] = text.split(':')
  const users = readDatabase(join(root, 'etc/passwd'))
  const line = users.find((it) => (isNumber(name) ? it[2] === name : it[0] === name))
  if (!line && !isNumber(name)) throw unknown('user', name)
  const [, , uid = name, gid = '0', , home = '/'] = line ?? []
  return { uid: Number(uid), gid: group === undefined ? Number(gid) : groupOf(group, root), home }
}

function groupOf(group: string, root: string): number {
  if (isNumber(group)) return Number(group)
  const found = readDatabase(join(root, 'etc/group')).find((it) => it[0] === group)
  if (!found) throw unknown('group', group)
  return Number(found[2])
}

const isNumber = (text: string): boolean => /^\d+$/.test(text)

const unknown = (what: string, name: string): Error =>
  new ContainerConfigError(`unable to find ${what} ${name}: no matching entries in its file`)

function readDatabase(file: string): readonly (readonly string[])[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((it) => it.split(':'))
  } catch {
    // An image may have none: then its users are numbers.
    return []
  }
}
