// `npm run oracle`: the real control plane on loopback. Plain JavaScript, so that an old Node gets a sentence.
import { requireNode } from '../tools/require-node.mjs'

requireNode()
const { main } = await import('./oracle.ts')
process.exitCode = await main(process.argv.slice(2))
