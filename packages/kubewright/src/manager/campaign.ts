import { recordEvents } from '../controller/record-events.ts'
import type { LeaderElectionOptions } from './leader-election.ts'
import { LEASE, LeadershipLostError, runElection } from './run-election.ts'
import type { Process } from './stages.ts'

type Election = LeaderElectionOptions & { readonly name: string }

/** Campaigns in the background; what only the leader runs begins when the lease is won, and losing it is a failure. */
export async function campaign(
  process: Process,
  begin: () => Promise<() => Promise<void>>,
): Promise<() => Promise<void>> {
  const { options, client, clock, random, log, stopping } = process
  const given = typeof options.leaderElection === 'object' ? options.leaderElection : {}
  const election: Election = { ...given, name: given.name ?? options.name ?? 'kubewright' }
  const identity = election.identity ?? `${process.instance}_${random.uuid()}`
  const meter = electionMeter(process, election.name)
  const tell = teller(process, election, identity)
  let led: Promise<() => Promise<void>> | undefined
  // The lease is renewed until those who act under it have stopped.
  const over = new AbortController()
  const campaigning = new AbortController()
  stopping.signal.addEventListener('abort', () => (led ? undefined : campaigning.abort()), {
    once: true,
  })
  const running = runElection({
    options: election,
    client,
    clock,
    random,
    log,
    identity,
    fence: process.leading,
    signal: AbortSignal.any([over.signal, campaigning.signal]),
    onSlowPath: meter.slowPath,
    onElected: () => {
      meter.leads(true)
      tell('became leader')
      process.elected.resolve()
      led = begin()
      led.catch(process.fail)
    },
  })
  running.catch((error: unknown) => {
    meter.leads(false)
    if (error instanceof LeadershipLostError) tell('stopped leading')
    process.fail(error)
  })
  return async () => {
    const end = await led?.catch(() => undefined)
    await end?.()
    over.abort()
    const release = await running.catch((error: unknown) => {
      if (!(error instanceof LeadershipLostError))
        log.warn('leader election ended badly', { error })
      return undefined
    })
    if (release && led) tell('stopped leading')
    await release?.()
    meter.leads(false)
  }
}

interface ElectionMeter {
  leads(does: boolean): void
  readonly slowPath: () => void
}

function electionMeter({ metrics }: Process, name: string): ElectionMeter {
  const status = metrics.gauge({
    name: 'leader_election_master_status',
    help: "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. 'name' is the string used to identify the lease. Please make sure to group by name.",
    labels: ['name'],
  })
  const slow = metrics.counter({
    name: 'leader_election_slowpath_total',
    help: 'Total number of slow path exercised in renewing leader leases',
    labels: ['name'],
  })
  slow.add({ name }, 0)
  status.set(0, { name })
  return {
    leads: (does) => status.set(does ? 1 : 0, { name }),
    slowPath: () => slow.add({ name }),
  }
}

/** Tells people by Events on the Lease, as client-go's leader election does. */
function teller(
  { client, clock, random, log, instance }: Process,
  { name, namespace = client.namespace }: Election,
  identity: string,
): (what: string) => void {
  const parts = { client, clock, random, log, instance, controller: 'leader-election' }
  const events = recordEvents(parts)
  const lease = { kind: LEASE, object: { metadata: { name, namespace } } }
  return (what) => events.record(lease, 'Normal', 'LeaderElection', `${identity} ${what}`)
}
