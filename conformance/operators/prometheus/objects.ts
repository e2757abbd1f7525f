type Fields = Readonly<Record<string, unknown>>

const monitoring =
  (version: string) =>
  (kind: string, name: string, spec: Fields, metadata: Fields = {}): object => ({
    apiVersion: `monitoring.coreos.com/${version}`,
    kind,
    metadata: { name, namespace: 'monitoring', ...metadata },
    spec,
  })

/** An object of monitoring.coreos.com/v1. */
export const v1: ReturnType<typeof monitoring> = monitoring('v1')

/** An object of monitoring.coreos.com/v1alpha1. */
export const v1alpha1: ReturnType<typeof monitoring> = monitoring('v1alpha1')

/** A Secret of texts. */
export const secret = (name: string, stringData: Readonly<Record<string, string>>): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'monitoring' },
  stringData,
})

/** Selects what has the label `team: shop`. */
export const OF_THE_TEAM: Fields = { matchLabels: { team: 'shop' } }

/** The label that {@link OF_THE_TEAM} selects. */
export const TEAM: Fields = { labels: { team: 'shop' } }

/** Pods that go at once: simulated ones may take all the time that they are given, and ten minutes is what they get by themselves. */
export const SOON_GONE: Fields = { terminationGracePeriodSeconds: 1 }
