/** Freezes a JSON value and all in it; stops at what is frozen already. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const key in value) deepFreeze(value[key])
  return value
}
