import { parseArgs } from 'node:util'
import { nodeFigures } from './node-figures.ts'
import { row, tableText, type Row } from './table.ts'
import { tell } from './tell.ts'

const HELP = `npm run bench:nodes -- [options]

Measures a control plane with simulated nodes in one process, without a socket: how many pods a second come to run, how soon a
deployment is ready and a namespace gone, what many nodes cost that do nothing, and how much memory 1,000 nodes with 100,000 pods take.

  --pods N        pods of the throughput measurements (default 1000)
  --nodes N       nodes of the scale measurement (default 1000)
  --scale N       pods of the scale measurement (default 100000; some minutes)
  --no-scale      without the scale measurement
  --runs N        how often the small ones are measured (default 3)
  --json FILE     also writes the rows as JSON: [{ name, unit, ours, peer, ratio }]
  --help          this text
`

/** Runs the benchmarks of simulated nodes; resolves to the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      pods: { type: 'string', default: '1000' },
      nodes: { type: 'string', default: '1000' },
      scale: { type: 'string', default: '100000' },
      'no-scale': { type: 'boolean', default: false },
      runs: { type: 'string', default: '3' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    return 0
  }
  const figures = await nodeFigures({
    pods: Number(values.pods),
    nodes: Number(values.nodes),
    scale: values['no-scale'] ? 0 : Number(values.scale),
    runs: Math.max(1, Number(values.runs)),
  })
  const rows: readonly Row[] = figures.map(({ name, unit, values: all, better }) =>
    row(name, unit, all, null, better),
  )
  await tell(tableText(rows), rows, values.json)
  return 0
}
