import type { JsonObject, JsonValue } from '../patch/json.ts'
import { isJsonObject, member } from '../patch/json.ts'
import { PatchError } from '../patch/patch-error.ts'
import { capUpdateManagers } from './cap-managers.ts'
import type { ConflictReport } from './conflict-report.ts'
import { reportConflicts } from './conflict-report.ts'
import type { Converting, TypedValue, TypeLookup } from './conversion.ts'
import type { FieldFilter } from './field-filter.ts'
import type { FieldSet } from './field-set.ts'
import { difference, fieldSetOf, hasPath, sameSet, union } from './field-set.ts'
import type { FieldsV1Codec } from './fields-v1.ts'
import { createFieldsV1Codec } from './fields-v1.ts'
import {
  kubectlManager,
  lastAppliedOf,
  ownedByLastApplied,
  withLastApplied,
} from './last-applied.ts'
import type { Managed } from './managed-fields.ts'
import {
  decodeManagedFields,
  emptyManaged,
  encodeEntry,
  encodeManagedFields,
  managedFieldsOf,
  withManagedFields,
} from './managed-fields.ts'
import type { ManagerOperation } from './manager-identity.ts'
import { managerId } from './manager-identity.ts'
import type { ManagedSet, Managers } from './managers.ts'
import { fieldPath } from './path-element.ts'
import { ShapeMemo, shapeOf } from './shape.ts'
import type { ApplyOutcome, ConflictRule, UpdateRules } from './updater.ts'
import { applyConfiguration, updateOwnership } from './updater.ts'
import type { DuplicateRule } from './validate.ts'
import { printIssues, validateType } from './validate.ts'

/** The place at which requests arrive: a kind at a version, or a subresource of it. */
export interface FieldManagerScope {
  /** `apps/v1`, `v1` */
  readonly apiVersion: string
  readonly kind: string
  /** Absent for the main resource. A subresource's requests cannot set managedFields themselves. */
  readonly subresource?: string
  /** The types of the kind at every version it is served at; undefined for versions it is not. */
  readonly typeOf: TypeLookup
  /** By version: what requests here may not own. */
  readonly resetFields?: ReadonlyMap<string, FieldFilter>
  /**
   * What an object of the kind is before anything is set; default `{apiVersion, kind}`, as it is for custom
   * resources. Go's built-in types begin with more (`emptyObject`), which then counts as set by no one.
   */
  readonly emptyObject?: JsonObject
}

/** A create, an update, or a patch that is not an apply, after it has been merged. */
export interface TrackUpdate {
  /** What is stored; undefined for a create. */
  readonly live: JsonObject | undefined
  readonly next: JsonObject
  /** `managerName(options.fieldManager, userAgent)` */
  readonly manager: string
  /** Now, RFC 3339 in whole seconds UTC. */
  readonly time: string
}

/** The object to store. */
export interface TrackedUpdate {
  readonly object: JsonObject
  /** Why ownership could not be worked out; the object then has no managedFields. Worth a log line. */
  readonly problem?: Error
}

/** A server-side apply. */
export interface ApplyRequest {
  /** What is stored; undefined when there is nothing by that name. */
  readonly live: JsonObject | undefined
  readonly applied: JsonObject
  /** The request's fieldManager; it must not be empty. */
  readonly manager: string
  readonly force: boolean
  /** Now, RFC 3339 in whole seconds UTC. */
  readonly time: string
}

/** The merged object, not yet defaulted or validated; or the fields that others own, to be answered with a 409. */
export type ApplyResult =
  | { readonly kind: 'applied'; readonly object: JsonObject }
  | { readonly kind: 'conflict'; readonly report: ConflictReport }

/**
 * Keeps `metadata.managedFields` for one scope. It remembers the sets it has read and written by identity, so keep
 * it as long as the kind is served. Run what it returns with `runConverting`, or with `runConvertingAsync` when
 * versions are converted by a webhook. Source: apimachinery pkg/util/managedfields.
 */
export interface FieldManager {
  /** Called once per attempt, before admission. Never throws: what goes wrong is the result's `problem`. */
  update(request: TrackUpdate): Converting<TrackedUpdate>
  /** @throws PatchError BadRequest or Internal, with Kubernetes' message; what a conversion throws. */
  apply(request: ApplyRequest): Converting<ApplyResult>
}

/** A field manager for a scope. */
export function createFieldManager(scope: FieldManagerScope): FieldManager {
  return new ScopedFieldManager(scope)
}

/** Fields that belong to no one. */
const unowned: FieldSet = fieldSetOf(
  fieldPath('apiVersion'),
  fieldPath('kind'),
  fieldPath('metadata'),
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => fieldPath('metadata', name)),
)

/** Stands for the manager of a request until it is clear whether it changed anything. */
const currentOperation = 'current-operation'

class ScopedFieldManager implements FieldManager {
  readonly #scope: FieldManagerScope
  readonly #rules: UpdateRules
  readonly #empty: JsonObject
  readonly #codec: FieldsV1Codec = createFieldsV1Codec()
  readonly #newborn = new ShapeMemo<ManagedSet>()

  constructor(scope: FieldManagerScope) {
    const { apiVersion, kind, typeOf, resetFields } = scope
    this.#scope = scope
    this.#rules = { typeOf, ...(resetFields && { filters: resetFields }) }
    this.#empty = scope.emptyObject ?? { apiVersion, kind }
  }

  *update(request: TrackUpdate): Converting<TrackedUpdate> {
    const { live = this.#empty, next, manager, time } = request
    const managed = this.#managedOf(live, next)
    const bare = withManagedFields(next, undefined)
    // Whoever has no managedFields chose to be without: only a new object begins to be tracked.
    if (managed.managers.size === 0 && isStored(live)) return { object: bare }
    try {
      const isNew = request.live === undefined && managed.managers.size === 0
      if (isNew) return { object: yield* this.#trackNew(bare, manager, time) }
      const tracked = yield* this.#track(live, bare, managed, manager, time)
      return { object: this.#withManaged(bare, tracked, managed) }
    } catch (error) {
      return { object: bare, problem: error as Error }
    }
  }

  *apply(request: ApplyRequest): Converting<ApplyResult> {
    const { applied, manager } = request
    this.#checkApplied(applied)
    const stored = request.live ?? { apiVersion: this.#scope.apiVersion, kind: this.#scope.kind }
    const before = this.#decodeStored(stored)
    const live = withManagedFields(stored, undefined)
    const managed =
      before.managers.size > 0 ? before : yield* this.#trackExisting(request, live, before)
    const outcome = yield* this.#applyOrTakeOver(request, live, managed)
    if (outcome.kind === 'conflicts')
      return { kind: 'conflict', report: reportConflicts(outcome.conflicts) }
    const object = this.#finishApply(request, live, managed, outcome)
    const isCarried = manager === kubectlManager && lastAppliedOf(object) !== undefined
    return { kind: 'applied', object: isCarried ? withLastApplied(object, applied) : object }
  }

  /** Takes the request's entries if it sets any that can be read, else the stored ones. */
  #managedOf(live: JsonObject, next: JsonObject): Managed {
    const stored = managedFieldsOf(live) ?? []
    if (this.#scope.subresource) return this.#decodeOrEmpty(stored)
    const given = managedFieldsOf(next)
    if (given && isReset(given)) return emptyManaged
    const managed = given ? this.#decodeOrEmpty(given) : emptyManaged
    return managed.managers.size > 0 ? managed : this.#decodeOrEmpty(stored)
  }

  #decodeOrEmpty(entries: readonly JsonValue[]): Managed {
    try {
      return decodeManagedFields(entries, this.#codec)
    } catch {
      return emptyManaged
    }
  }

  #decodeStored(live: JsonObject): Managed {
    try {
      return decodeManagedFields(managedFieldsOf(live) ?? [], this.#codec)
    } catch (error) {
      throw internal(`failed to decode managed fields: ${(error as Error).message}`)
    }
  }

  /** Of a new object the manager owns what is set, which its shape alone decides. */
  *#trackNew(next: JsonObject, name: string, time: string): Converting<JsonObject> {
    const type = this.#typeOf(this.#scope.apiVersion)
    const shape = shapeOf(type, next)
    const known = shape === undefined ? undefined : this.#newborn.get(type, shape)
    if (known) return withManagedFields(next, [this.#entryOf(name, known, time)])
    const tracked = yield* this.#track(this.#empty, next, emptyManaged, name, time)
    const owned = tracked.managers.get(this.#identify(name, 'Update'))
    if (shape !== undefined && owned) this.#newborn.set(type, shape, owned)
    return this.#withManaged(next, tracked, emptyManaged)
  }

  #entryOf(name: string, owned: ManagedSet, time: string): JsonObject {
    const { subresource = '' } = this.#scope
    const identity = { manager: name || 'unknown', operation: 'Update', subresource } as const
    return encodeEntry(identity, owned, time, this.#codec)
  }

  *#track(
    live: JsonObject,
    next: JsonObject,
    managed: Managed,
    name: string,
    time: string,
  ): Converting<Managed> {
    const after = this.#convertible('new', next)
    const before = this.#convertible('live', withManagedFields(live, undefined))
    const managers = new Map(
      yield* updateOwnership(this.#rules, before, after, managed.managers, currentOperation),
    )
    strip(managers, currentOperation)
    const gained = managers.get(currentOperation)
    if (!gained) return capUpdateManagers({ managers, times: managed.times })
    managers.delete(currentOperation)
    const id = this.#identify(name, 'Update')
    const set = union(gained.set, managers.get(id)?.set ?? new Map())
    managers.set(id, { ...gained, set })
    return capUpdateManagers({ managers, times: new Map(managed.times).set(id, time) })
  }

  /** What an object had before it was first applied to belongs to a manager of its own. */
  *#trackExisting(request: ApplyRequest, live: JsonObject, managed: Managed): Converting<Managed> {
    if (!request.live) return managed
    try {
      return yield* this.#track(this.#empty, live, managed, 'before-first-apply', request.time)
    } catch (error) {
      const why = (error as Error).message
      throw internal(`failed to create manager for existing fields: ${why}`)
    }
  }

  *#applyOrTakeOver(
    request: ApplyRequest,
    live: JsonObject,
    managed: Managed,
  ): Converting<ApplyOutcome> {
    const rule = request.force ? 'force' : 'report'
    const outcome = yield* this.#merge(request, live, managed, rule)
    if (outcome.kind !== 'conflicts' || request.manager !== kubectlManager) return outcome
    const { apiVersion } = this.#scope
    const owned = ownedByLastApplied(live, apiVersion, this.#typeOf(apiVersion))
    if (!owned) return outcome
    const conflicts = outcome.conflicts.filter((conflict) => !hasPath(owned, conflict.path))
    if (conflicts.length > 0) return { kind: 'conflicts', conflicts }
    return yield* this.#merge(request, live, managed, 'force')
  }

  *#merge(
    request: ApplyRequest,
    live: JsonObject,
    managed: Managed,
    rule: ConflictRule,
  ): Converting<ApplyOutcome> {
    const applied = this.#typedFor(
      'create typed patch object',
      request.applied,
      'forbid duplicates',
    )
    const before = this.#typedFor('create typed live object', live, 'allow duplicates')
    const id = this.#identify(request.manager, 'Apply')
    return yield* applyConfiguration(this.#rules, before, applied, managed.managers, id, rule)
  }

  #finishApply(
    request: ApplyRequest,
    live: JsonObject,
    managed: Managed,
    outcome: Extract<ApplyOutcome, { kind: 'merged' }>,
  ): JsonObject {
    const id = this.#identify(request.manager, 'Apply')
    const managers = new Map(outcome.managers)
    strip(managers, id)
    const times = outcome.value ? new Map(managed.times).set(id, request.time) : managed.times
    const value = outcome.value?.value ?? live
    if (!isJsonObject(value))
      throw internal('failed to convert value to unstructured: not an object')
    return this.#withManaged(value, { managers, times }, managed)
  }

  #checkApplied(applied: JsonObject): void {
    const { apiVersion, kind } = this.#scope
    if (member(applied, 'apiVersion') !== apiVersion || member(applied, 'kind') !== kind)
      throw new PatchError('BadRequest', `invalid object type: ${printKind(applied)}`)
    if (managedFieldsOf(applied))
      throw new PatchError('BadRequest', 'metadata.managedFields must be nil')
  }

  #identify(manager: string, operation: ManagerOperation): string {
    const { apiVersion, subresource = '' } = this.#scope
    return managerId({ manager: manager || 'unknown', operation, apiVersion, subresource })
  }

  #typeOf(version: string): TypedValue['type'] {
    const type = this.#rules.typeOf(version)
    if (type) return type
    throw internal(
      `no corresponding type for ${printKind({ apiVersion: version, kind: this.#scope.kind })}`,
    )
  }

  #typed(value: JsonObject, duplicates: DuplicateRule): TypedValue {
    const version = this.#scope.apiVersion
    const type = this.#typeOf(version)
    const issues = validateType(type, value, duplicates)
    if (issues.length > 0) throw new Error(printIssues(issues))
    return { value, version, type }
  }

  /** A whole object on one side of an update; what it says where it cannot be typed goes to whoever first applies. */
  #convertible(side: 'new' | 'live', value: JsonObject): TypedValue {
    try {
      return this.#typed(value, 'allow duplicates')
    } catch (error) {
      const why = (error as Error).message
      throw new Error(
        `failed to convert ${side} object (${printName(value)}) to smd typed: ${why}`,
        {
          cause: error,
        },
      )
    }
  }

  #typedFor(purpose: string, value: JsonObject, duplicates: DuplicateRule): TypedValue {
    try {
      return this.#typed(value, duplicates)
    } catch (error) {
      if (error instanceof PatchError) throw error
      throw internal(`failed to ${purpose} (${printName(value)}): ${(error as Error).message}`)
    }
  }

  #withManaged(object: JsonObject, managed: Managed, before: Managed): JsonObject {
    const { times } = managed
    const managers = asBefore(managed.managers, before.managers)
    return withManagedFields(object, encodeManagedFields({ managers, times }, this.#codec))
  }
}

/** Whoever owns what he owned before has the very set that he had, which need not be written out again. */
function asBefore(managers: Managers, before: Managers): Managers {
  let known: Map<string, ManagedSet> | undefined
  for (const [id, owned] of managers) {
    const set = before.get(id)?.set
    if (set && set !== owned.set && sameSet(set, owned.set))
      (known ??= new Map(managers)).set(id, { ...owned, set })
  }
  return known ?? managers
}

/** An empty list, or one empty entry, asks for managedFields to be cleared. */
function isReset(entries: readonly JsonValue[]): boolean {
  const [first] = entries
  if (entries.length !== 1) return entries.length === 0
  return isJsonObject(first) && Object.keys(first).length === 0
}

function isStored(live: JsonObject): boolean {
  const metadata = member(live, 'metadata')
  const uid = isJsonObject(metadata) ? member(metadata, 'uid') : undefined
  return typeof uid === 'string' && uid !== ''
}

function strip(managers: Map<string, ManagedSet>, id: string): void {
  const owned = managers.get(id)
  if (!owned) return
  const set = difference(owned.set, unowned)
  if (set.size === 0) managers.delete(id)
  else managers.set(id, { ...owned, set })
}

/** `default/web; apps/v1, Kind=Deployment` */
function printName(object: JsonObject): string {
  const metadata = member(object, 'metadata')
  const textOf = (key: string): string => {
    const value = isJsonObject(metadata) ? member(metadata, key) : undefined
    return typeof value === 'string' ? value : ''
  }
  return `${textOf('namespace')}/${textOf('name')}; ${printKind(object)}`
}

/** `apps/v1, Kind=Deployment`; the core group has an empty name: `/v1, Kind=Pod`. */
function printKind(object: JsonObject): string {
  const text = (name: string): string => {
    const value = member(object, name)
    return typeof value === 'string' ? value : ''
  }
  const apiVersion = text('apiVersion')
  const groupVersion = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
  return `${groupVersion}, Kind=${text('kind')}`
}

function internal(message: string): PatchError {
  return new PatchError('Internal', message)
}
