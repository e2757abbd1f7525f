import {
  type Condition,
  type DeclaredKind,
  type Kind,
  kind,
  type KubeObject,
  type Manager,
  manager,
  s,
  temporaryError,
} from 'kubewright'
import { channel, cron, inbound, type Channel } from 'kubewright/controller'
import { dependent, external, keepDependents } from 'kubewright/dependents'
import { ConfigMap, Secret } from 'kubewright/kinds/core/v1'

/** What the examples reconcile. */
export interface Site extends KubeObject {
  readonly spec: { readonly text: string; readonly region: string }
  readonly status?: { readonly conditions?: readonly Condition[] }
}

export const Site: DeclaredKind & Kind<Site> = kind('example.com/v1', 'Site', {
  spec: { text: s.string({ default: '' }), region: s.string({ default: 'west' }) },
  status: { conditions: s.conditions() },
})

/** What the outside world is in these examples. */
export const outside: Map<string, string> = new Map()

// #region sources
export const nudges: Channel = channel()

export const sources: Manager = manager({ name: 'sources', ports: { inbound: 0 } })
sources
  .controller(Site, { retry: 'patient' })
  .watchesSource(nudges.source)
  .watchesSource(cron('0 3 * * *', ({ lister }) => lister(Site).list()))
  .watchesSource(
    inbound({ path: '/changed', token: 's3cret' }, ({ body }) => [`default/${body.trim()}`]),
  )
  .reconcile(({ metadata }) => {
    if (!outside.has(metadata.name!)) throw temporaryError('nothing is known of it yet', '30s')
  })
// #endregion

// #region beside
export const beside: Manager = manager({ name: 'beside' })
beside
  .controller(Site)
  .timer('check', { every: '5m' }, async ({ metadata }) => {
    outside.set(metadata.name!, 'checked')
  })
  .daemon('follow', async ({ key, signal }) => {
    outside.set(`${key.name} is followed`, 'yes')
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  })
  .reconcile(() => {})
// #endregion

// #region dependents
export const declared: Manager = manager({ name: 'declared' }).add(
  keepDependents(Site, {
    bucket: external<Site, string>({
      read: async ({ metadata }) => outside.get(metadata.name!),
      create: async ({ metadata, spec }) => {
        outside.set(metadata.name!, `bucket in ${spec.region}`)
        return `bucket in ${spec.region}`
      },
      delete: async (_, { metadata }) => void outside.delete(metadata.name!),
      every: '10m',
    }),
    config: dependent(
      ConfigMap,
      ({ spec }: Site, { bucket }) => ({
        data: { text: spec.text, bucket: String(bucket) },
      }),
      { after: ['bucket'] },
    ),
    secret: dependent(Secret, () => ({ data: {} }), { when: ({ spec }: Site) => spec.text !== '' }),
  }),
)
// #endregion

// #region clusters
export const everywhere: Manager = manager({ name: 'everywhere' })
everywhere.controller(Site, { clusters: 'all' }).reconcile(async ({ metadata }, { apply, key }) => {
  const data = { cluster: key.cluster ?? 'home' }
  await apply(ConfigMap, { metadata: { name: metadata.name! }, data })
})
// later: await running.clusters.join('west', { kubeconfig: 'west.kubeconfig' })
// #endregion
