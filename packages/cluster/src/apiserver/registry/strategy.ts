import type { Clock, Random } from 'kubewright/base'
import type { FieldError, ReplicasPaths, UnknownObject } from 'kubewright/machinery'
import type { ServiceNetworks } from './core/service-addresses.ts'
import type { ResourceInfo } from '../resources/resource.ts'

/** An object on its way through a pipeline: the request owns it and may change it in place. What is stored is frozen. */
export type Mutable<T = UnknownObject> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [K in keyof T]: Mutable<T[K]> }
    : T

/** A draft whose fields are looked at freely: built-in kinds are checked by schema before any strategy sees them. */
export type Draft = { metadata: Mutable<UnknownObject['metadata']> } & Record<string, unknown>

/** What a strategy may know of the request, and the only ways it may look around. Nothing here writes. */
export interface StrategyContext {
  readonly clock: Clock
  readonly random: Random
  readonly resource: ResourceInfo
  readonly namespace: string
  readonly dryRun: boolean
  readonly user: {
    readonly name: string
    readonly groups: readonly string[]
    readonly uid?: string
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
  /** Reads another stored object by its storage key (`/serviceaccounts`), or undefined. The object is frozen. */
  readonly find: (
    storageKey: string,
    namespace: string,
    name: string,
  ) => Promise<UnknownObject | undefined>
  /** Reads all stored objects under a storage key, in one namespace or in all (empty). */
  readonly all: (storageKey: string, namespace: string) => Promise<readonly UnknownObject[]>
  /** Which addresses and ports services may have. Default: IPv4, and the ports 30000 to 32767. */
  readonly networks?: ServiceNetworks
  /** Adds a Warning header (299) to the answer. */
  readonly warn: (text: string) => void
  /** Adds an annotation to the audit event of the request; the first of a key stays. */
  readonly annotate?: (key: string, value: string) => void
}

/**
 * What is special about one kind, or one subresource of it, in the order in which the pipeline asks (apiserver/pkg/registry/rest
 * create.go, update.go, delete.go). A hook that is absent does nothing. Hooks change `object` in place and never `old`; they are
 * called once per attempt, so a conflict calls them again on a fresh copy.
 */
export interface Strategy {
  /**
   * Fills in what the kind's defaulting functions fill in (kubernetes/pkg/apis/<group>/<version>/defaults.go). Idempotent. The clock is
   * there where a request is under way, for the few defaults that tell when it came.
   */
  readonly applyDefaults?: (object: Draft, clock?: Clock) => void
  /** Before a create is validated: drop status, set generation, allocate. */
  readonly prepareForCreate?: (object: Draft, context: StrategyContext) => void | Promise<void>
  readonly validate?: (
    object: Draft,
    context: StrategyContext,
  ) => readonly FieldError[] | Promise<readonly FieldError[]>
  /** Before an update is validated: keep what this (sub)resource may not change, count the generation. */
  readonly prepareForUpdate?: (
    object: Draft,
    old: UnknownObject,
    context: StrategyContext,
  ) => void | Promise<void>
  readonly validateUpdate?: (
    object: Draft,
    old: UnknownObject,
    context: StrategyContext,
  ) => readonly FieldError[] | Promise<readonly FieldError[]>
  /** After validation, before the write: bring the object into its canonical form. */
  readonly canonicalize?: (object: Draft) => void
  /** What reading it back makes of an object that is stored, because defaults come to it only then; what an update removes is not read. */
  readonly reread?: (object: Draft) => void
  readonly warningsOnCreate?: (object: Draft, context: StrategyContext) => readonly string[]
  readonly warningsOnUpdate?: (
    object: Draft,
    old: UnknownObject,
    context: StrategyContext,
  ) => readonly string[]
  /**
   * Whether an object as it was created lies there otherwise than it is read, because defaults come to it only then: its first update
   * is a change though nothing was changed. Default: no.
   */
  readonly unsettled?: (object: UnknownObject) => boolean
  /** PUT of an absent object creates it (Lease, Endpoints, Event …). Default false. */
  readonly allowCreateOnUpdate?: boolean
  /** Of a subresource: an apply through it makes the object where there is none, by the rules of the whole. Default false. */
  readonly createsOnApply?: boolean
  /** PUT without a resourceVersion is taken (most kinds). Default true. */
  readonly allowUnconditionalUpdate?: boolean
  /** Whether metadata.generation is counted, and by which change. Default: none is kept. */
  readonly generation?: 'none' | 'spec'
  /**
   * Seconds of grace that a delete gives, where `asked` is its own gracePeriodSeconds; undefined deletes at once. Only pods have it.
   */
  readonly gracePeriod?: (object: UnknownObject, asked: number | undefined) => number | undefined
  /**
   * Whether an object that is being deleted may go once metadata.finalizers is empty; absent means yes. A namespace waits for its
   * spec.finalizers.
   */
  readonly finalized?: (object: UnknownObject) => boolean
  /** Changes an object that its first DELETE marks and that stays for its finalizers: a namespace's phase becomes Terminating. */
  readonly terminate?: (object: Draft) => void
  /** A DELETE that removes answers with the object instead of a Status (pods, services …). Default false. */
  readonly returnsDeleted?: boolean
  /** What a delete does when no propagation policy is given. Default Background. */
  readonly defaultPropagation?: 'Background' | 'Orphan' | 'Foreground'
  /** A delete leaves the finalizers for dependents alone, whatever it asks for: nothing depends on such objects. Default false. */
  readonly ignoresPropagation?: boolean
  /** What a delete that names no propagation policy is warned of. */
  readonly warningOnDelete?: string
  /** Field paths (as in managedFields: `f:status`) that a write through this (sub)resource cannot own. */
  readonly resetFields?: readonly (readonly string[])[]
  /** Names a subresource's own strategy, for one that is another view of the same object: `status`, `approval`, `finalize` … */
  readonly subresources?: Readonly<Record<string, Strategy>>
  /** Subresources whose body is of another kind than the object's: `scale`, `eviction`, `binding`, `token` … */
  readonly projections?: Readonly<Record<string, Projection>>
  readonly actions?: Readonly<Record<string, Action>>
  /** Answers a POST of a kind that is never stored (reviews): the filled-in object. */
  readonly review?: (object: Draft, context: StrategyContext) => Promise<UnknownObject>
  /** Field selectors beyond metadata.name and metadata.namespace: label → value of an object. */
  readonly selectableFields?: Readonly<Record<string, (object: UnknownObject) => string>>
  /** Checks metadata.name; a sentence per problem. Default: DNS-1123 subdomain. */
  readonly validateName?: (name: string, prefix: boolean) => readonly string[]
}

/**
 * A subresource that shows a part of an object as one of another kind, and writes that part back (`scale`): GET shows it; PUT and
 * PATCH write it into a copy of the object, which then goes through the object's own update.
 */
export interface Projection {
  /** The object seen through the subresource, metadata and all; throws an ApiError where it cannot be seen. */
  readonly read: (object: UnknownObject) => UnknownObject
  /** The same as what a write starts from. Default: `read`. */
  readonly readForWrite?: (object: UnknownObject) => UnknownObject
  /** The same as validating admission sees it, before and after a write. Default: `read`. */
  readonly readForReview?: (object: UnknownObject) => UnknownObject
  /** What is wrong with the written body (its own defaults filled in first). */
  readonly validate: (body: Draft, context: StrategyContext) => readonly FieldError[]
  /** Carries the body into the object's copy; throws an ApiError where it cannot. */
  readonly write: (object: Draft, body: Draft) => void
  /** Whether a uid in the body must be the object's. */
  readonly checksUid: boolean
  /** Where the replica count is, by apiVersion: whoever owns it there owns it in the body, and the other way round. */
  readonly replicasPaths: ReplicasPaths
}

/** A subresource that takes only POST (`eviction`, `binding`, `token`): does it, and answers with the body of the answer. */
export interface Action {
  /** What is wrong with the body for the object of a name, before anybody looks whether it is there: throws an ApiError. */
  readonly check?: (body: Draft, name: string) => void
  /** Fills in what the body left out, before admission sees it. */
  readonly applyDefaults?: (body: Draft) => void
  readonly run: (
    object: UnknownObject,
    body: Draft,
    context: ActionContext,
    options: UnknownObject,
  ) => Promise<UnknownObject>
}

/** What an {@link Action} may do besides looking around. */
export interface ActionContext extends StrategyContext {
  /** Changes the object at hand, again on a fresh copy after a conflict; the change throws an ApiError to refuse. */
  readonly update: (
    storageKey: string,
    namespace: string,
    name: string,
    change: (object: Draft) => void,
  ) => Promise<UnknownObject>
  /** Deletes the object at hand as DELETE with these DeleteOptions would, but asks no admission; answers what DELETE answers. */
  readonly remove: (
    storageKey: string,
    namespace: string,
    name: string,
    options: UnknownObject,
  ) => Promise<UnknownObject>
  readonly tokens: TokenIssuer
  /** As whom the request writes fields (managedFields). */
  readonly manager: string
}

/** Who issues the tokens of service accounts, and by which rules. */
export interface TokenIssuer {
  readonly issuer: string
  /** Whom a token is for where nobody says. */
  readonly audiences: readonly string[]
  /** The longest life of a token, in seconds; 0: as long as asked. */
  readonly maxSeconds: number
  /** Whether a pod's token for this server lives a year where it asks for 3607 seconds. */
  readonly extendExpiration: boolean
  /** Signs a token with these claims (`sub`, `aud`, `exp` … in seconds since the epoch). */
  readonly sign: (claims: Readonly<Record<string, unknown>>) => Promise<string>
}
