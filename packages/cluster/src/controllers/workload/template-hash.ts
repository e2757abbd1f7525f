const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

/** Maps each character onto an alphabet that spells no words (util/rand SafeEncodeString). */
export function safeEncode(text: string): string {
  return [...text].map((it) => ALPHABET[it.charCodeAt(0) % ALPHABET.length]).join('')
}

/** The 32-bit FNV-1a hash of a text's UTF-8 bytes (Go's hash/fnv New32a). */
export function fnv32a(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193)
  }
  return hash >>> 0
}

/** JSON with sorted keys, and without null, undefined and empty lists: equal meanings print equally. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(canonical(value)) ?? 'null'
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .filter(([, it]) => it !== undefined && it !== null && !(Array.isArray(it) && it.length === 0))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, it]): [string, unknown] => [key, canonical(it)])
  return Object.fromEntries(entries)
}

/**
 * The name of a template's content: 8 to 10 safe characters, the same for equal templates on every run. `collisions` makes another
 * one of the same template. Kubernetes hashes Go's own print of the struct, so its names differ from these; nothing compares them.
 */
export function templateHash(template: unknown, collisions?: number): string {
  const salt = collisions === undefined ? '' : `\n${collisions}`
  return safeEncode(String(fnv32a(canonicalJson(template) + salt)))
}
