import { jsonEqual, type JsonValue } from '../machinery/patch/json.ts'
import type { KubeObject } from '../machinery/object.ts'

type Fields = Readonly<Record<string, JsonValue | undefined>>

/** What changes with every write and says nothing. */
const NOISE: ReadonlySet<string> = new Set([
  'metadata.resourceVersion',
  'metadata.managedFields',
  'metadata.generation',
])

/**
 * Where two states of an object differ, for people: paths two names deep (`spec.replicas`), one deeper for labels, annotations and the
 * like, at most `limit` (default 8) and then `…`.
 */
export function changedPaths(
  before: KubeObject,
  after: KubeObject,
  limit: number = 8,
): readonly string[] {
  const found: string[] = []
  collect(before as unknown as Fields, after as unknown as Fields, '', found, limit)
  return found.length > limit ? [...found.slice(0, limit), '…'] : found
}

function collect(
  before: Fields,
  after: Fields,
  prefix: string,
  found: string[],
  limit: number,
): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (found.length > limit) return
    const path = `${prefix}${name}`
    const [old, now] = [before[name], after[name]]
    if (NOISE.has(path) || old === now || jsonEqual(old, now)) continue
    if (depthOf(path) < deepest(path) && isFields(old) && isFields(now))
      collect(old, now, `${path}.`, found, limit)
    else found.push(path)
  }
}

const depthOf = (path: string): number => path.split('.').length

const deepest = (path: string): number =>
  /^metadata\.(labels|annotations)|^data|^spec\.template/.test(path) ? 3 : 2

const isFields = (value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
