// `npm test`: everything that must hold before a change lands, cheapest first; totals come last.
// Plain JavaScript, so that an old Node gets a sentence and not a syntax error.
import { requireNode } from './require-node.mjs'

requireNode()
const { main } = await import('./test-run.ts')
process.exitCode = await main(process.argv.slice(2))
