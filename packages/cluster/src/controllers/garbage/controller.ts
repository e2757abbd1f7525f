import { CustomResourceDefinition } from 'kubewright/kinds/apiextensions.k8s.io/v1'
import { controller, type ControllerDefinition } from 'kubewright/controller'
import { isConditionTrue } from 'kubewright/machinery'
import type { Runnable } from 'kubewright/manager'
import { AbsentOwners, doWork } from './collector.ts'
import { Monitors } from './monitors.ts'
import { type GraphWork, OwnerGraph } from './owner-graph.ts'

const NAME = 'garbage-collector-controller'
const textOf = (work: GraphWork): string =>
  work.type === 'orphan' ? `orphan/${work.uid}` : work.uid

/**
 * Deletes what has lost its last owner, and sees deletions through that wait for what is owned (kubernetes/pkg/controller/garbagecollector):
 * a controller that works, and a watcher over all kinds that tells it where. The watcher takes up kinds as custom resource
 * definitions appear.
 */
export function garbageCollector(): readonly (ControllerDefinition | Runnable)[] {
  const graph = new OwnerGraph()
  const absent = new AbsentOwners()
  const intake = Promise.withResolvers<(work: readonly GraphWork[]) => void>()
  const worker = controller(NAME, { pace: false, maxConcurrent: 20 })
    .watchesSource((enqueue) => {
      intake.resolve((work) => {
        if (work.length > 0) enqueue(work.map(textOf), 'the graph of owners changed')
      })
    })
    .reconcileKey(async ({ namespace, name }, { client }) => {
      const work: GraphWork = { type: namespace === 'orphan' ? 'orphan' : 'sweep', uid: name }
      const more = await doWork({ client, graph, absent }, work)
      ;(await intake.promise)(more)
    })
  const watcher: Runnable = {
    name: 'garbage collector graph',
    async run({ client, cache, log, signal }) {
      const monitors = new Monitors({ client, graph, absent }, cache, await intake.promise)
      const definitions = cache.informer(CustomResourceDefinition)
      const sync = latestOnly(
        () => monitors.sync(),
        (error) => log.warn('the kinds could not be discovered', { error }),
      )
      const end = definitions.listen(({ old, new: now, initial }) => {
        if (!initial && isServed(old) !== isServed(now)) sync()
      })
      sync()
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      end()
    },
  }
  return [worker, watcher]
}

function isServed(it: CustomResourceDefinition | undefined): boolean {
  return isConditionTrue(it?.status?.conditions ?? [], 'Established')
}

/** A function that runs `task` at most once at a time, and once more when it was asked for meanwhile. */
function latestOnly(task: () => Promise<void>, failed: (error: unknown) => void): () => void {
  let running = false
  let again = false
  const run = async (): Promise<void> => {
    if (running) {
      again = true
      return
    }
    running = true
    try {
      do {
        again = false
        await task()
      } while (again)
    } catch (error) {
      failed(error)
    } finally {
      running = false
    }
  }
  return () => void run()
}
