import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { ConfigMap, Pod, Secret, ServiceAccount } from 'kubewright/kinds/core/v1'
import { isConflict, isNotFound, keyOf } from 'kubewright/machinery'
import { patchMetadata } from '../workload/writes.ts'
import { cleaningOf, dayOf, INVALID_SINCE, isTrackedFor, secretNames } from './token-cleaning.ts'

/** How tokens of old are cleaned away; times in milliseconds. */
export interface TokenCleanerOptions {
  /** For how long nobody must have used a token. Default a year (--legacy-service-account-token-clean-up-period). */
  readonly period?: number
  /** How often all of them are looked at. Default a day. */
  readonly interval?: number
}

/** Where the server notes since when it has noted the use of tokens. */
const TRACKING = 'kube-system/kube-apiserver-legacy-service-account-token-tracking'
const DAY = 86_400_000

/** Cleans away tokens that a cluster of old made for service accounts and that nobody uses (KEP-2799). */
export function legacyTokenCleaner({
  period = 365 * DAY,
  interval = DAY,
}: TokenCleanerOptions = {}): ControllerDefinition {
  return controller('legacy-serviceaccount-token-cleaner', { pace: false, resync: 0 })
    .reads(Secret, ServiceAccount, Pod)
    .watchesSource((enqueue) => enqueue('all', 'start'))
    .reconcileKey(async (_, context) => {
      const now = context.clock.now()
      const tracking = await context.client.find(ConfigMap, TRACKING)
      if (isTrackedFor(tracking?.data?.['since'], period, now)) await clean(context, period, now)
      return { requeueAfter: interval }
    })
}

async function clean(context: KeyContext, period: number, now: number): Promise<void> {
  const { lister } = context
  const used = new Map<string, Set<string>>()
  for (const pod of lister(Pod).list()) {
    const namespace = pod.metadata.namespace ?? ''
    const names = used.get(namespace) ?? new Set<string>()
    for (const name of secretNames(pod)) names.add(name)
    used.set(namespace, names)
  }
  for (const secret of lister(Secret).list()) {
    const { namespace = '', annotations } = secret.metadata
    const name = annotations?.['kubernetes.io/service-account.name'] ?? ''
    const account = name === '' ? undefined : lister(ServiceAccount).get({ namespace, name })
    const held = used.get(namespace) ?? new Set<string>()
    const cleaning = cleaningOf({ secret, account, used: held, now, period })
    if (cleaning === 'invalidate') {
      await patchMetadata(context, Secret, secret, { labels: { [INVALID_SINCE]: dayOf(now) } })
    } else if (cleaning === 'delete') await remove(context, secret)
  }
}

/** Deletes a secret as it was seen: whoever has just used it keeps it. */
async function remove({ client }: KeyContext, secret: Secret): Promise<void> {
  const { resourceVersion } = secret.metadata
  try {
    await client.delete(Secret, keyOf(secret), resourceVersion ? { resourceVersion } : {})
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}
