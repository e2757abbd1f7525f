import type { JsonObject, JsonValue } from '../patch/json.ts'
import { isJsonObject, jsonEqual, withoutMember } from '../patch/json.ts'
import { managedFieldsOf, withManagedFields } from './managed-fields.ts'

/**
 * The object with the stored times in its managedFields when nothing else has changed, so that a request that
 * changes nothing is not stored. Runs last, after admission. Source: apiserver
 * endpoints/handlers/fieldmanager/equality.go (IgnoreManagedFieldsTimestampsTransformer).
 */
export function keepTimestamps(next: JsonObject, live: JsonObject): JsonObject {
  const before = managedFieldsOf(live) ?? []
  const after = managedFieldsOf(next) ?? []
  const isTouched = after.some((entry, i) => timeOf(entry) !== timeOf(before[i]))
  if (before.length !== after.length || !isTouched) return next
  if (!jsonEqual(before.map(withoutTime), after.map(withoutTime))) return next
  const kept = withManagedFields(next, before)
  return jsonEqual(kept, live) ? kept : next
}

function timeOf(entry: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(entry) ? entry['time'] : undefined
}

function withoutTime(entry: JsonValue): JsonValue {
  return isJsonObject(entry) ? withoutMember(entry, 'time') : entry
}
