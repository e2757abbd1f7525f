import { has, itemsAt, objectAt, textAt, type Readable } from '../fields.ts'

/** A path that a volume writes, and from what. */
interface Target {
  readonly path: string
  readonly source: string
}

/** Files of one volume that lie in each other's way (warningsForOverlappingVirtualPaths). */
export const overlapWarnings = (volumes: readonly Readable[]): readonly string[] =>
  volumes.flatMap((it) => {
    const name = textAt(it, 'name')
    return [...plainOverlaps(it, name), ...projectedOverlaps(it, name)]
  })

const overlapping = (volume: string, kind: string, what: string): string =>
  `volume ${JSON.stringify(volume)} (${kind}): overlapping paths: ${what}`

const PLAIN = [
  ['configMap', 'ConfigMap', 'name'],
  ['secret', 'Secret', 'secretName'],
  ['downwardAPI', 'DownwardAPI', ''],
] as const

function plainOverlaps(volume: Readable, name: string): readonly string[] {
  return PLAIN.flatMap(([field, kind, named]) => {
    const source = objectAt(volume, field)
    const items = itemsAt(source, 'items')
    if (items.length < 2) return []
    const title = named === '' ? kind : `${kind} ${JSON.stringify(textAt(source, named))}`
    return collisions(targets(items, '')).map((it) => overlapping(name, title, it))
  })
}

const targets = (items: readonly Readable[], source: string): readonly Target[] =>
  items.map((it) => ({ path: textAt(it, 'path'), source }))

function projectedOverlaps(volume: Readable, name: string): readonly string[] {
  const sources = itemsAt(objectAt(volume, 'projected'), 'sources')
  const empty = sources.filter((it) => Object.keys(it).length === 0)
  return [
    ...empty.map(() => `volume ${JSON.stringify(name)} (Projected) has no sources provided`),
    ...collisions(sources.flatMap(projected)).map((it) => overlapping(name, 'Projected', it)),
  ]
}

function projected(source: Readable): readonly Target[] {
  const titled = (field: string, kind: string): string =>
    `${kind} ${JSON.stringify(textAt(objectAt(source, field), 'name'))}`
  if (has(source, 'configMap')) {
    return targets(
      itemsAt(objectAt(source, 'configMap'), 'items'),
      titled('configMap', 'ConfigMap'),
    )
  }
  if (has(source, 'secret')) {
    return targets(itemsAt(objectAt(source, 'secret'), 'items'), titled('secret', 'Secret'))
  }
  if (has(source, 'downwardAPI')) {
    return targets(itemsAt(objectAt(source, 'downwardAPI'), 'items'), 'DownwardAPI')
  }
  const token = objectAt(source, 'serviceAccountToken')
  if (token) return targets([token], 'ServiceAccountToken')
  const bundle = objectAt(source, 'clusterTrustBundle')
  if (bundle) {
    const name = textAt(bundle, 'name') || textAt(bundle, 'signerName')
    return targets([bundle], `ClusterTrustBundle ${JSON.stringify(name)}`)
  }
  return certificatePaths(objectAt(source, 'podCertificate'))
}

const certificatePaths = (certificate: Readable | undefined): readonly Target[] =>
  [
    { path: textAt(certificate, 'certificateChainPath'), source: 'PodCertificate chain' },
    { path: textAt(certificate, 'keyPath'), source: 'PodCertificate key' },
    {
      path: textAt(certificate, 'credentialBundlePath'),
      source: 'PodCertificate credential bundle',
    },
  ].filter((it) => it.path !== '')

/** Each pair of paths of which one is, or lies under, the other. */
function collisions(given: readonly Target[]): readonly string[] {
  const all = given.map((it) => ({ ...it, path: it.path.replace(/\/+$/, '') }))
  return all.flatMap((it, i) =>
    all
      .slice(0, i)
      .filter((other) => meet(it.path, other.path))
      .map((other) => `${shown(it)} with ${shown(other)}`),
  )
}

const meet = (a: string, b: string): boolean =>
  a !== '' && b !== '' && (`${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`))

const shown = ({ path, source }: Target): string =>
  source === '' ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`
