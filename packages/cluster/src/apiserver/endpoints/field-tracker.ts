import { type Clock, copyJson } from 'kubewright/base'
import {
  ApiError,
  type ApplyResult,
  type Convert,
  createFieldManager,
  excludeFields,
  failure,
  type FieldManager,
  type FieldManagerScope,
  type FieldPath,
  fieldPath,
  fieldSetOf,
  type JsonObject,
  PatchError,
  runConverting,
  type UnknownObject,
  timeText,
} from 'kubewright/machinery'
import type { Draft, Strategy } from '../registry/strategy.ts'
import { patchFailure } from './patch-dialects.ts'
import type { FieldTracker } from './served.ts'

/** What a tracker needs to know of a kind, lazily: most kinds are never written. */
export type TrackedKind = () => Pick<
  FieldManagerScope,
  'apiVersion' | 'kind' | 'typeOf' | 'emptyObject'
> & {
  /** In which versions what a strategy resets cannot be owned. Default: the kind's own. */
  readonly versions?: readonly string[]
}

/** Makes the {@link FieldTracker} of a kind: one field manager for the resource, and one for each subresource that writes. */
export function fieldTracker(
  kind: TrackedKind,
  strategy: Strategy,
  convert: Convert,
  clock: Clock,
): FieldTracker {
  const managers = new Map<string, FieldManager>()
  const managerFor = (subresource: string): FieldManager => {
    let found = managers.get(subresource)
    if (!found) managers.set(subresource, (found = make(kind(), strategy, subresource)))
    return found
  }
  return {
    update(live, next, manager, subresource) {
      const { object } = runConverting(
        managerFor(subresource).update({
          live: live as JsonObject | undefined,
          next: next as unknown as JsonObject,
          manager,
          time: timeText(clock.now()),
        }),
        convert,
      )
      setManagedFields(next, object)
    },
    apply: (live, applied, manager, force, subresource) =>
      merged(() =>
        runConverting(
          managerFor(subresource).apply({
            live: live as JsonObject | undefined,
            applied: applied as JsonObject,
            manager,
            force,
            time: timeText(clock.now()),
          }),
          convert,
        ),
      ),
    type: () => {
      const { apiVersion, typeOf } = kind()
      return typeOf(apiVersion)
    },
  }
}

function make(
  { versions, ...kind }: ReturnType<TrackedKind>,
  strategy: Strategy,
  subresource: string,
): FieldManager {
  const own = subresource === '' ? strategy : strategy.subresources?.[subresource]
  const reset = own?.resetFields ?? []
  const paths = reset.map(pathOf)
  const filter = excludeFields(fieldSetOf(...paths))
  return createFieldManager({
    ...kind,
    ...(subresource === '' ? {} : { subresource }),
    ...(paths.length > 0
      ? { resetFields: new Map((versions ?? [kind.apiVersion]).map((it) => [it, filter])) }
      : {}),
  })
}

/** A path as strategies write it, `['f:metadata', 'f:labels']`. */
const pathOf = (path: readonly string[]): FieldPath =>
  fieldPath(...path.map((it) => it.replace(/^f:/, '')))

function setManagedFields(next: Draft, tracked: JsonObject): void {
  const { managedFields } = (tracked as unknown as UnknownObject).metadata
  if (managedFields === undefined) delete next.metadata.managedFields
  else
    next.metadata.managedFields = managedFields as NonNullable<typeof next.metadata.managedFields>
}

/** The merged object, as a copy that may be changed. */
function merged(run: () => ApplyResult): Draft {
  const result = refusing(run)
  if (result.kind === 'applied') return copyOf(result.object)
  const { message, causes } = result.report
  throw new ApiError(failure(409, 'Conflict', message, { causes }))
}

/** What is owned is not copied: nobody changes it in place, and the sets of those who own it are known by it. */
function copyOf(object: JsonObject): Draft {
  const { metadata, ...rest } = object as unknown as UnknownObject
  const { managedFields, ...meta } = metadata
  const copy = copyJson({ ...rest, metadata: meta }) as Draft
  if (managedFields) copy.metadata.managedFields = managedFields as Managed
  return copy
}

type Managed = NonNullable<Draft['metadata']['managedFields']>

function refusing(run: () => ApplyResult): ApplyResult {
  try {
    return run()
  } catch (error) {
    if (error instanceof PatchError) throw patchFailure(error)
    throw error
  }
}
