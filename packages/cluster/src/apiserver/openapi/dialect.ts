import { definitionName, META_V1, REF_PREFIX, type KindName } from '../resources/builtins.ts'

/** Where the documents of built-in and of custom resources differ. */
export interface Dialect {
  readonly custom: boolean
  /** Media types of an answer, and of one that may be a watch. */
  readonly answers: readonly string[]
  readonly streams: readonly string[]
  /** Media types of a body, and of a patch. */
  readonly bodies: readonly string[]
  readonly patches: readonly string[]
}

const JSON_TYPES = ['application/json', 'application/yaml'] as const

export const BUILTIN: Dialect = Object.freeze({
  custom: false,
  answers: ['application/json', 'application/vnd.kubernetes.protobuf', 'application/yaml'],
  streams: [
    'application/json',
    'application/json;stream=watch',
    'application/vnd.kubernetes.protobuf',
    'application/vnd.kubernetes.protobuf;stream=watch',
    'application/yaml',
  ],
  bodies: ['*/*'],
  patches: [
    'application/apply-patch+yaml',
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/strategic-merge-patch+json',
  ],
})

export const CUSTOM: Dialect = Object.freeze({
  custom: true,
  answers: JSON_TYPES,
  streams: JSON_TYPES,
  bodies: JSON_TYPES,
  patches: BUILTIN.patches.filter((it) => !it.includes('strategic')),
})

/** A schema of OpenAPI v3, as it stands in a document. */
export type Schema = Readonly<Record<string, unknown>>

/** `{ $ref: … }` to a definition by its full name. */
export const refTo = (name: string): Schema => ({ $ref: `${REF_PREFIX}${name}` })

/** `{ $ref: … }` to a kind of meta/v1. */
export const metaRef = (kind: string): Schema => refTo(`${META_V1}.${kind}`)

/** The name of a kind's definition: that of a custom kind is its group turned round (`com.example.v1.Widget`). */
export function kindDefinition(kind: KindName): string {
  const builtin = definitionName(kind)
  if (builtin !== undefined) return builtin
  const home = kind.group.split('.').toReversed().join('.')
  return `${home}.${kind.version}.${kind.kind}`
}
