import { access } from 'node:fs/promises'
import path from 'node:path'
import { Failure } from '../failure.ts'
import type { ApiNames } from '../names.ts'

/** Where a controller finds the kind that it is for. */
export interface Origin {
  /** What its file imports from. */
  readonly from: string
  /** A kind that Kubernetes brings: it has no declaration in the project, and its status belongs to somebody else. */
  readonly builtIn: boolean
}

/**
 * The origin of a kind: the project's own declaration if there is or will be one, else Kubernetes itself. Throws a {@link Failure} when
 * neither has it.
 */
export async function originOf(root: string, names: ApiNames, declared: boolean): Promise<Origin> {
  const own = `src/api/${names.version}/${names.file}.ts`
  const from = `../api/${names.version}/${names.file}.ts`
  if (declared || (await exists(path.join(root, own)))) return { from, builtIn: false }
  const builtIn = await builtInModule(names)
  if (builtIn) return { from: builtIn, builtIn: true }
  throw new Failure(
    `there is no ${names.kind} for the controller: ${own} is not there, and Kubernetes has no ${names.kind} in ` +
      `${names.shortGroup || 'core'}/${names.version}; leave --no-resource away to declare it`,
  )
}

/** `kubewright/kinds/apps/v1` for group `apps`; groups of Kubernetes may leave their `.k8s.io` away, and the first group is `core`. */
async function builtInModule({ shortGroup, version, kind }: ApiNames): Promise<string | undefined> {
  const groups = shortGroup === '' ? ['core'] : [shortGroup, `${shortGroup}.k8s.io`]
  for (const group of [...groups, `${shortGroup}.authorization.k8s.io`]) {
    const specifier = `kubewright/kinds/${group}/${version}`
    const module = await imported(specifier)
    if ((module?.[kind] as { kind?: unknown } | undefined)?.kind === kind) return specifier
  }
  return undefined
}

async function imported(specifier: string): Promise<Record<string, unknown> | undefined> {
  try {
    return (await import(specifier)) as Record<string, unknown>
  } catch {
    return undefined
  }
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )
