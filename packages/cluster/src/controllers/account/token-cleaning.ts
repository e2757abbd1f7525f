import type { Pod, Secret, ServiceAccount } from 'kubewright/kinds/core/v1'
import { parseTimestamp } from '../workload/time.ts'

/** On which day a token was last used; the server keeps it. */
const LAST_USED = 'kubernetes.io/legacy-token-last-used'
/** Since which day a token is not taken any more. */
export const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since'

/** What is to become of a secret. */
export type Cleaning = 'keep' | 'invalidate' | 'delete'

/** What is known of a secret and of those who may use it; times in milliseconds. */
export interface Holding {
  readonly secret: Secret
  /** The service account that the secret names; undefined where there is none of that name. */
  readonly account: ServiceAccount | undefined
  /** The names of secrets that pods of its namespace use. */
  readonly used: ReadonlySet<string>
  readonly now: number
  /** For how long nobody must have used a token before it is marked, and again before it goes. */
  readonly period: number
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** A day as labels name it. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const isDay = (text: string): boolean =>
  DAY.test(text) && parseTimestamp(text) !== undefined && dayOf(Date.parse(text)) === text

/**
 * What is to become of a token that a cluster of old made by itself: nobody used it for a period, then it is marked invalid, and after another
 * period it goes (KEP-2799, kubernetes/pkg/controller/serviceaccount/legacy_serviceaccount_token_cleaner.go). A token that somebody asked
 * for, in a secret that its account does not name, stays.
 */
export function cleaningOf({ secret, account, used, now, period }: Holding): Cleaning {
  const { metadata, type } = secret
  const since = dayOf(now - period)
  const created = parseTimestamp(metadata.creationTimestamp) ?? now
  if (type !== 'kubernetes.io/service-account-token' || metadata.deletionTimestamp !== undefined)
    return 'keep'
  if (created >= now - period) return 'keep'
  const lastUsed = metadata.labels?.[LAST_USED]
  if (lastUsed !== undefined && (!isDay(lastUsed) || lastUsed >= since)) return 'keep'
  const name = metadata.name ?? ''
  if (!account || !isOf(secret, account) || used.has(name)) return 'keep'
  const invalid = metadata.labels?.[INVALID_SINCE] ?? ''
  if (!isDay(invalid)) return 'invalidate'
  return invalid >= since ? 'keep' : 'delete'
}

/** Whether a secret and an account name each other. */
function isOf({ metadata }: Secret, account: ServiceAccount): boolean {
  const uid = metadata.annotations?.['kubernetes.io/service-account.uid']
  if (uid && uid !== account.metadata.uid) return false
  return (account.secrets ?? []).some((it) => it.name === metadata.name)
}

/** Whether the use of tokens has been noted for long enough to tell: from the day after the one on which it began. */
export function isTrackedFor(since: string | undefined, period: number, now: number): boolean {
  if (since === undefined || !isDay(since)) return false
  return now >= Date.parse(since) + 86_400_000 + period
}

/** The names of the secrets that a pod uses, wherever it names one (kubernetes/pkg/api/v1/pod VisitPodSecretNames). */
export function secretNames({ spec }: Pod): readonly string[] {
  const containers = [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []),
    ...(spec?.ephemeralContainers ?? []),
  ]
  const named = [
    ...(spec?.imagePullSecrets ?? []).map((it) => it.name),
    ...containers.flatMap(({ env = [], envFrom = [] }) => [
      ...env.map((it) => it.valueFrom?.secretKeyRef?.name),
      ...envFrom.map((it) => it.secretRef?.name),
    ]),
    ...(spec?.volumes ?? []).flatMap((it) => [
      it.secret?.secretName,
      it.azureFile?.secretName,
      it.cephfs?.secretRef?.name,
      it.cinder?.secretRef?.name,
      it.flexVolume?.secretRef?.name,
      it.iscsi?.secretRef?.name,
      it.rbd?.secretRef?.name,
      it.scaleIO?.secretRef?.name,
      it.storageos?.secretRef?.name,
      it.csi?.nodePublishSecretRef?.name,
      ...(it.projected?.sources ?? []).map((source) => source.secret?.name),
    ]),
  ]
  return named.filter((it) => it !== undefined && it !== '') as readonly string[]
}
