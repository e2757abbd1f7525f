import { Command } from 'commander'
import { assetsCommand } from './commands/assets.ts'
import { clusterCommand } from './commands/cluster.ts'
import { createCommand } from './commands/create-api.ts'
import { generateCommand } from './commands/generate.ts'
import { initCommand } from './commands/init.ts'
import { installCommand, uninstallCommand } from './commands/install.ts'
import { runCommand } from './commands/run.ts'
import { VERSION } from './version.ts'

/** The whole command line as a tree of commands. Nothing runs before it is parsed. */
export function program(): Command {
  const root = new Command('kubewright')
    .description('Kubernetes operators in TypeScript: scaffold, generate, run, install.')
    .version(VERSION, '--version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .enablePositionalOptions()
    .showHelpAfterError('(kubewright --help shows what there is)')
    .exitOverride()
  const commands = [
    initCommand(),
    createCommand(),
    generateCommand(),
    installCommand(),
    uninstallCommand(),
    runCommand(),
    clusterCommand(),
    assetsCommand(),
    versionCommand(),
  ]
  for (const command of commands) root.addCommand(command)
  overrideExits(root)
  return root
}

/** `kubewright version`: as kubebuilder has it, beside `--version`. */
const versionCommand = (): Command =>
  new Command('version')
    .description('Print the version.')
    .action(() => console.log(`kubewright ${VERSION} (Node ${process.versions.node})`))

/** Every command throws instead of ending the process, so that one place decides the exit code, and prints as all others do. */
function overrideExits(command: Command): void {
  command.exitOverride()
  command.configureOutput({
    writeOut: (text) => console.log(text.replace(/\n$/, '')),
    writeErr: (text) => console.error(text.replace(/\n$/, '')),
  })
  for (const child of command.commands) overrideExits(child)
}
