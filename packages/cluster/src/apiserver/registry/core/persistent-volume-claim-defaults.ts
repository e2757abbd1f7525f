import { ensureObject, fillAbsent, objectAt, type Fields } from '../fields.ts'
import { canonicalResources } from './resource-list.ts'

/** The defaults of a claim's spec, alone or as a template (SetDefaults_PersistentVolumeClaimSpec). */
export function defaultClaimSpec(spec: Fields): void {
  fillAbsent(spec, { volumeMode: 'Filesystem' })
  const resources = ensureObject(spec, 'resources')
  canonicalResources(resources, 'limits')
  canonicalResources(resources, 'requests')
}

/** The defaults of a claim: Pending until someone says otherwise. */
export function defaultClaim(claim: Fields): void {
  defaultClaimSpec(ensureObject(claim, 'spec'))
  const status = ensureObject(claim, 'status')
  if (!status['phase']) status['phase'] = 'Pending'
  canonicalResources(objectAt(claim, 'status'), 'capacity')
  canonicalResources(objectAt(claim, 'status'), 'allocatedResources')
}
