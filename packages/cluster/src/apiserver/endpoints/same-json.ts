/** Whether two JSON values are equal; a member that is undefined counts as absent, the order of members does not count. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((it, i) => sameJson(it, b[i]))
  }
  if (Array.isArray(b)) return false
  return sameMembers(a as Members, b as Members)
}

type Members = Readonly<Record<string, unknown>>

function sameMembers(a: Members, b: Members): boolean {
  for (const key in a) if (a[key] !== undefined && !sameJson(a[key], own(b, key))) return false
  for (const key in b) if (b[key] !== undefined && own(a, key) === undefined) return false
  return true
}

/** A member's own value: one called `constructor` is absent where nobody gave it. */
const own = (object: Members, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined
