import path from 'node:path'
import { Command } from 'commander'
import { checkDomain, checkProjectName, kebab } from '../names.ts'
import { newProject, saveProject } from '../project.ts'
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
      const name = checkProjectName(
        projectName ?? kebab(path.basename(root)).replaceAll(/[^a-z0-9-]+/g, '-'),
      )
      const written = await writeNew(root, projectFiles(name))
      await saveProject({ root, project: newProject(checkDomain(domain), name) })
      for (const file of ['PROJECT', ...written]) console.log(`  ${file}`)
      console.log(
        'Next: npm install, then npx kubewright create api --group GROUP --version v1 --kind KIND',
      )
    })
}
