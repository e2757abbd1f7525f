import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parse, stringify } from 'yaml'
import { Failure, whyNot } from './failure.ts'
import { writeOne } from './scaffold/write-files.ts'

/** What a project is, as its PROJECT file says. */
export interface Project {
  readonly domain: string
  readonly projectName: string
  /** The layout that the scaffolds follow, `kubewright.dev/v1`. */
  readonly layout: readonly string[]
  readonly version: string
  readonly resources: readonly ProjectResource[]
}

/** One API of a project. */
export interface ProjectResource {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Absent for a kind that Kubernetes brings. */
  readonly domain?: string
  /** Absent where the kind is declared elsewhere. */
  readonly api?: { readonly namespaced: boolean; readonly crdVersion: 'v1' }
  readonly controller: boolean
  /** Where the kind comes from, if not from src/api: `kubewright/kinds/apps/v1`. */
  readonly path?: string
}

/** A project and where it is. */
export interface OpenProject {
  readonly root: string
  readonly project: Project
}

/** The name of the file that makes a folder a project. */
export const PROJECT_FILE: string = 'PROJECT'

/** A project without any API. */
export function newProject(domain: string, projectName: string): Project {
  return { domain, projectName, layout: ['kubewright.dev/v1'], version: '3', resources: [] }
}

/** Reads the project that `from` lies in. Throws a {@link Failure} when no folder above it is one, or its file cannot be read. */
export async function openProject(from: string): Promise<OpenProject> {
  for (let folder = path.resolve(from); ; folder = path.dirname(folder)) {
    const file = path.join(folder, PROJECT_FILE)
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
      throw new Failure(`${file} cannot be read: ${whyNot(error)}`, { cause: error })
    })
    if (text !== undefined) return { root: folder, project: readProject(file, text) }
    if (folder === path.dirname(folder)) break
  }
  throw new Failure(
    `${path.resolve(from)} is not in a kubewright project: no PROJECT file here or above. ` +
      'Run `kubewright init --domain example.com` in an empty folder first.',
  )
}

function readProject(file: string, text: string): Project {
  const read = parseYaml(file, text) as Partial<Project> | null
  if (typeof read?.domain !== 'string' || typeof read.projectName !== 'string')
    throw new Failure(
      `${file} has no domain and projectName: it was expected to be what \`kubewright init\` wrote`,
    )
  const resources = read.resources ?? []
  if (!Array.isArray(resources))
    throw new Failure(
      `${file} has resources that are no list: it was expected to be what \`kubewright init\` wrote`,
    )
  return { ...newProject(read.domain, read.projectName), ...read, resources }
}

function parseYaml(file: string, text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    throw new Failure(`${file} is not valid YAML: ${(error as Error).message}`, { cause: error })
  }
}

/** Writes a project's PROJECT file. */
export async function saveProject({ root, project }: OpenProject): Promise<void> {
  await writeOne(path.join(root, PROJECT_FILE), projectText(project))
}

/** The text of a project's PROJECT file. */
export function projectText({ resources, ...rest }: Project): string {
  const head =
    '# What kubewright knows of this project. The command writes it; keep it in version control.\n'
  return head + stringify(resources.length ? { ...rest, resources } : rest)
}
