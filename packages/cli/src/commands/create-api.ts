import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { Failure } from '../failure.ts'
import { apiNames, type ApiNames } from '../names.ts'
import { openProject, saveProject, type OpenProject, type ProjectResource } from '../project.ts'
import { apiFiles, isRegistered, registered } from '../scaffold/api-files.ts'
import { originOf, type Origin } from '../scaffold/origin.ts'
import { writeAll, writeNew } from '../scaffold/write-files.ts'

interface CreateApiOptions {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural?: string
  readonly namespaced: boolean
  readonly resource: boolean
  readonly controller: boolean
  readonly force: boolean
}

/** `kubewright create api --group cache --version v1 --kind Memcached`. */
export function createCommand(): Command {
  const api = new Command('api')
    .description('Scaffold a kind, its controller and a test of both.')
    .requiredOption('--group <group>', 'the API group, without the domain')
    .requiredOption('--version <version>', 'the API version, such as v1alpha1')
    .requiredOption('--kind <kind>', 'the kind, such as Memcached')
    .option('--plural <plural>', "the kind's plural (default: the English one, in lower case)")
    .option('--namespaced [bool]', 'objects of the kind lie in namespaces', flag, true)
    .option('--no-namespaced', 'the kind is cluster-scoped')
    .option('--resource [bool]', 'scaffold the kind', flag, true)
    .option('--no-resource', 'scaffold no kind: the controller is for one that is there')
    .option('--controller [bool]', 'scaffold the controller', flag, true)
    .option('--no-controller', 'scaffold no controller')
    .option('--force', 'write over what was scaffolded before', false)
    .action(createApi)
  return new Command('create').description('Scaffold an API.').addCommand(api)
}

function flag(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new InvalidArgumentError('expected true or false')
}

async function createApi(options: CreateApiOptions): Promise<void> {
  const { group, version, kind, plural, ...parts } = options
  if (!parts.resource && !parts.controller)
    throw new Failure('neither a resource nor a controller is asked for: leave one of them on')
  const open = await openProject(process.cwd())
  const names = apiNames(open.project.domain, group, version, kind, plural)
  refuseTwice(open, names, parts)
  const origin = await originOf(open.root, names, parts.resource)
  const app = parts.controller ? await registration(open.root, names) : undefined
  const files = apiFiles({ names, origin, ...parts })
  const written = await (parts.force ? writeAll : writeNew)(open.root, files)
  if (app) await writeFile(app.file, app.text)
  await saveProject(withResource(open, resourceOf(open, names, origin, parts)))
  for (const file of [...written, ...(app ? ['src/app.ts'] : [])]) console.log(`  ${file}`)
  console.log(
    parts.resource
      ? `Next: say what ${kind} holds in src/api/${version}/${names.file}.ts, then npx kubewright generate`
      : `Next: say what the controller does in src/controllers/${names.file}.ts, then npx kubewright generate`,
  )
}

type Parts = Pick<CreateApiOptions, 'namespaced' | 'resource' | 'controller' | 'force'>

const sameKind = (it: ProjectResource, names: ApiNames): boolean =>
  it.group === names.shortGroup && it.kind === names.kind

const sameApi = (it: ProjectResource, names: ApiNames): boolean =>
  sameKind(it, names) && it.version === names.version

function refuseTwice({ project }: OpenProject, names: ApiNames, parts: Parts): void {
  const { shortGroup, version, kind } = names
  if (parts.force) return
  const there = project.resources.find((it) => sameApi(it, names))
  if (there?.api && parts.resource)
    throw new Failure(
      `the project already has ${kind} in ${shortGroup}/${version}: give another --kind, --group or --version, ` +
        'or --force to write over it, or --resource=false to add a controller only',
    )
  if (there?.controller && parts.controller)
    throw new Failure(
      `the project already has a controller for ${kind} in ${shortGroup}/${version}: give another --kind, or --force to write over it`,
    )
  const other = project.resources.find((it) => it.api && sameKind(it, names))
  if (parts.resource && other)
    throw new Failure(
      `the project already has ${kind} in ${shortGroup}/${other.version}, and one CRD holds all versions of a kind: ` +
        `declare ${version} beside it and name the others in its otherVersions`,
    )
}

function resourceOf(
  { project }: OpenProject,
  names: ApiNames,
  origin: Origin,
  parts: Parts,
): ProjectResource {
  const there = project.resources.find((it) => sameApi(it, names))
  const api = parts.resource
    ? { namespaced: parts.namespaced, crdVersion: 'v1' as const }
    : there?.api
  return {
    group: names.shortGroup,
    version: names.version,
    kind: names.kind,
    ...(origin.builtIn ? { path: origin.from } : { domain: project.domain }),
    ...(api ? { api } : {}),
    controller: parts.controller || there?.controller === true,
  }
}

function withResource({ root, project }: OpenProject, made: ProjectResource): OpenProject {
  const others = project.resources.filter(
    (it) => !(it.group === made.group && it.version === made.version && it.kind === made.kind),
  )
  return { root, project: { ...project, resources: [...others, made] } }
}

/** src/app.ts as it will be; undefined when the controller is in it already. */
async function registration(
  root: string,
  names: ApiNames,
): Promise<{ readonly file: string; readonly text: string } | undefined> {
  const file = path.join(root, 'src', 'app.ts')
  const before = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Failure(
      `${file} cannot be read: the controller is added there, so it was expected to be what \`kubewright init\` wrote`,
      { cause },
    )
  })
  if (isRegistered(before, names)) return undefined
  const text = registered(before, names)
  if (text) return { file, text }
  throw new Failure(
    `${file} has lost the lines \`// +kubewright:scaffold:imports\` and \`// +kubewright:scaffold:controllers\`, where the controller is added: ` +
      'put them back, or use --no-controller and add it by hand',
  )
}
