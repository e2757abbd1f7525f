import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { Command } from 'commander'
import { loadApp } from '../generate/load-app.ts'
import { kustomization, manifestsOf } from '../generate/manifests.ts'
import { openProject } from '../project.ts'
import { writeChanged, writeMissing } from '../scaffold/write-files.ts'

/** `kubewright generate`: CRDs, RBAC and samples from the code. */
export function generateCommand(): Command {
  return new Command('generate')
    .description(
      'Write config/crd and config/rbac from the code, and a sample for each kind that has none.',
    )
    .action(async () => {
      const { root } = await openProject(process.cwd())
      const written = await generate(root)
      for (const file of written) console.log(`  ${file}`)
      if (written.length === 0) console.log('everything is up to date')
    })
}

/** Generates a project's manifests; answers with the files that it changed. */
export async function generate(root: string): Promise<readonly string[]> {
  const { project } = await openProject(root)
  const { owned, samples } = manifestsOf(project, await loadApp(root))
  return [
    ...(await writeChanged(root, owned)),
    ...(await writeMissing(root, samples)),
    ...(await writeChanged(root, await sampleList(root))),
  ]
}

const SAMPLES = 'config/samples'
const KUSTOMIZATION = 'kustomization.yaml'

/** The kustomization over all samples, the author's own among them. */
async function sampleList(root: string): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(path.join(root, SAMPLES)).catch(() => [])
  const samples = names.filter((it) => /\.ya?ml$/.test(it) && it !== KUSTOMIZATION).sort()
  return samples.length ? { [`${SAMPLES}/${KUSTOMIZATION}`]: kustomization(samples) } : {}
}
