import { access, readdir } from 'node:fs/promises'
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
/** Where a project's kinds are declared; those that no controller names are found there. */
const API = 'src/api'

/**
 * Loads an operator's src/app.ts and src/api, and reads what its manager runs and which kinds it declares; nothing is started. Throws
 * a {@link Failure} when there is no app.ts, something does not load, or it exports no manager as `app`.
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
    kinds: oneOfEach([...declaredKinds(controllers), ...(await exportedKinds(root))]),
    permissions: permissionsOf(module['permissions'], file),
  }
}

/** The kinds that the files below src/api export. */
async function exportedKinds(root: string): Promise<readonly DeclaredKind[]> {
  const folder = path.join(root, API)
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const files = names.filter((it) => /\.[cm]?[jt]s$/.test(it) && !/\.(test|d)\.[cm]?ts$/.test(it))
  const found: DeclaredKind[] = []
  for (const file of files.sort())
    for (const value of Object.values(await imported(path.join(folder, file))))
      if (isDeclaredKind(value)) found.push(value)
  return found
}

const isDeclaredKind = (value: unknown): value is DeclaredKind =>
  typeof value === 'object' && value !== null && 'crd' in value && 'plural' in value

/**
 * One declaration for each CRD: of several versions of a kind, the one that names the others. Throws a {@link Failure} where none does.
 * Sorted by the CRD's name, so that what is generated does not depend on who named it first.
 */
function oneOfEach(kinds: readonly DeclaredKind[]): readonly DeclaredKind[] {
  const chosen = new Map<string, DeclaredKind>()
  for (const kind of kinds) {
    const name = `${kind.plural}.${kind.group}`
    chosen.set(name, wider(name, chosen.get(name) ?? kind, kind))
  }
  return [...chosen].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind)
}

function wider(name: string, a: DeclaredKind, b: DeclaredKind): DeclaredKind {
  if (versionsOf(a).includes(b.version)) return a
  if (versionsOf(b).includes(a.version)) return b
  throw new Failure(
    `${name} is declared twice, in ${a.version} and in ${b.version}, and one CRD holds all versions of a kind: ` +
      'name one of them in the otherVersions of the other, in which objects are stored',
  )
}

const versionsOf = (kind: DeclaredKind): readonly string[] =>
  kind.crd().spec.versions.map((it) => it.name)

function permissionsOf(given: unknown, file: string): readonly PolicyRule[] {
  if (given === undefined) return []
  const isRule = (it: unknown): boolean => Array.isArray((it as Partial<PolicyRule> | null)?.verbs)
  if (Array.isArray(given) && given.every(isRule)) return given as readonly PolicyRule[]
  throw new Failure(
    `${file} exports permissions that are no list of rules: expected [{ apiGroups, resources, verbs }]`,
  )
}

async function imported(file: string): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>
  } catch (error) {
    throw new Failure(`${file} could not be loaded: ${reasonOf(error)}`, { cause: error })
  }
}

/** An error's message and, where its stack tells, the place in the project that it comes from. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const place = /(?:file:\/\/)?(\/[^\s()]+\.[cm]?[jt]s:\d+(?::\d+)?)/.exec(error.stack ?? '')?.[1]
  const outside = place === undefined || place.includes('/node_modules/')
  return outside ? error.message : `${error.message} (${place})`
}
