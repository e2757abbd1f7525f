import { fillEmpty, objectAt, type Fields } from '../fields.ts'
import { canonicalAmount } from './resource-list.ts'

/** A reference to a field is to one of v1 unless it says otherwise. */
export function defaultFieldRef(at: Fields): void {
  const field = objectAt(at, 'fieldRef')
  if (field) fillEmpty(field, { apiVersion: 'v1' })
  defaultDivisor(at)
}

/** So much of a resource as one. */
export function defaultDivisor(at: Fields): void {
  const resource = objectAt(at, 'resourceFieldRef')
  if (resource === undefined) return
  fillEmpty(resource, { divisor: '0' })
  canonicalAmount(resource, 'divisor')
}
