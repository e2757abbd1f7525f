import type { KubeObject, ManagedFieldsEntry } from '../machinery/object.ts'
import { parseFieldSelector } from '../machinery/selector/field-selector.ts'
import { parseLabelSelector } from '../machinery/selector/parse-label-selector.ts'

/** The namespaces that carry labels now: some come, others go, while it runs. */
export interface NamespaceSelector {
  readonly labelSelector: string
}

/** Which objects an informer mirrors, and how. */
export interface InformerSelection<T extends KubeObject = KubeObject> {
  /** Default: all. One reflector each. */
  readonly namespaces?: readonly string[] | NamespaceSelector
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Changes each object before it is stored: to drop what nobody reads. Keep name, namespace, uid and resourceVersion. */
  readonly transform?: (object: T) => T
  /**
   * Whose managed fields are kept: of these managers only (default: of nobody, or of the manager's controllers where a manager runs
   * the cache), or `all`.
   */
  readonly managedFields?: readonly string[] | 'all'
  /** How many objects are kept ready to use; the others are kept as text, which takes a fraction of the room. Default 1,024. */
  readonly parsed?: number
}

/** Whether an object would be in a list by the informer's selectors. */
export function selects(
  options: Pick<InformerSelection, 'labelSelector' | 'fieldSelector'>,
): (object: KubeObject) => boolean {
  const labels = options.labelSelector ? parseLabelSelector(options.labelSelector) : undefined
  const fields = options.fieldSelector ? parseFieldSelector(options.fieldSelector) : undefined
  return (object) =>
    (!labels || labels.matches(object.metadata.labels)) &&
    (!fields || fields.matches((field) => fieldOf(object, field)))
}

/** The value of a field that a server selects by: they are named for their paths (`spec.nodeName`), and absent ones are empty. */
function fieldOf(object: KubeObject, field: string): string {
  const value = field
    .split('.')
    .reduce<unknown>((it, name) => (it as Record<string, unknown> | undefined)?.[name], object)
  return value === undefined || value === null ? '' : String(value)
}

/** A transform that drops `metadata.managedFields`, often a third of an object. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  return withManagedFieldsOf([])(object)
}

/** A transform that keeps the managed fields of some managers only. */
export function withManagedFieldsOf(
  managers: readonly string[] | 'all',
): <T extends KubeObject>(object: T) => T {
  if (managers === 'all') return (object) => object
  return (object) => {
    const { managedFields, ...metadata } = object.metadata
    if (!managedFields) return object
    const kept = managedFields.filter((it: ManagedFieldsEntry) =>
      managers.includes(it.manager ?? ''),
    )
    if (kept.length === managedFields.length) return object
    return {
      ...object,
      metadata: kept.length > 0 ? { ...metadata, managedFields: kept } : metadata,
    }
  }
}

/**
 * A transform that keeps the named fields of an object beside its metadata: `onlyFields('spec.nodeName', 'status.phase')`. What is kept of a
 * list is the whole list. A write of what such a cache shows must be an apply or a patch: an update would drop the rest.
 */
export function onlyFields(...paths: readonly string[]): <T extends KubeObject>(object: T) => T {
  const all = paths.map((it) => it.replace(/^\./, '').split('.'))
  return (object) => {
    const { apiVersion, kind, metadata } = object
    const kept: Record<string, unknown> = {
      ...(apiVersion === undefined ? {} : { apiVersion }),
      ...(kind === undefined ? {} : { kind }),
      metadata,
    }
    for (const path of all) copyAt(object as unknown as Record<string, unknown>, kept, path)
    return kept as unknown as typeof object
  }
}

function copyAt(
  from: Readonly<Record<string, unknown>>,
  into: Record<string, unknown>,
  [name = '', ...rest]: readonly string[],
): void {
  const value = from[name]
  if (value === undefined) return
  const deeper = rest.length > 0 && typeof value === 'object' && value !== null
  if (rest.length > 0 && (!deeper || Array.isArray(value))) return
  if (!deeper) {
    into[name] = value
    return
  }
  const inner = { ...(into[name] as Record<string, unknown> | undefined) }
  copyAt(value as Readonly<Record<string, unknown>>, inner, rest)
  into[name] = inner
}
