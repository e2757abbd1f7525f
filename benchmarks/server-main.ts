import { parseArgs } from 'node:util'
import { ratesOf, scaleOf, type Rates, type Scale } from './figures.ts'
import { startOurs } from './ours.ts'
import { startPeer } from './peer.ts'
import type { BenchServer } from './server.ts'
import { installShipped } from './shipped.ts'
import { row, tableText, type Row } from './table.ts'
import { tell } from './tell.ts'

const HELP = `npm run bench:server -- [options]

Measures kubewright's API server beside a real kube-apiserver with etcd (which does not wait for the disk), on this machine, in one
run, and prints medians: how soon it is ready, requests a second over 20 connections, lists, watches, and what 100,000 objects cost.

  --runs N     how often each is measured (default 1; a run takes some five minutes)
  --json FILE  also writes the rows as JSON: [{ name, unit, ours, peer, ratio }]
  --no-peer    without the real one (it is built from Go modules the first time, which takes minutes)
  --no-scale   without the 100,000 objects
  --help       this text
`

interface Figures extends Rates, Partial<Scale> {
  readonly ready: number
}

/** Runs the benchmarks of the API server; resolves to the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      runs: { type: 'string', default: '1' },
      json: { type: 'string' },
      'no-peer': { type: 'boolean', default: false },
      'no-scale': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    return 0
  }
  const rows = await measure(
    Math.max(1, Number(values.runs)),
    !values['no-peer'],
    !values['no-scale'],
  )
  await tell(tableText(rows), rows, values.json)
  return 0
}

/** Ours and the peer take turns, so that whatever else the machine does hits both. */
async function measure(runs: number, withPeer: boolean, scale: boolean): Promise<readonly Row[]> {
  const shipped = await installShipped()
  const ours: Figures[] = []
  const peers: Figures[] = []
  const startMine = (): Promise<BenchServer> => startOurs(shipped.bin, { alone: true })
  await (await startMine()).stop()
  for (let run = 0; run < runs; run++) {
    console.error(`run ${run + 1} of ${runs}`)
    ours.push(await figures(startMine, scale))
    if (withPeer) peers.push(await figures(() => startPeer({ durable: false }), scale))
  }
  await shipped.remove()
  return ROWS.filter(({ pick }) => pick(ours[0]!) !== undefined).map(
    ({ name, unit, pick, better }) => {
      const values = (all: readonly Figures[]): number[] => all.map((it) => pick(it) ?? NaN)
      return row(name, unit, values(ours), withPeer ? values(peers) : null, better)
    },
  )
}

const ROWS: readonly {
  readonly name: string
  readonly unit: string
  readonly better: 'less' | 'more'
  readonly pick: (it: Figures) => number | undefined
}[] = [
  { name: 'fresh process to /readyz ok', unit: 'ms', better: 'less', pick: (it) => it.ready },
  { name: 'creates', unit: '/s', better: 'more', pick: (it) => it.creates },
  { name: 'updates', unit: '/s', better: 'more', pick: (it) => it.updates },
  { name: 'applies', unit: '/s', better: 'more', pick: (it) => it.applies },
  { name: 'gets', unit: '/s', better: 'more', pick: (it) => it.gets },
  { name: 'list of 10,000 of 2 KB', unit: 'ms', better: 'less', pick: (it) => it.list },
  { name: 'write seen by 100 watchers, p99', unit: 'ms', better: 'less', pick: (it) => it.seen },
  { name: 'memory with 100,000 of 2 KB', unit: 'MiB', better: 'less', pick: (it) => it.memory },
  { name: 'create at 100,000 to at 1,000', unit: '×', better: 'less', pick: (it) => it.growth },
]

async function figures(start: () => Promise<BenchServer>, scale: boolean): Promise<Figures> {
  const fresh = await start()
  const rates = await ratesOf(fresh).finally(() => fresh.stop())
  if (!scale) return { ready: fresh.readyAfter, ...rates }
  const large = await start()
  const figuresAtScale = await scaleOf(large).finally(() => large.stop())
  return { ready: fresh.readyAfter, ...rates, ...figuresAtScale }
}
