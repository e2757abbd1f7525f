import type { JsonObject } from '../patch/json.ts'
import { isJsonObject, member } from '../patch/json.ts'
import { leaves } from './field-set.ts'
import { decodeFieldsV1 } from './fields-v1.ts'
import { managedFieldsOf } from './managed-fields.ts'
import { extractItems } from './remove.ts'
import type { FieldType } from './type.ts'

/**
 * The configuration that a manager last applied to an object, as far as it still owns it: what to start from when
 * the next configuration should only change some of it. Undefined when the manager has applied nothing.
 * Source: apimachinery pkg/util/managedfields/extract.go.
 * @param subresource the one that was applied to; the empty string for the main resource
 */
export function extractApplied(
  object: JsonObject,
  type: FieldType,
  manager: string,
  subresource = '',
): JsonObject | undefined {
  const entry = managedFieldsOf(object)?.find((candidate) => {
    if (!isJsonObject(candidate) || member(candidate, 'operation') !== 'Apply') return false
    const within = member(candidate, 'subresource') ?? ''
    return member(candidate, 'manager') === manager && within === subresource
  })
  if (!isJsonObject(entry)) return undefined
  const fields = member(entry, 'fieldsV1')
  const set = decodeFieldsV1(isJsonObject(fields) ? fields : {})
  const extracted = extractItems(type, object, leaves(set))
  return { ...kindOf(object), ...(isJsonObject(extracted) ? extracted : {}) }
}

function kindOf(object: JsonObject): JsonObject {
  const apiVersion = member(object, 'apiVersion')
  const kind = member(object, 'kind')
  return { ...(apiVersion !== undefined && { apiVersion }), ...(kind !== undefined && { kind }) }
}
