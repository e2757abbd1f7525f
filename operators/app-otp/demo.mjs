// `npm start`. Plain JavaScript, so that an old Node gets a sentence and not a syntax error.
import { requireNode } from '../../tools/require-node.mjs'

requireNode()
const { main } = await import('./src/demo/main.ts')
process.exitCode = await main(process.argv.slice(2))
