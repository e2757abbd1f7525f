import {
  invalidValue,
  isDns1035Label,
  isDns1123Subdomain,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { ensureObject, itemsAt, objectAt, same, textAt, type Readable } from '../fields.ts'
import type { Errors } from '../generic/checks.ts'
import { checkConditions } from '../generic/conditions.ts'
import { internalForm } from '../generic/internal-form.ts'
import { statusOnly, whole } from '../generic/whole-and-status.ts'
import type { Draft, Strategy } from '../strategy.ts'

function specErrors(object: Draft): Errors {
  const errors: Errors = []
  const of = objectAt(objectAt(object, 'spec'), 'resource')
  const [group, resource] = [textAt(of, 'group'), textAt(of, 'resource')]
  const at = 'spec.resource'
  if (resource === '') errors.push(required(`${at}.resource`, 'resource is required to be set'))
  else refuse(errors, `${at}.resource`, resource, isDns1035Label(resource))
  if (group !== '') refuse(errors, `${at}.group`, group, isDns1123Subdomain(group))
  return errors
}

function refuse(errors: Errors, field: string, value: string, why: readonly string[]): void {
  if (why.length > 0) errors.push(invalidValue(field, value, why.join(',')))
}

function validateUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors = specErrors(object)
  if (same(object['spec'], (old as Readable)['spec'])) return errors
  const shown = internalForm('StorageVersionMigrationSpec', objectAt(object, 'spec'))
  return [...errors, invalidValue('spec', shown, 'field is immutable')]
}

const isTrue = (status: Readable | undefined, type: string): boolean =>
  itemsAt(status, 'conditions').find((it) => textAt(it, 'type') === type)?.['status'] === 'True'

/** kubernetes/pkg/apis/storagemigration/validation ValidateStorageVersionMigrationStatusUpdate. */
function validateStatus(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  const [status, before] = [objectAt(object, 'status'), objectAt(old, 'status')]
  const [version, was] = [textAt(status, 'resourceVersion'), textAt(before, 'resourceVersion')]
  const conditions = itemsAt(status, 'conditions')
  if (version !== '' && !/^[1-9]\d*$/.test(version)) {
    const why = `resource version is not well formed: ${version}`
    errors.push(invalidValue('status.resourceVersion', version, why))
  }
  checkConditions(errors, 'status.conditions', conditions)
  if (was !== '' && was !== version)
    errors.push(invalidValue('status.resourceVersion', version, 'field is immutable'))
  const wrong = (why: string): void =>
    void errors.push(invalidValue('status.conditions', conditions, why))
  if (isTrue(status, 'Succeeded') && isTrue(status, 'Failed'))
    wrong('Both success and failed conditions cannot be true at the same time')
  if (isTrue(before, 'Succeeded') && !isTrue(status, 'Succeeded'))
    wrong('Success condition cannot be set to false once it is true')
  if (isTrue(before, 'Failed') && !isTrue(status, 'Failed'))
    wrong('Failed condition cannot be set to false once it is true')
  return errors
}

/** StorageVersionMigration (kubernetes/pkg/registry/storagemigration/storagemigration/strategy.go). */
export const STORAGE_VERSION_MIGRATION: Strategy = Object.freeze({
  ...whole({ emptyStatus: {} }),
  applyDefaults: (object: Draft) => {
    ensureObject(ensureObject(object, 'spec'), 'resource')
    ensureObject(object, 'status')
  },
  validate: specErrors,
  validateUpdate,
  allowUnconditionalUpdate: false,
  subresources: {
    status: {
      ...statusOnly({ statusKeeps: 'metadata' }),
      validateUpdate: validateStatus,
      allowUnconditionalUpdate: false,
    },
  },
})
