// `npm run bench`: kubewright beside its peer, on this machine, in one run. Plain JavaScript, so that an old Node gets a sentence.
import { requireNode } from '../tools/require-node.mjs'

requireNode()
const { main } = await import('./main.ts')
process.exitCode = await main(process.argv.slice(2))
