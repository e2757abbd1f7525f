import { access } from 'node:fs/promises'
import path from 'node:path'
import { Command } from 'commander'
import { Failure } from '../failure.ts'
import { checkDomain, checkProjectName, kebab } from '../names.ts'
import { newProject, PROJECT_FILE, projectText } from '../project.ts'
import { projectFiles } from '../scaffold/project-files.ts'
import { writeNew } from '../scaffold/write-files.ts'

interface InitOptions {
  readonly domain: string
  readonly projectName?: string
}

/** `kubewright init --domain example.com`: scaffolds a project in the current folder. */
export function initCommand(): Command {
  return new Command('init')
    .description('Scaffold a new operator project in this folder.')
    .requiredOption('--domain <domain>', 'the domain that ends the API groups, such as example.com')
    .option('--project-name <name>', "the project's name (default: the folder's)")
    .action(async ({ domain, projectName }: InitOptions) => {
      const root = process.cwd()
      const project = newProject(
        checkDomain(domain),
        checkProjectName(projectName ?? nameOfFolder(root)),
      )
      await refuseProject(root)
      const files = { [PROJECT_FILE]: projectText(project), ...projectFiles(project.projectName) }
      for (const file of await writeNew(root, files)) console.log(`  ${file}`)
      console.log(
        'Next: npm install, then npx kubewright create api --group GROUP --version v1 --kind KIND',
      )
    })
}

/** `My Operator` → `my-operator`. */
function nameOfFolder(root: string): string {
  return kebab(path.basename(root))
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
}

async function refuseProject(root: string): Promise<void> {
  const there = await access(path.join(root, PROJECT_FILE)).then(
    () => true,
    () => false,
  )
  if (there)
    throw new Failure(
      `${root} is a kubewright project already: go on with \`kubewright create api\`, or begin another one in an empty folder`,
    )
}
