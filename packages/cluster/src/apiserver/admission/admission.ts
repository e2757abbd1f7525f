import type { GroupVersionKind, UnknownObject } from 'kubewright/machinery'
import type { Draft, StrategyContext } from '../registry/strategy.ts'

/** What admission judges (apiserver/pkg/admission Attributes). `object` is absent on delete, `old` on create. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly subresource: string
  readonly name: string
  readonly object?: Draft
  readonly old?: UnknownObject
  readonly options: UnknownObject
  readonly context: StrategyContext
  /** The kind of `object` where that is not the resource's own: the Scale, the Eviction, the PodExecOptions of a subresource. */
  readonly kind?: GroupVersionKind
  /** Which round of mutating admission this is; set by the chain. */
  readonly round?: AdmissionRound
  /** When the request has run out of time, in milliseconds since 1970. Default: it has as long as it takes. */
  readonly deadline?: number
  /**
   * Writes another stored object, if it still is what was seen (a frozen object out of the context); answers whether it did. Absent
   * in a dry run, and where nothing may be written.
   */
  readonly replace?: (
    storageKey: string,
    seen: UnknownObject,
    next: UnknownObject,
  ) => Promise<boolean>
}

/**
 * What plugins that may have to run twice tell the chain, and keep for themselves from one round to the next
 * (apiserver/pkg/admission ReinvocationContext).
 */
export interface AdmissionRound {
  /** Whether all plugins have run before. */
  readonly again: boolean
  /** Asks for a second round. Without effect in that one. */
  readonly ask: () => void
  /** What plugins keep, by their names. */
  readonly kept: Map<string, unknown>
}

/**
 * One admission plugin. `admit` may change the object in place and runs before validation, `validate` may only refuse and runs
 * after; both refuse by throwing an ApiError. `handles` keeps it off requests that it has no say in.
 */
export interface AdmissionPlugin {
  readonly name: string
  readonly handles: (request: AdmissionRequest) => boolean
  readonly admit?: (request: AdmissionRequest) => void | Promise<void>
  readonly validate?: (request: AdmissionRequest) => void | Promise<void>
}
