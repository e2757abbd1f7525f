// `npm run conformance`: suites that nobody here wrote, against the real server or kubewright's. Plain JavaScript, so that an old Node
// gets a sentence.
import { requireNode } from '../tools/require-node.mjs'

requireNode()
const { main } = await import('./main.ts')
// What still runs for a suite that was ended goes with this process.
process.exit(await main(process.argv.slice(2)))
