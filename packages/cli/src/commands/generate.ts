import { Command } from 'commander'
import { loadApp } from '../generate/load-app.ts'
import { manifestsOf } from '../generate/manifests.ts'
import { openProject } from '../project.ts'
import { writeAll, writeMissing } from '../scaffold/write-files.ts'

/** `kubewright generate`: CRDs, RBAC and samples from the code. */
export function generateCommand(): Command {
  return new Command('generate')
    .description(
      'Write config/crd and config/rbac from the code, and a sample for each kind that has none.',
    )
    .action(async () => {
      const { root } = await openProject(process.cwd())
      for (const file of await generate(root)) console.log(`  ${file}`)
    })
}

/** Generates a project's manifests; answers with the files written. */
export async function generate(root: string): Promise<readonly string[]> {
  const { project } = await openProject(root)
  const { owned, samples } = manifestsOf(project, await loadApp(root))
  return [...(await writeAll(root, owned)), ...(await writeMissing(root, samples))]
}
