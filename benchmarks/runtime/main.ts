import { parseArgs } from 'node:util'
import { createClient } from 'kubewright/client'
import { startOurs } from '../ours.ts'
import { startPeer } from '../peer.ts'
import type { BenchServer } from '../server.ts'
import { installShipped } from '../shipped.ts'
import { median } from '../table.ts'
import { buildPeer, KUBEWRIGHT, PEERS, type Peer, type PeerRecipe } from './peers.ts'
import { rowsOf, tableOf, type Measured } from './rows.ts'
import { reconcile, sync, type Figures, type Load } from './scenarios.ts'
import { prepare, seed, served } from './seed.ts'
import { tell } from '../tell.ts'

const HELP = `npm run bench:runtime -- [options]

The same operator (a custom resource to a ConfigMap and its status) on kubewright and on its peers, against a real kube-apiserver
with etcd and against kubewright's control plane, on this machine in one run. Prints medians, and ratios (ours / theirs).

  --peers a,b    which peers (default: ${PEERS.map((it) => it.name).join(',')})
  --servers a,b  kube-apiserver, kubewright (default: both)
  --sizes a,b    how many objects are mirrored (default: 1000,10000,100000)
  --scenarios a,b  sync, reconcile (default: both)
  --runs N       how often each is measured (default 3)
  --json FILE    also writes [{ name, server, peer, unit, ours, theirs, ratio }]
  --help         this text
`

const LOAD: Load = { converge: 2_000, changesFor: 10_000, changesPerSecond: 200 }

/** What is asked of a run. */
interface Asked {
  readonly servers: readonly string[]
  readonly sizes: readonly number[]
  readonly scenarios: readonly string[]
  readonly runs: number
}

/** Runs the benchmarks; resolves to the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      peers: { type: 'string', default: PEERS.map((it) => it.name).join(',') },
      servers: { type: 'string', default: 'kube-apiserver,kubewright' },
      sizes: { type: 'string', default: '1000,10000,100000' },
      scenarios: { type: 'string', default: 'sync,reconcile' },
      runs: { type: 'string', default: '3' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    return 0
  }
  const asked: Asked = {
    servers: values.servers.split(','),
    sizes: values.sizes.split(',').map(Number),
    scenarios: values.scenarios.split(','),
    runs: Math.max(1, Number(values.runs)),
  }
  const peers = await buildAll(values.peers.split(','))
  const rows = rowsOf(await measureAll(peers, asked), peers)
  await tell(tableOf(rows), rows, values.json)
  return 0
}

/** Ours first, then the peers in turn; one that cannot be built is named and left out. */
async function buildAll(names: readonly string[]): Promise<readonly Peer[]> {
  const unknown = names.filter((name) => !PEERS.some((it) => it.name === name))
  if (unknown.length > 0)
    throw new Error(
      `there is no peer ${unknown.join(', ')}; ${PEERS.map((it) => it.name).join(', ')} were expected`,
    )
  const built: Peer[] = []
  for (const recipe of [KUBEWRIGHT, ...PEERS.filter((it) => names.includes(it.name))]) {
    console.error(`building ${recipe.name} ${recipe.version}`)
    const peer = await buildPeer(recipe).catch((error: unknown) => leftOut(recipe, error))
    if (peer) built.push(peer)
  }
  return built
}

function leftOut(recipe: PeerRecipe, error: unknown): undefined {
  if (recipe === KUBEWRIGHT) throw error
  const why = error instanceof Error ? error.message.slice(-400) : String(error)
  console.error(`${recipe.name} ${recipe.version} cannot be built here and is left out: ${why}`)
  return undefined
}

async function measureAll(peers: readonly Peer[], asked: Asked): Promise<readonly Measured[]> {
  const shipped = await installShipped()
  const start = (server: string): Promise<BenchServer> =>
    server === 'kubewright'
      ? startOurs(shipped.bin, { alone: true })
      : startPeer({ durable: false })
  const all: Measured[] = []
  try {
    for (const server of asked.servers) {
      if (asked.scenarios.includes('sync'))
        all.push(...(await syncs(server, () => start(server), peers, asked)))
      if (asked.scenarios.includes('reconcile'))
        all.push(...(await reconciles(server, () => start(server), peers, asked)))
    }
  } finally {
    await shipped.remove()
  }
  return all
}

/** All peers mirror what one server holds, in turn, and again. */
async function syncs(
  server: string,
  start: () => Promise<BenchServer>,
  peers: readonly Peer[],
  { sizes, runs }: Asked,
): Promise<readonly Measured[]> {
  const running = await start()
  const client = createClient({ kubeconfig: running.kubeconfig })
  const found = collector(server)
  try {
    await prepare(client)
    let seeded = 0
    for (const size of sizes) {
      await seed(client, seeded, size, running.etcd)
      seeded = size
      await served(client, size)
      for (let run = 0; run < runs; run++)
        for (const peer of peers.filter((it) => it.scenarios.includes('sync')))
          await found.take(peer, `sync ${size}`, () => sync(peer.program, running.kubeconfig, size))
    }
  } finally {
    await client.close()
    await running.stop()
  }
  return found.medians()
}

/** Each peer gets a server of its own, so that no one finds what another left. */
async function reconciles(
  server: string,
  start: () => Promise<BenchServer>,
  peers: readonly Peer[],
  { runs }: Asked,
): Promise<readonly Measured[]> {
  const found = collector(server)
  for (let run = 0; run < runs; run++)
    for (const peer of peers.filter((it) => it.scenarios.includes('reconcile'))) {
      const running = await start()
      const client = createClient({ kubeconfig: running.kubeconfig, fieldOwner: 'load' })
      try {
        await prepare(client)
        await found.take(peer, 'reconcile', () =>
          reconcile(peer.program, running.kubeconfig, client, LOAD),
        )
      } finally {
        await client.close()
        await running.stop()
      }
    }
  return found.medians()
}

/** Gathers figures by peer; what fails is told, and the others go on. */
function collector(server: string): {
  take(peer: Peer, what: string, task: () => Promise<Figures>): Promise<void>
  medians(): readonly Measured[]
} {
  const values = new Map<string, { peer: string; name: string; figures: number[] }>()
  return {
    async take(peer, what, task) {
      const figures = await task().catch((error: unknown) => {
        console.error(`${what} of ${peer.name} on ${server} failed:`, error)
        return {}
      })
      const told = Object.entries(figures).map(
        ([name, it]) => `${name} ${Math.round(it * 10) / 10}`,
      )
      console.error(`${server}: ${peer.name}: ${told.join(', ')}`)
      for (const [name, figure] of Object.entries(figures)) {
        const key = `${peer.name} ${name}`
        const entry = values.get(key) ?? { peer: peer.name, name, figures: [] }
        entry.figures.push(figure)
        values.set(key, entry)
      }
    },
    medians: () =>
      [...values.values()].map(({ peer, name, figures }) => ({
        server,
        peer,
        name,
        value: median(figures),
      })),
  }
}
