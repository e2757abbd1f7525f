import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Command } from 'commander'
import { Failure } from '../failure.ts'
import { apiNames, type ApiNames } from '../names.ts'
import { openProject, saveProject, type OpenProject } from '../project.ts'
import { apiFiles, registered } from '../scaffold/api-files.ts'
import { writeNew } from '../scaffold/write-files.ts'

interface CreateApiOptions {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly namespaced: boolean
  readonly resource: boolean
  readonly controller: boolean
}

/** `kubewright create api --group cache --version v1 --kind Memcached`. */
export function createCommand(): Command {
  const api = new Command('api')
    .description('Scaffold a kind, its controller and a test of both.')
    .requiredOption('--group <group>', 'the API group, without the domain')
    .requiredOption('--version <version>', 'the API version, such as v1alpha1')
    .requiredOption('--kind <kind>', 'the kind, such as Memcached')
    .option('--no-namespaced', 'the kind is cluster-scoped')
    .option('--no-resource', 'scaffold no kind')
    .option('--no-controller', 'scaffold no controller')
    .action(createApi)
  return new Command('create').description('Scaffold an API.').addCommand(api)
}

async function createApi({ group, version, kind, ...parts }: CreateApiOptions): Promise<void> {
  const open = await openProject(process.cwd())
  const names = apiNames(open.project.domain, group, version, kind)
  refuseTwice(open, names)
  const app = parts.controller ? await registration(open.root, names) : undefined
  const written = await writeNew(open.root, apiFiles({ names, ...parts }))
  if (app) await writeFile(app.file, app.text)
  await saveProject({
    root: open.root,
    project: {
      ...open.project,
      resources: [...open.project.resources, resourceOf(open, names, parts)],
    },
  })
  for (const file of [...written, ...(app ? ['src/app.ts'] : [])]) console.log(`  ${file}`)
  console.log(
    `Next: say what ${kind} holds in src/api/${version}/${names.file}.ts, then npx kubewright generate`,
  )
}

function refuseTwice({ project }: OpenProject, { shortGroup, version, kind }: ApiNames): void {
  if (
    project.resources.some(
      (it) => it.group === shortGroup && it.version === version && it.kind === kind,
    )
  )
    throw new Failure(
      `the project already has ${kind} in ${shortGroup}/${version}; give another --kind, --group or --version`,
    )
}

const resourceOf = (
  { project }: OpenProject,
  names: ApiNames,
  parts: Pick<CreateApiOptions, 'namespaced' | 'controller'>,
): OpenProject['project']['resources'][number] => ({
  group: names.shortGroup,
  version: names.version,
  kind: names.kind,
  domain: project.domain,
  api: { namespaced: parts.namespaced, crdVersion: 'v1' },
  controller: parts.controller,
})

async function registration(
  root: string,
  names: ApiNames,
): Promise<{ readonly file: string; readonly text: string }> {
  const file = path.join(root, 'src/app.ts')
  const before = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Failure(
      `${file} cannot be read: the controller is added there, so it was expected to be what \`kubewright init\` wrote`,
      { cause },
    )
  })
  const text = registered(before, names)
  if (text) return { file, text }
  throw new Failure(
    `${file} has lost the lines \`// +kubewright:scaffold:imports\` and \`// +kubewright:scaffold:controllers\`, where the controller is added: ` +
      'put them back, or use --no-controller and add it by hand',
  )
}
