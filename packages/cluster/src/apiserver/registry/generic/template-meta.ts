import { forbiddenField } from 'kubewright/machinery'
import { has, mapAt, type Readable } from '../fields.ts'
import type { Errors } from './checks.ts'
import { annotationErrors, labelErrors } from './object-meta.ts'

/** What a template cannot say of the objects made from it, in Go's order. */
const NOT_IN_TEMPLATES = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
]

/** Of a claim's template only labels and annotations come to anything (ValidateTemplateObjectMeta). */
export function checkTemplateMeta(errors: Errors, field: string, meta: Readable): void {
  annotationErrors(mapAt(meta, 'annotations'), `${field}.annotations`, errors)
  labelErrors(mapAt(meta, 'labels'), `${field}.labels`, errors)
  for (const name of NOT_IN_TEMPLATES) {
    if (!has(meta, name) || meta[name] === '') continue
    if (name === 'generation' && meta[name] === 0) continue
    // Kubernetes makes a field's name of that of a Go struct.
    const shown = name === 'uid' ? 'uID' : name
    errors.push(forbiddenField(`${field}.${shown}`, 'cannot be set'))
  }
}
