import { has, itemsAt, objectAt, type Fields, type Readable } from '../fields.ts'

const CONTAINERS = ['containers', 'initContainers', 'ephemeralContainers'] as const

/**
 * Drops fields of features that v1.36 has off (kubernetes/pkg/api/pod/util.go dropDisabledFields): projected trust bundles and pod
 * certificates, scheduling groups, stop signals. A field that the old object uses stays.
 */
export function dropDisabledFields(spec: Fields, old?: Readable): void {
  if (!has(old, 'schedulingGroup')) delete spec['schedulingGroup']
  for (const field of ['clusterTrustBundle', 'podCertificate']) {
    if (!projections(old).some((it) => has(it, field))) {
      for (const it of projections(spec)) delete it[field]
    }
  }
  if (lifecycles(old).some((it) => has(it, 'stopSignal'))) return
  for (const list of CONTAINERS) for (const it of itemsAt(spec, list)) dropStopSignal(it)
}

/** A lifecycle that says nothing else goes with it. */
function dropStopSignal(container: Fields): void {
  const lifecycle = objectAt(container, 'lifecycle')
  if (!has(lifecycle, 'stopSignal')) return
  delete lifecycle!['stopSignal']
  if (!has(lifecycle, 'postStart') && !has(lifecycle, 'preStop')) delete container['lifecycle']
}

const projections = (spec: Readable | undefined): readonly Fields[] =>
  itemsAt(spec, 'volumes').flatMap((it) => itemsAt(objectAt(it, 'projected'), 'sources'))

const lifecycles = (spec: Readable | undefined): readonly Fields[] =>
  CONTAINERS.flatMap((list) => itemsAt(spec, list).flatMap(lifecycleOf))

const lifecycleOf = (container: Readable): readonly Fields[] => {
  const lifecycle = objectAt(container, 'lifecycle')
  return lifecycle ? [lifecycle] : []
}
