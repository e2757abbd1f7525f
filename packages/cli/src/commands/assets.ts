import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { onPath, writeAssets } from '../drop-in/assets.ts'
import { buildKubectl } from '../drop-in/build-kubectl.ts'
import { Failure } from '../failure.ts'

interface AssetsCommandOptions {
  readonly kubectl?: string
  readonly force: boolean
}

const MODULE = fileURLToPath(new URL('../../bin/drop-in.mjs', import.meta.url))

/** `kubewright assets DIR`: programs that take the place of kube-apiserver and etcd in a folder for KUBEBUILDER_ASSETS. */
export function assetsCommand(): Command {
  return new Command('assets')
    .description(
      'Write kube-apiserver, etcd and kubectl into a folder, for suites that start a control plane of their own ' +
        '(KUBEBUILDER_ASSETS of envtest, TEST_ASSET_*, kube-api-test).',
    )
    .argument('<folder>', 'where to write them; it is made')
    .option('--kubectl <file>', 'the kubectl to link to (default: the one on the PATH)')
    .option('--force', 'write over programs of these names that are not ours', false)
    .action(async (given: string, { kubectl, force }: AssetsCommandOptions) => {
      if (process.platform === 'win32')
        throw new Failure('the programs are shell scripts: on Windows, work in WSL')
      // The server's modules are loaded for their list of flags: not where another command was meant.
      const { HELP, VERSION_TEXT } = await import('../drop-in/help-texts.ts')
      const folder = path.resolve(given)
      const found = kubectl ? path.resolve(kubectl) : await findKubectl(folder)
      await writeAssets({
        folder,
        node: process.execPath,
        module: MODULE,
        kubectl: found,
        force,
        help: HELP,
        version: VERSION_TEXT,
      })
      console.log(`export KUBEBUILDER_ASSETS=${folder}`)
      if (found === undefined)
        console.error(
          `${folder} has no kubectl: there is none on the PATH, and no Go to build one with; few suites need it, --kubectl names one`,
        )
    })
}

/** The kubectl on the PATH, else one built with the Go on the PATH, else none. */
async function findKubectl(folder: string): Promise<string | undefined> {
  const searched = process.env['PATH'] ?? ''
  const kubectl = await onPath('kubectl', searched, folder)
  if (kubectl) return kubectl
  const go = await onPath('go', searched, folder)
  return go && buildKubectl(go, (text) => console.error(text))
}
