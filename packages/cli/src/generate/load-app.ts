import { access } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type ControllerDefinition,
  declaredKinds,
  type DeclaredKind,
  type Manager,
} from 'kubewright'
import { Failure } from '../failure.ts'

/** What an operator's code says of itself. */
export interface App {
  readonly controllers: readonly ControllerDefinition[]
  /** The kinds that it declares, each once. */
  readonly kinds: readonly DeclaredKind[]
  /** Permissions beyond what its controllers need: `export const permissions = [...]` in src/app.ts. */
  readonly permissions: readonly PolicyRule[]
}

/** A rule of RBAC (rbac.authorization.k8s.io/v1 PolicyRule). */
export interface PolicyRule {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
  readonly verbs: readonly string[]
}

/** Where an operator's manager is, below its project's root. */
const APP = 'src/app.ts'

/**
 * Loads an operator's src/app.ts and reads what its manager runs; nothing is started. Throws a {@link Failure} when there is none, it
 * does not load, or it exports no manager as `app`.
 */
export async function loadApp(root: string): Promise<App> {
  const file = path.join(root, APP)
  await access(file).catch((cause: unknown) => {
    throw new Failure(
      `${file} is not there: it was expected to export the operator's manager as \`app\``,
      { cause },
    )
  })
  const module = await imported(file)
  const app = module['app'] as Partial<Manager> | undefined
  if (typeof app?.describe !== 'function')
    throw new Failure(
      `${file} exports no manager as \`app\`: expected \`export const app = manager({ name }).add(…)\``,
    )
  const { controllers } = app.describe()
  return {
    controllers,
    kinds: declaredKinds(controllers),
    permissions: (module['permissions'] ?? []) as readonly PolicyRule[],
  }
}

async function imported(file: string): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>
  } catch (error) {
    throw new Failure(`${file} could not be loaded: ${(error as Error).message}`, { cause: error })
  }
}
