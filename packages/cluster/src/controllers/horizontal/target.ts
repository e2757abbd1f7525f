import type { Client } from 'kubewright/client'
import type { Scale } from 'kubewright/kinds/autoscaling/v1'
import type { CrossVersionObjectReference } from 'kubewright/kinds/autoscaling/v2'
import { groupResourceText, isConflict, type Kind } from 'kubewright/machinery'
import { AS_CONTROLLER } from '../workload/writes.ts'

/** What is scaled, as it is now. */
export interface Target {
  readonly kind: Kind
  readonly namespace: string
  readonly name: string
  readonly scale: Scale
}

const groupOf = (apiVersion: string | undefined): string =>
  apiVersion?.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''

/** The kinds under which a reference may be found, the preferred version first; none rejects in client-go's words. */
async function kindsOf(
  client: Client,
  { apiVersion, kind }: CrossVersionObjectReference,
): Promise<readonly Kind[]> {
  const group = groupOf(apiVersion)
  const served = async (): Promise<readonly Kind[]> =>
    (await client.kinds.all())
      .map((it) => it.kind)
      .filter((it) => it.kind === kind && it.group === group)
  const found = await served()
  if (found.length > 0) return found
  // A definition may have come since.
  client.kinds.refresh()
  const again = await served()
  if (again.length > 0) return again
  throw new Error(`no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`)
}

/** The group and resource of a reference, as in `deployments.apps`. */
export const resourceText = async (
  client: Client,
  reference: CrossVersionObjectReference,
): Promise<string> => groupResourceText((await kindsOf(client, reference))[0]!)

/** Reads how what is referred to is scaled, in the first version that tells (scaleForResourceMappings). Rejects with the first reason why not. */
export async function readTarget(
  client: Client,
  namespace: string,
  reference: CrossVersionObjectReference,
): Promise<Target> {
  const { name } = reference
  let first: unknown
  for (const kind of await kindsOf(client, reference)) {
    try {
      const scale = await client.subresource<Scale>(kind, { namespace, name }, 'scale').get()
      return { kind, namespace, name, scale }
    } catch (error) {
      first ??= error
    }
  }
  throw first
}

/** How often a write that came too late is tried (client-go/util/retry DefaultRetry). */
const TRIES = 5

/** Scales a target, from what it has become where somebody else was faster. */
export async function scaleTo(client: Client, target: Target, replicas: number): Promise<void> {
  const { kind, namespace, name } = target
  const part = client.subresource<Scale>(kind, { namespace, name }, 'scale')
  let { scale } = target
  for (let left = TRIES; ; left--) {
    try {
      await part.update({ ...scale, spec: { ...scale.spec, replicas } }, AS_CONTROLLER)
      return
    } catch (error) {
      if (!isConflict(error) || left <= 1) throw error
      scale = await part.get()
    }
  }
}
