import type { UnknownObject } from 'kubewright/machinery'
import {
  type MetadataOptions,
  type SchemaNode,
  coerceEmbedded,
  conform,
  decodeMetadata,
} from 'kubewright/schema'
import type { Draft } from '../registry/strategy.ts'

/** An object as a version has it, and the paths of fields that were dropped because the version does not know them. */
export interface Decoded {
  readonly object: Draft
  readonly unknown: readonly string[]
}

/**
 * Reads the body of a write: decodes metadata, prunes, and fills in defaults, in one walk. Throws an Error with the decoder's sentence
 * (MetadataError, CoercionError) where metadata is of another type. The body is not changed; what it shares with the result must be
 * left alone. A body of another kind than `kind` keeps all that it has, and gets nothing.
 */
export function decodeCustom(
  root: SchemaNode,
  body: Readonly<Record<string, unknown>>,
  kind: unknown = body['kind'],
): Decoded {
  const unknown: string[] = []
  const metadata = decodeMetadata(body['metadata'] ?? {}, 'metadata', { unknown })
  // What says that it is of another kind is refused later: the schema is not its own.
  if (body['kind'] !== kind) return { object: { ...body, metadata: { ...metadata } }, unknown }
  const pruned: string[] = []
  const object = conform(root, { ...body, metadata }, { unknown: pruned, resource: true }) as Draft
  const embedded: string[] = []
  const coerced = coerceEmbedded(root, object, { unknown: embedded }) as Draft
  unknown.push(...pruned.sort(), ...embedded.sort())
  return { object: withOwnMetadata(coerced), unknown }
}

/** Steps below write to metadata, so it is not shared with the body. */
const withOwnMetadata = (object: Draft): Draft => ({ ...object, metadata: { ...object.metadata } })

/**
 * A stored object as the version in which it is stored has it today: fields that the schema has lost are gone, and defaults that it
 * has gained are in. The very same object where nothing differs.
 */
export function readStored(root: SchemaNode, object: UnknownObject): UnknownObject {
  return withReadMetadata(reshaped(root, object, true, { lenient: true }))
}

/** Metadata is read into its struct, which leaves out what is empty, as apply may have stored it. */
function withReadMetadata(object: UnknownObject): UnknownObject {
  const { metadata } = object
  const read = decodeMetadata(metadata, 'metadata', { lenient: true })
  return read === metadata ? object : ({ ...object, metadata: read } as UnknownObject)
}

/** A converted object as its new version has it; nothing is defaulted here. */
export function reshapeConverted(root: SchemaNode, object: UnknownObject): UnknownObject {
  return reshaped(root, object, false, {})
}

function reshaped(
  root: SchemaNode,
  object: UnknownObject,
  defaults: boolean,
  options: MetadataOptions,
): UnknownObject {
  return coerceEmbedded(
    root,
    conform(root, object, { defaults, resource: true }),
    options,
  ) as UnknownObject
}
