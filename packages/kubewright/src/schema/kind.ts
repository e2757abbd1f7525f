import { type Kind, type Scope, parseApiVersion } from '../machinery/index.ts'
import { definitionOf } from './definition.ts'
import type { CustomResourceDefinition } from './custom-resource-definition.ts'
import type {
  CustomObject,
  KindDeclaration,
  Part,
  PartRead,
  PartWrite,
  StatusRead,
  VersionedKind,
} from './kind-declaration.ts'
import type { SchemaTypeError } from './schema.ts'

/**
 * The token of a declared kind. `T` is the object as the server sends it; `Spec` what an author must write to make a new one
 * (see {@link SpecOf}).
 */
export interface CustomKind<out T extends CustomObject<unknown, unknown>, out Spec = unknown>
  extends Kind<T>, VersionedKind {
  /** The definition, ready to be applied: a fresh plain object. */
  crd(): CustomResourceDefinition
  /** Never set: the type of a complete spec as written. */
  readonly '~spec'?: Spec
}

/** The complete spec of a kind as an author writes it: what has a default may be left out, what is required may not. */
export type SpecOf<K extends CustomKind<CustomObject<unknown, unknown>>> = Exclude<
  K['~spec'],
  undefined
>

type GroupedApiVersion<A extends string> = A extends `${string}.${string}/v${string}`
  ? A
  : SchemaTypeError<`${A}: a custom kind needs a group with a dot and a version, such as example.com/v1`>

/**
 * Declares a kind in one version: one declaration gives the TypeScript types and the CustomResourceDefinition.
 * Throws a sentence where a column, scale path or selectable field names nothing that is declared, or a name is not one.
 */
export function kind<
  const A extends string,
  Spec extends Part = Record<never, never>,
  Status extends Part = Record<never, never>,
>(
  apiVersion: A & GroupedApiVersion<A>,
  name: string,
  declaration: KindDeclaration<Spec, Status>,
): CustomKind<CustomObject<PartRead<Spec>, StatusRead<Status>>, PartWrite<Spec>> {
  const { group, version } = parseApiVersion(apiVersion)
  const scope: Scope = declaration.scope ?? 'Namespaced'
  const token = {
    group,
    version,
    kind: name,
    plural: declaration.plural ?? pluralOf(name.toLowerCase()),
    scope,
    declaration,
    crd: (): CustomResourceDefinition => definitionOf(token),
  }
  definitionOf(token)
  return Object.freeze(token)
}

/** The English plural of a lower-case word, as kubebuilder's defaults have it for regular nouns. */
export function pluralOf(word: string): string {
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`
}
