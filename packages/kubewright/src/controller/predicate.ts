import { jsonEqual, type JsonValue } from '../machinery/patch/json.ts'
import type { KubeObject } from '../machinery/object.ts'
import { parseLabelSelector } from '../machinery/selector/parse-label-selector.ts'
import type { LabelSelector } from '../machinery/selector/label-selector.ts'
import type { ChangeEvent } from './event.ts'

/** Whether an event is worth a look. Pure: called for every event, before any request is made of it. */
export type Predicate<in T extends KubeObject = KubeObject> = (event: ChangeEvent<T>) => boolean

const changed =
  (read: (object: KubeObject) => unknown): Predicate =>
  (event) =>
    event.type !== 'update' ||
    !jsonEqual(
      read(event.old) as JsonValue | undefined,
      read(event.object) as JsonValue | undefined,
    )

/**
 * Lets updates pass that changed `metadata.generation`: the spec, or the beginning of deletion. Changes of status, labels,
 * annotations and finalizers do not, and kinds without a generation never do.
 */
export const generationChanged: Predicate = changed((it) => it.metadata.generation)

/** Lets updates pass that changed labels. */
export const labelsChanged: Predicate = changed((it) => it.metadata.labels)

/** Lets updates pass that changed annotations. */
export const annotationsChanged: Predicate = changed((it) => it.metadata.annotations)

/** Lets updates pass that are no resync: the resourceVersion differs. */
export const resourceVersionChanged: Predicate = changed((it) => it.metadata.resourceVersion)

/** Lets events pass of objects that a label selector matches; of an update, before or after it. */
export function labelsMatch(selector: LabelSelector | string): Predicate {
  const parsed = typeof selector === 'string' ? parseLabelSelector(selector) : selector
  return (event) =>
    parsed.matches(event.object.metadata.labels) ||
    (event.type === 'update' && parsed.matches(event.old.metadata.labels))
}

/** Lets events pass of objects that `test` holds for; of an update, after it. */
export function objectsWhere<T extends KubeObject>(test: (object: T) => boolean): Predicate<T> {
  return (event) => test(event.object)
}

/** Lets pass what all of the predicates let pass. */
export function and<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.every((it) => it(event))
}

/** Lets pass what any of the predicates lets pass. */
export function or<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.some((it) => it(event))
}

/** Lets pass what the predicate does not. */
export function not<T extends KubeObject>(predicate: Predicate<T>): Predicate<T> {
  return (event) => !predicate(event)
}
