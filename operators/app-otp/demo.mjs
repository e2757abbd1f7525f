// `npm start`. Plain JavaScript, so that an old Node gets a sentence and not a syntax error.
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { requireNode } from '../../tools/require-node.mjs'

requireNode()
module.enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url)))
const { main } = await import('./src/demo/main.ts')
process.exitCode = await main(process.argv.slice(2))
