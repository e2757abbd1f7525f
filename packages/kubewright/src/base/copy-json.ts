/** A copy of a JSON value that shares nothing with it; many times as fast as structuredClone, which knows more than JSON. */
export function copyJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as unknown[]).map(copyJson) as T
  const from = value as Readonly<Record<string, unknown>>
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(from)) {
    if (key === '__proto__')
      Object.defineProperty(copy, key, { ...MEMBER, value: copyJson(from[key]) })
    else copy[key] = copyJson(from[key])
  }
  return copy as T
}

/** A member of that name cannot be assigned. */
const MEMBER = { enumerable: true, configurable: true, writable: true } as const
