import { goPrint } from './go-print.ts'

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

/** Maps each character onto an alphabet that spells no words (util/rand SafeEncodeString). */
export function safeEncode(text: string): string {
  return [...text].map((it) => ALPHABET[it.charCodeAt(0) % ALPHABET.length]).join('')
}

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

const encoded = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The 32-bit FNV-1a hash of a text's UTF-8 bytes (Go's hash/fnv New32a). */
export const fnv32a = (text: string): number => fnv32aOf(encoded(text))

function fnv32aOf(bytes: Uint8Array): number {
  let hash = FNV_OFFSET
  for (const byte of bytes) hash = Math.imul(hash ^ byte, FNV_PRIME)
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

/** The 32-bit FNV-1 hash of a text's UTF-8 bytes (Go's hash/fnv New32). */
export function fnv32(text: string): number {
  let hash = FNV_OFFSET
  for (const byte of encoded(text)) hash = Math.imul(hash, FNV_PRIME) ^ byte
  return hash >>> 0
}

const FNV128_OFFSET = 0x6c62272e07bb014262b821756295c58dn
const FNV128_PRIME = 0x1000000000000000000013bn

/** The 128-bit FNV-1a hash of a text's UTF-8 bytes (Go's hash/fnv New128a). */
export function fnv128a(text: string): bigint {
  let hash = FNV128_OFFSET
  for (const byte of encoded(text)) hash = BigInt.asUintN(128, (hash ^ BigInt(byte)) * FNV128_PRIME)
  return hash
}

/**
 * The name of a template's content, as Kubernetes gives it: a hash of Go's own print of the struct (kubernetes/pkg/controller
 * ComputeHash), eight to ten safe characters. `collisions` makes another one of the same template.
 */
export function templateHash(template: unknown, collisions?: number): string {
  const count = Uint8Array.from({ length: 8 }, (_, at) =>
    at < 4 ? ((collisions ?? 0) >>> (8 * at)) & 255 : 0,
  )
  const bytes = encoded(goPrint('v1.PodTemplateSpec', template))
  const hashed = collisions === undefined ? bytes : Uint8Array.of(...bytes, ...count)
  return safeEncode(String(fnv32aOf(hashed)))
}
