/** A kind as the generator knows it: an object that is accepted, and values that its fields may well have. */
export interface KindModel {
  /** `/api/v1`, `/apis/apps/v1`; several where it is served in several versions. */
  readonly bases: readonly string[]
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
  /** Besides metadata. */
  readonly object: Readonly<Record<string, unknown>>
  /** Paths (`spec.containers.0.image`) with values that are as good as any; `undefined` takes the field away. */
  readonly fields: readonly (readonly [string, ...unknown[]])[]
  /** Fields of status, for writes through `status`. */
  readonly status?: readonly (readonly [string, ...unknown[]])[]
  readonly scale?: boolean
  /** Subresources of its own: `POST eviction`, the type of the body (empty for JSON), and bodies, in which `{name}` is the object's. */
  readonly actions?: readonly (readonly [ask: string, type: string, ...bodies: unknown[]])[]
  /** Field selectors that it takes, and one that it does not. */
  readonly selectors?: readonly string[]
  /** How often it is chosen. Default 1. */
  readonly weight?: number
}

/** The version of a base path: `apps/v1` of `/apis/apps/v1`. */
export const apiVersionOf = (base: string): string => base.replace(/^\/apis?\//, '')
