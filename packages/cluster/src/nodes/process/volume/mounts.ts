import { chmod, mkdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Container } from 'kubewright/kinds/core/v1'
import { ContainerConfigError } from '../environment/environment.ts'
import { expand } from '../environment/expand.ts'
import type { Mount } from '../ground/ground.ts'
import { exists } from './write-payload.ts'

/**
 * Where a container has its volumes: the whole of one, or what `subPath` names in it, which is made where it is not there. Throws a
 * {@link ContainerConfigError} where a path leaves its volume.
 */
export async function containerMounts(
  container: Container,
  volumes: ReadonlyMap<string, string>,
  variables: ReadonlyMap<string, string>,
): Promise<readonly Mount[]> {
  const mounts: Mount[] = []
  for (const {
    name,
    mountPath,
    subPath,
    subPathExpr,
    readOnly = false,
  } of container.volumeMounts ?? []) {
    const volume = volumes.get(name)
    if (volume === undefined)
      throw new ContainerConfigError(
        `cannot find volume ${JSON.stringify(name)} to mount into container ${JSON.stringify(container.name)}`,
      )
    const below = subPathExpr === undefined ? subPath : expanded(subPathExpr, variables)
    const from = below ? await subPathOf(volume, below, container.name) : volume
    mounts.push({ from, to: mountPath, readOnly })
  }
  return mounts
}

function expanded(text: string, variables: ReadonlyMap<string, string>): string {
  const result = expand(text, (name) => variables.get(name))
  if (!result.includes('$(')) return result
  throw new ContainerConfigError(
    `failed to expand subPathExpr ${JSON.stringify(text)}: a variable that it names is not set`,
  )
}

async function subPathOf(volume: string, subPath: string, container: string): Promise<string> {
  const path = join(volume, subPath)
  const isInside = path === volume || path.startsWith(volume + sep)
  if (!isInside || subPath.startsWith('/'))
    throw new ContainerConfigError(
      `failed to prepare subPath for volumeMount of container ${JSON.stringify(container)}: ${subPath} leaves the volume`,
    )
  if (!(await exists(path))) {
    await mkdir(path, { recursive: true })
    await chmod(path, 0o777)
  }
  const real = await realpath(path)
  const root = await realpath(volume)
  if (real === root || real.startsWith(root + sep)) return real
  throw new ContainerConfigError(
    `failed to prepare subPath for volumeMount of container ${JSON.stringify(container)}: ${subPath} leads out of the volume`,
  )
}
