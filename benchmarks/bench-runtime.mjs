// `npm run bench:runtime`: the same operator on kubewright and on its peers, in one run. Plain JavaScript, so that an old Node gets a sentence.
import { requireNode } from '../tools/require-node.mjs'

requireNode()
const { main } = await import('./runtime/main.ts')
process.exitCode = await main(process.argv.slice(2))
