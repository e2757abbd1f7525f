import type { Runnable, RunnableContext } from 'kubewright/manager'
import { Node } from 'kubewright/kinds/core/v1'
import {
  type Heart,
  registerNode,
  RENEW_EVERY,
  renewLease,
  REPORT_EVERY,
  reportNode,
} from './heartbeat.ts'
import type { NodeSpec } from './node-object.ts'

/** What is known of the heart of one node. */
interface Beating {
  readonly spec: NodeSpec
  readonly node: Node
  reportedAt: number
}

/** How many nodes' leases are renewed in a second at most, as long as none has to wait for longer than {@link SLOWEST}. */
const RENEWALS_PER_SECOND = 50
/** How long a lease may go unrenewed, in milliseconds: less than half of what makes others think that a node is gone. */
const SLOWEST = 20_000
/** How many nodes register at once. */
const AT_ONCE = 50

/** How often each of so many nodes renews its lease, in milliseconds: as kubelets do, and less often where there are very many. */
export const renewalPeriod = (nodes: number): number =>
  Math.min(SLOWEST, Math.max(RENEW_EVERY, (nodes / RENEWALS_PER_SECOND) * 1000))

/**
 * Registers nodes, then renews their leases and reports their status until the end: one after the other, evenly spread over time, with one timer for
 * all. A beat that fails is tried again with the next; those that are `silent` miss theirs.
 */
export function nodeHearts(
  specs: readonly NodeSpec[],
  version: string,
  isSilent: (node: Node | undefined) => boolean = () => false,
): Runnable {
  return {
    name: specs.length === 1 ? `node ${specs[0]!.name}` : `${specs.length} nodes`,
    async run(context) {
      const { cache, client, clock, signal } = context
      const heart: Heart = { client, clock, version }
      const all = await registered(heart, specs, context)
      const pause = renewalPeriod(all.length) / all.length
      const begun = clock.now()
      for (let count = 0; !signal.aborted; count++) {
        // Whole rounds later, each at its own moment of the round.
        const due = begun + renewalPeriod(all.length) + count * pause
        await clock.sleep(Math.max(0, due - clock.now()), signal).catch(() => {})
        if (signal.aborted) return
        const it = all[count % all.length]!
        const current = cache.peek(Node)?.lister.get({ name: it.spec.name })
        // One that speaks again has much to tell.
        if (isSilent(current)) it.reportedAt = -Infinity
        else await beat(heart, it, context)
      }
    },
  }
}

/** Registers nodes, some at once, each with its first beat. */
async function registered(
  heart: Heart,
  specs: readonly NodeSpec[],
  context: RunnableContext,
): Promise<readonly Beating[]> {
  const all: Beating[] = []
  for (let at = 0; at < specs.length; at += AT_ONCE) {
    const some = specs.slice(at, at + AT_ONCE).map(async (spec) => {
      const node = await registerNode(heart, spec)
      const beating: Beating = { spec, node, reportedAt: heart.clock.now() }
      await beat(heart, beating, context)
      return beating
    })
    all.push(...(await Promise.all(some)))
  }
  return all
}

async function beat(heart: Heart, it: Beating, { log, signal }: RunnableContext): Promise<void> {
  try {
    await renewLease(heart, it.node)
    const now = heart.clock.now()
    if (now - it.reportedAt < REPORT_EVERY) return
    it.reportedAt = now
    await reportNode(heart, it.spec)
  } catch (error) {
    if (!signal.aborted) log.warn('a heartbeat failed', { node: it.spec.name, error })
  }
}
