import type { Kind } from '../machinery/kind.ts'
import { localKey, parseKey, type ObjectKey } from '../machinery/object-key.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { FieldSelector } from '../machinery/selector/field-selector.ts'
import { parseFieldSelector } from '../machinery/selector/field-selector.ts'
import { parseLabelSelector } from '../machinery/selector/parse-label-selector.ts'
import type { LabelSelector } from '../machinery/selector/label-selector.ts'
import type { OwnWrites } from './own-writes.ts'
import type { Store } from './store.ts'

/** Which of a cache's objects. A selector may be given as text or ready made. */
export interface Selection {
  readonly namespace?: string | undefined
  readonly labelSelector?: LabelSelector | string | undefined
  /** `metadata.name`, `metadata.namespace`, and any field that an index is named for. */
  readonly fieldSelector?: FieldSelector | string | undefined
}

/**
 * Reads a synced cache at once, without waiting: never older than this process's own writes. What it returns is shared: readonly.
 */
export interface Lister<out T extends KubeObject = KubeObject> {
  readonly kind: Kind<T>
  readonly size: number
  get(key: ObjectKey | string): T | undefined
  /** Every object, of one namespace, by labels, by fields; in no particular order. */
  list(selection?: Selection): readonly T[]
  /** The objects that an index files under a value. */
  byIndex(index: string, value: string): readonly T[]
}

/** Makes the {@link Lister} over a store and the writes it has not seen yet. */
export function createLister<T extends KubeObject>(
  kind: Kind<T>,
  store: Store<T>,
  writes: OwnWrites<T>,
): Lister<T> {
  const merge = (found: Iterable<T>, belongs: (object: T) => boolean): readonly T[] => {
    if (writes.size === 0) return [...found]
    const merged = new Map<string, T>()
    for (const it of found) merged.set(placeOf(it), it)
    for (const key of writes.keys()) {
      const now = writes.resolve(key, store.get(key))
      const place = `${key.namespace ?? ''}/${key.name}`
      if (now && belongs(now)) merged.set(place, now)
      else merged.delete(place)
    }
    return [...merged.values()]
  }
  return {
    kind,
    get size() {
      return store.size
    },
    get(key) {
      const parsed = localKey(typeof key === 'string' ? parseKey(key) : key)
      return writes.resolve(parsed, store.get(parsed))
    },
    list(selection = {}) {
      const { namespace = '' } = selection
      const belongs = matcher(selection, store)
      const all = merge(
        candidates(selection, store),
        (it) => namespace === '' || it.metadata.namespace === namespace,
      )
      return belongs ? all.filter(belongs) : all
    },
    byIndex: (index, value) =>
      merge(store.byIndex(index, value), (it) => store.indexValues(index, it).includes(value)),
  }
}

/** What to look through: an index that the field selector names narrows it. */
function candidates<T extends KubeObject>(
  { namespace, fieldSelector }: Selection,
  store: Store<T>,
): Iterable<T> {
  const fields =
    typeof fieldSelector === 'string' ? parseFieldSelector(fieldSelector) : fieldSelector
  const term = fields?.terms.find((it) => it.equal && store.hasIndex(it.field))
  if (!term) return store.values(namespace)
  const found = store.byIndex(term.field, term.value)
  return namespace ? [...found].filter((it) => it.metadata.namespace === namespace) : found
}

const placeOf = ({ metadata: { namespace = '', name = '' } }: KubeObject): string =>
  `${namespace}/${name}`

function matcher<T extends KubeObject>(
  { labelSelector, fieldSelector }: Selection,
  store: Store<T>,
): ((object: T) => boolean) | undefined {
  const labels =
    typeof labelSelector === 'string' ? parseLabelSelector(labelSelector) : labelSelector
  const fields =
    typeof fieldSelector === 'string' ? parseFieldSelector(fieldSelector) : fieldSelector
  const byLabels = labels?.text === '' && labels.matches(undefined) ? undefined : labels
  if (!byLabels && !fields?.terms.length) return undefined
  return (object) =>
    (!byLabels || byLabels.matches(object.metadata.labels)) &&
    (!fields || matchesFields(fields, object, store))
}

function matchesFields<T extends KubeObject>(
  selector: FieldSelector,
  object: T,
  store: Store<T>,
): boolean {
  return selector.terms.every(({ field, equal, value }) => {
    if (field === 'metadata.name') return (object.metadata.name === value) === equal
    if (field === 'metadata.namespace')
      return ((object.metadata.namespace ?? '') === value) === equal
    return store.indexValues(field, object).includes(value) === equal
  })
}
