import { has, objectAt, textAt, type Fields, type Readable } from '../fields.ts'

/**
 * `dataSource` and `dataSourceRef` say the same, and only the second may name any kind (KEP-1495, KEP-3294:
 * kubernetes/pkg/api/persistentvolumeclaim/util.go). A reference into another namespace belongs to a feature that v1.36 has off.
 */
export function alignDataSources(spec: Fields, old?: Readable): void {
  const reference = objectAt(spec, 'dataSourceRef')
  if (textAt(reference, 'namespace') !== '' && !has(old, 'dataSourceRef')) {
    delete spec['dataSourceRef']
  }
  const used = has(old, 'dataSource') || has(old, 'dataSourceRef')
  if (!used && !has(spec, 'dataSourceRef') && !isKnownSource(objectAt(spec, 'dataSource'))) {
    delete spec['dataSource']
  }
  const one = objectAt(spec, 'dataSource')
  const ref = objectAt(spec, 'dataSourceRef')
  if (one && !ref) spec['dataSourceRef'] = { ...one }
  if (!ref || one) return
  const { namespace: _, ...named } = ref
  spec['dataSource'] = named
}

function isKnownSource(ref: Readable | undefined): boolean {
  const group = textAt(ref, 'apiGroup')
  const kind = textAt(ref, 'kind')
  return (
    (group === '' && kind === 'PersistentVolumeClaim') ||
    (group === 'snapshot.storage.k8s.io' && kind === 'VolumeSnapshot')
  )
}
