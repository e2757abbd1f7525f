import {
  forbiddenField,
  invalidValue,
  isConfigMapKey,
  tooLong,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { flagAt, mapAt, same, sameDeepAt } from '../fields.ts'
import type { Draft, Strategy } from '../strategy.ts'
import { IMMUTABLE_WHEN_SET, MAX_DATA_BYTES, base64Bytes } from './data.ts'

function validate(object: Draft): readonly FieldError[] {
  const errors: FieldError[] = []
  const data = mapAt(object, 'data')
  const binary = mapAt(object, 'binaryData')
  let size = 0
  for (const key in data) {
    keyErrors('data', key, errors)
    if (Object.hasOwn(binary, key)) {
      errors.push(invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'))
    }
    size += (data[key] ?? '').length
  }
  for (const key in binary) {
    keyErrors('binaryData', key, errors)
    size += base64Bytes(binary[key] ?? '')
  }
  // A character is at least a byte and at most three.
  if (size * 3 > MAX_DATA_BYTES && exactSize(data, binary) > MAX_DATA_BYTES) {
    // The path of the object itself, as field.NewPath("") prints it.
    errors.push(tooLong('[]', MAX_DATA_BYTES))
  }
  return errors
}

function exactSize(
  data: Readonly<Record<string, string>>,
  binary: Readonly<Record<string, string>>,
): number {
  let size = 0
  for (const value of Object.values(data)) size += Buffer.byteLength(value)
  for (const value of Object.values(binary)) size += base64Bytes(value)
  return size
}

function keyErrors(field: string, key: string, errors: FieldError[]): void {
  for (const it of isConfigMapKey(key)) errors.push(invalidValue(`${field}[${key}]`, key, it))
}

function validateUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: FieldError[] = []
  if (flagAt(old, 'immutable')) {
    if (!flagAt(object, 'immutable')) errors.push(forbiddenField('immutable', IMMUTABLE_WHEN_SET))
    // Nobody tells no data from empty data: there is always some, by default.
    if (!same(mapAt(object, 'data'), mapAt(old, 'data')))
      errors.push(forbiddenField('data', IMMUTABLE_WHEN_SET))
    if (!sameDeepAt(object, old, 'binaryData'))
      errors.push(forbiddenField('binaryData', IMMUTABLE_WHEN_SET))
  }
  return [...errors, ...validate(object)]
}

/** ConfigMap (kubernetes/pkg/registry/core/configmap/strategy.go). */
export const CONFIG_MAP: Strategy = Object.freeze({ validate, validateUpdate })
