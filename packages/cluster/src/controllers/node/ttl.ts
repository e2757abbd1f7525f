import { controller, type ControllerDefinition } from 'kubewright/controller'
import { Node } from 'kubewright/kinds/core/v1'
import { isNotFound, keyOf } from 'kubewright/machinery'
import { AS_CONTROLLER } from '../workload/writes.ts'

const ANNOTATION = 'node.alpha.kubernetes.io/ttl'

/** Seconds that kubelets may keep what they read of secrets and config maps, by the number of nodes: the steps overlap. */
const STEPS: readonly { readonly from: number; readonly to: number; readonly seconds: number }[] = [
  { from: 0, to: 100, seconds: 0 },
  { from: 90, to: 500, seconds: 15 },
  { from: 450, to: 1000, seconds: 30 },
  { from: 900, to: 2000, seconds: 60 },
  { from: 1800, to: Infinity, seconds: 300 },
]

/** The step for so many nodes, from the one before: it is left only where the number lies outside of it. */
export function stepFor(before: number, nodes: number): number {
  let step = before
  while (nodes > STEPS[step]!.to) step++
  while (nodes < STEPS[step]!.from) step--
  return step
}

/** Seconds of a step. */
export const secondsOf = (step: number): number => STEPS[step]!.seconds

/** Tells each node, whenever it shows itself, how long it may keep what it has read (kubernetes/pkg/controller/ttl). */
export function nodeTtlController(): ControllerDefinition {
  let step = 0
  return controller(Node, { name: 'ttl-controller', pace: false, resync: 0 }).reconcile(
    async (node, { lister, client }) => {
      step = stepFor(step, lister(Node).list().length)
      const seconds = String(secondsOf(step))
      if (node.metadata.annotations?.[ANNOTATION] === seconds) return
      const body = { metadata: { annotations: { [ANNOTATION]: seconds } } }
      try {
        await client.patch(Node, keyOf(node), { type: 'merge', body }, AS_CONTROLLER)
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    },
  )
}
