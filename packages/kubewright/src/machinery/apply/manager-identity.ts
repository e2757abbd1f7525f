import { quoteGo } from '../patch/go-format.ts'

/** How a manager came to own fields. */
export type ManagerOperation = 'Apply' | 'Update'

/** What tells one entry of managedFields from another. */
export interface ManagerIdentity {
  readonly manager: string
  readonly operation: ManagerOperation
  /** Part of the identity of updates only: whoever applies stays the same manager at every version. */
  readonly apiVersion: string
  readonly subresource: string
}

/** The most bytes that a field manager's name may have. */
export const maxFieldManagerLength = 128

/** The identity as one string; equal identities give equal strings. */
export function managerId({
  manager,
  operation,
  apiVersion,
  subresource,
}: ManagerIdentity): string {
  return JSON.stringify({
    ...(manager !== '' && { manager }),
    operation,
    ...(operation === 'Update' && apiVersion !== '' && { apiVersion }),
    ...(subresource !== '' && { subresource }),
  })
}

/** Reads what `managerId` wrote. */
export function parseManagerId(id: string): ManagerIdentity {
  const fields = JSON.parse(id) as Partial<ManagerIdentity>
  return { manager: '', operation: 'Update', apiVersion: '', subresource: '', ...fields }
}

/** A manager as conflict messages name it: `"x" with subresource "status" using apps/v1`. */
export function printManager(id: string): string {
  const { manager, operation, apiVersion, subresource } = parseManagerId(id)
  const within = subresource === '' ? '' : ` with subresource ${quoteGo(subresource)}`
  const using = operation === 'Update' ? ` using ${apiVersion}` : ''
  return quoteGo(manager) + within + using
}

/**
 * The name that a request's changes are recorded under: the fieldManager it gives, or else the printable part of
 * its user agent up to the first slash, at most 128 bytes. Source: apiserver endpoints/handlers/create.go.
 */
export function managerName(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') return fieldManager
  let name = ''
  let bytes = 0
  for (const char of userAgent.split('/')[0] ?? '') {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char)) continue
    bytes += Buffer.byteLength(char)
    if (bytes > maxFieldManagerLength) break
    name += char
  }
  return name
}
