import type { ManagedFieldsEntry, UnknownObject } from 'kubewright/machinery'
import told from './data/managed-fields.json' with { type: 'json' }

type Entry = Omit<ManagedFieldsEntry, 'time'>

const BY_KEY: ReadonlyMap<string, readonly Entry[]> = new Map(
  (
    told as unknown as readonly { keys: readonly string[]; managedFields: readonly Entry[] }[]
  ).flatMap(({ keys, managedFields }) => keys.map((key) => [key, managedFields] as const)),
)

/** Whatever the address is, its owners are those of the one that is known. */
const ADDRESS = /^networking\.k8s\.io\/ipaddresses\/\/.*/
const SAMPLE = 'networking.k8s.io/ipaddresses//10.0.0.1'

/** Gives an object the owners of the one that a server begins with under a storage key; of what nobody told, none. */
export function withOwners(key: string, object: UnknownObject, time: string): UnknownObject {
  const entries = BY_KEY.get(key) ?? BY_KEY.get(key.replace(ADDRESS, SAMPLE))
  if (entries === undefined) return object
  const managedFields = entries.map((it) => withTime(it, time))
  return { ...object, metadata: { ...object.metadata, managedFields } }
}

/** The time stands between the version and the fields, where Go writes it. */
const withTime = (entry: Entry, time: string): ManagedFieldsEntry => {
  const { fieldsType, fieldsV1, subresource, ...rest } = entry
  return {
    ...rest,
    time,
    fieldsType,
    fieldsV1,
    ...(subresource === undefined ? {} : { subresource }),
  } as ManagedFieldsEntry
}
