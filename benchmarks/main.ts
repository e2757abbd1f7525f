import { parseArgs } from 'node:util'
import { applyToReady } from './apply-to-ready.ts'
import { freshInProcess } from './in-process.ts'
import { creating, perSecond } from './load.ts'
import { startOurs } from './ours.ts'
import { startPeer } from './peer.ts'
import type { BenchServer } from './server.ts'
import { installShipped } from './shipped.ts'
import { row, tableText, type Row } from './table.ts'
import { tell } from './tell.ts'

const HELP = `npm run bench -- [options]

Measures kubewright's control plane beside a real kube-apiserver with etcd, on this machine, in one run, and prints medians.

  --runs N     how often each is measured (default 3)
  --json FILE  also writes the rows as JSON: [{ name, unit, ours, peer, ratio }]
  --no-peer    without the real one (it is built from Go modules the first time, which takes minutes)
  --help       this text
`

/** What one run of one server gives. */
interface Figures {
  readonly ready: number
  readonly memory: number
  readonly creates: number
  /** The same with objects kept on disk before the answer. */
  readonly durable?: number
}

/** Runs the benchmarks; resolves to the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      runs: { type: 'string', default: '3' },
      json: { type: 'string' },
      'no-peer': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    return 0
  }
  const rows = await measure(Math.max(1, Number(values.runs)), !values['no-peer'])
  await tell(tableText(rows), rows, values.json)
  return 0
}

/** Ours and the peer take turns, so that whatever else the machine does hits both. */
async function measure(runs: number, withPeer: boolean): Promise<readonly Row[]> {
  const ours: Figures[] = []
  const peers: Figures[] = []
  const apply: number[] = []
  const fresh: number[] = []
  const shipped = await installShipped()
  await warmUp(shipped.bin)
  for (let run = 0; run < runs; run++) {
    console.error(`run ${run + 1} of ${runs}`)
    ours.push(await figures(() => startOurs(shipped.bin, { alone: true })))
    if (withPeer) peers.push(await figures(() => startPeer({ durable: false })))
    ours[run] = {
      ...ours[run]!,
      durable: await durableCreates(() => startOurs(shipped.bin, { alone: true, durable: true })),
    }
    if (withPeer)
      peers[run] = {
        ...peers[run]!,
        durable: await durableCreates(() => startPeer({ durable: true })),
      }
    apply.push(await applyToReady(() => startOurs(shipped.bin, { alone: false })))
    fresh.push(await freshInProcess(shipped.inProcess))
  }
  await shipped.remove()
  const of = (all: readonly Figures[], pick: (it: Figures) => number): number[] => all.map(pick)
  const both = (
    name: string,
    unit: string,
    pick: (it: Figures) => number,
    better: 'less' | 'more',
  ): Row => row(name, unit, of(ours, pick), withPeer ? of(peers, pick) : null, better)
  return [
    both('fresh process to /readyz ok', 'ms', (it) => it.ready, 'less'),
    row(
      'fresh control plane in a test',
      'ms',
      fresh,
      withPeer ? of(peers, (it) => it.ready) : null,
      'less',
    ),
    both('idle memory', 'MiB', (it) => it.memory, 'less'),
    both('creates over HTTPS, 20 connections', '/s', (it) => it.creates, 'more'),
    both('the same, kept on disk before the answer', '/s', (it) => it.durable ?? 0, 'more'),
    row('kubectl apply of 3 replicas to all Ready', 'ms', apply, null, 'less'),
  ]
}

/** The first start after an install compiles; every later one finds the result in the cache. */
async function warmUp(bin: string): Promise<void> {
  const server = await startOurs(bin, { alone: true })
  await server.stop()
}

async function durableCreates(start: () => Promise<BenchServer>): Promise<number> {
  const server = await start()
  try {
    return await perSecond(server, creating('load'))
  } finally {
    await server.stop()
  }
}

async function figures(start: () => Promise<BenchServer>): Promise<Figures> {
  const server = await start()
  try {
    await new Promise((resolve) => setTimeout(resolve, 3000))
    const memory = await server.memory()
    const creates = await perSecond(server, creating('load'))
    return { ready: server.readyAfter, memory, creates }
  } finally {
    await server.stop()
  }
}
