import { createHash } from 'node:crypto'

/** The name of a document's content as kube-apiserver forms it: SHA-512 in upper-case hexadecimal. */
export function contentHash(body: string | Uint8Array): string {
  return createHash('sha512').update(body).digest('hex').toUpperCase()
}

/** The ETag header of a document with that content. */
export function etagOf(body: string | Uint8Array): string {
  return `"${contentHash(body)}"`
}

/** Whether an If-None-Match header names that ETag, so that 304 and no body is the answer (RFC 9110, section 13.1.2). */
export function matchesEtag(ifNoneMatch: string | null | undefined, etag: string): boolean {
  if (!ifNoneMatch) return false
  const tags = ifNoneMatch.split(',').map((it) => it.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}
