import { jsonEqual, type JsonValue } from '../machinery/patch/json.ts'

/** One operation of a JSON Patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }

/** The JSON Patch that makes `after` of `before`: member by member; a list that differs is replaced whole. */
export function jsonDiff(
  before: unknown,
  after: unknown,
  path: string = '',
): readonly JsonPatchOperation[] {
  if (jsonEqual(before as JsonValue | undefined, after as JsonValue | undefined)) return []
  if (!isObject(before) || !isObject(after)) return [{ op: 'replace', path, value: after }]
  const operations: JsonPatchOperation[] = []
  for (const key of Object.keys(before))
    if (!Object.hasOwn(after, key) || after[key] === undefined)
      operations.push({ op: 'remove', path: `${path}/${token(key)}` })
  for (const [key, value] of Object.entries(after)) {
    if (value === undefined) continue
    const place = `${path}/${token(key)}`
    if (Object.hasOwn(before, key)) operations.push(...jsonDiff(before[key], value, place))
    else operations.push({ op: 'add', path: place, value })
  }
  return operations
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member's name as part of a JSON pointer (RFC 6901). */
const token = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
