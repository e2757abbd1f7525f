import { createHash } from 'node:crypto'
import { storedAs } from '../resources/builtins.ts'
import type { ResourceInfo } from '../resources/resource.ts'

/**
 * The `storageVersionHash` of a resource (apiserver/pkg/endpoints/discovery StorageVersionHash): eight bytes of SHA-256 over the
 * group, version and kind it is stored as, in base64. Undefined for a resource that stores nothing.
 */
export function storageVersionHash(info: ResourceInfo): string | undefined {
  const stored = info.custom ? `${info.group}/${info.storageVersion}/${info.kind}` : storedAs(info)
  if (stored === undefined) return undefined
  return createHash('sha256').update(stored).digest().subarray(0, 8).toString('base64')
}
