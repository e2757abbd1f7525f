import type { Kind } from '../machinery/kind.ts'
import { parseKey, type ObjectKey } from '../machinery/object-key.ts'

/** `/api/v1` or `/apis/GROUP/VERSION`. */
export function groupVersionPath(kind: Pick<Kind, 'group' | 'version'>): string {
  return kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
}

/** The path of a collection: of one namespace, or of all when `namespace` is empty. Throws when no path can carry the namespace. */
export function collectionPath(kind: Kind, namespace: string): string {
  const scoped = kind.scope === 'Namespaced' && namespace !== ''
  if (scoped && leavesPath(namespace))
    throw new Error(
      `${JSON.stringify(namespace)} cannot name a namespace: a name without / and % was expected`,
    )
  const home = scoped ? `/namespaces/${encodeURIComponent(namespace)}` : ''
  return `${groupVersionPath(kind)}${home}/${kind.plural}`
}

/**
 * The path of one object, or of a subresource of it. `fallback` is the namespace of a namespaced key that names none.
 * Throws when the key has no name, or a name that no path can carry.
 */
export function objectPath(
  kind: Kind,
  key: ObjectKey,
  fallback: string,
  subresource?: string,
): string {
  if (!key.name || leavesPath(key.name)) {
    throw new Error(
      `${JSON.stringify(key.name ?? '')} cannot name a ${kind.kind}: a name is needed, without / and %`,
    )
  }
  const collection = collectionPath(kind, key.namespace || fallback)
  if (subresource?.split('/').some((it) => it === '.' || it === '..'))
    throw new Error(`${JSON.stringify(subresource)} is no subresource of a ${kind.kind}`)
  const sub = subresource ? `/${subresource}` : ''
  return `${collection}/${encodeURIComponent(key.name)}${sub}`
}

/** Whether a segment would be another place than it says: URLs resolve dots, and servers decode percents and slashes. */
const leavesPath = (segment: string): boolean =>
  segment === '.' || segment === '..' || /[/%]/.test(segment)

/** A key, or its text. */
export const toKey = (key: ObjectKey | string): ObjectKey =>
  typeof key === 'string' ? parseKey(key) : key

/** Query parameters; undefined, empty and false ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** `?a=1&b=2`, or nothing. */
export function queryText(query: Query | undefined): string {
  if (!query) return ''
  let text = ''
  for (const name in query) {
    const value = query[name]
    if (value === undefined || value === '' || value === false) continue
    text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`
  }
  return text
}
