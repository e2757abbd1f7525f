import module from 'node:module'

// What the launchers of `kubewright assets` start, with the name of the program whose place it takes.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `kubewright needs Node 22.18 or newer, and this is Node ${process.versions.node} (${process.execPath}). ` +
      'Install a newer Node and run `kubewright assets` for this folder again.',
  )
  process.exit(1)
}
module.enableCompileCache()
const { dropIn } = await import('@kubewright/cli/drop-in')
process.exitCode = await dropIn(process.argv[2], process.argv.slice(3))
