// `npm run bench:server`: the API server beside kube-apiserver, in one run. Plain JavaScript, so that an old Node gets a sentence.
import { requireNode } from '../tools/require-node.mjs'

requireNode()
const { main } = await import('./server-main.ts')
process.exitCode = await main(process.argv.slice(2))
