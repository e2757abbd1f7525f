// `npm run bench:nodes`: simulated nodes and their pods, in one process. Plain JavaScript, so that an old Node gets a sentence.
import { requireNode } from '../tools/require-node.mjs'

requireNode()
const { main } = await import('./nodes-main.ts')
process.exitCode = await main(process.argv.slice(2))
