import type { JsonValue } from '../patch/json.ts'
import { isJsonArray, isJsonObject } from '../patch/json.ts'
import { PatchError } from '../patch/patch-error.ts'
import { mergeValues } from './merge.ts'
import type { FieldType } from './type.ts'
import { memberType, narrow } from './type.ts'
import { type DuplicateRule, printIssues, validateType } from './validate.ts'

/**
 * Merges a configuration into an object as apply does, but for ownership: nobody owns what is set. What the configuration says
 * must fit the type, and may not replace a list or map as a whole. Returns `live` itself if nothing changes.
 * Source: apiserver/pkg/admission/plugin/policy/mutating/patch/smd.go.
 * @throws PatchError Unprocessable, with Kubernetes' message.
 */
export function mergeConfiguration(
  type: FieldType,
  live: JsonValue,
  configuration: JsonValue,
): JsonValue {
  check(type, configuration, 'forbid duplicates', 'patch object')
  const atomics = atomicsIn(type, configuration, '')
  if (atomics.length > 0) {
    const where = atomics.join(', ')
    throw fail(
      `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${where}`,
    )
  }
  check(type, live, 'allow duplicates', 'original object')
  return mergeValues(type, live, configuration)
}

const fail = (message: string): PatchError => new PatchError('Unprocessable', message)

function check(type: FieldType, value: JsonValue, duplicates: DuplicateRule, what: string): void {
  const issues = validateType(type, value, duplicates)
  if (issues.length === 0) return
  throw fail(`failed to convert ${what} to typed object: ${printIssues(issues)}`)
}

/** The paths of the lists and maps in a value that are owned as wholes; only declared members are looked into. */
function atomicsIn(type: FieldType, value: JsonValue, path: string): readonly string[] {
  const { map, list } = narrow(type, value)
  if (map && isJsonObject(value)) {
    const inner = Object.entries(value).flatMap(([name, it]) => {
      const field = map.fields.has(name) ? memberType(map, name) : undefined
      return field ? atomicsIn(field, it, `${path}.${name}`) : []
    })
    return map.isAtomic ? [path, ...inner] : inner
  }
  if (list && isJsonArray(value)) {
    const inner = value.flatMap((it, i) => atomicsIn(list.element(), it, `${path}[${i}]`))
    return list.relationship === 'atomic' ? [path, ...inner] : inner
  }
  return []
}
