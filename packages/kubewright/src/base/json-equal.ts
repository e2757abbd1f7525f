/** Deep equality of JSON values; the order of members does not matter, the order of items does. An absent member is not a null one. */
export function jsonEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || !left || !right) return false
  if (Array.isArray(left)) return Array.isArray(right) && itemsEqual(left, right)
  return !Array.isArray(right) && membersEqual(left as Members, right as Members)
}

type Members = Readonly<Record<string, unknown>>

function itemsEqual(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, i) => jsonEqual(item, right[i]))
}

function membersEqual(left: Members, right: Members): boolean {
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every((key) => Object.hasOwn(right, key) && jsonEqual(left[key], right[key]))
}
