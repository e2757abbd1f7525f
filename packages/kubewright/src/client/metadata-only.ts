import type { Kind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'

/** A kind of which only `metadata` is fetched (meta/v1 PartialObjectMetadata): less to send, less to keep. */
export interface MetadataKind extends Kind {
  readonly metadataOnly: true
}

/** The metadata-only view of a kind. Reads through it give `{ metadata }`; writing through it is an ordinary write. */
export function metadataOf(kind: Kind): MetadataKind {
  const { group, version, kind: name, plural, scope } = kind
  return Object.freeze({ group, version, kind: name, plural, scope, metadataOnly: true })
}

/** Whether a token asks for metadata only. */
export function isMetadataOnly(kind: Kind): kind is MetadataKind {
  return (kind as Partial<MetadataKind>).metadataOnly === true
}

/** The media types to ask for. */
export function acceptOf<T extends KubeObject>(
  kind: Kind<T>,
  form: 'one' | 'list' = 'one',
): string {
  if (!isMetadataOnly(kind)) return 'application/json'
  const as = form === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata'
  return `application/json;as=${as};g=meta.k8s.io;v=v1,application/json`
}
