import { deepFreeze, parseExact, stringifyExact } from 'kubewright/base'
import type { UnknownObject } from 'kubewright/machinery'
import { type Change, type Storage, StorageFailure, type Stored } from '../storage/storage.ts'
import type { EncryptionRule } from './configuration.ts'
import { identity, type Transformer } from './transformer.ts'

/** What lies in the store in the place of an object that is encrypted. */
interface Sealed extends UnknownObject {
  readonly sealed: string
}

/**
 * A store that keeps some resources encrypted; what comes out of it is as it went in. A value that none of the providers of its resource can
 * read is a {@link StorageFailure} in the words of kube-apiserver. What was read is remembered as long as it stands. The rules may change meanwhile: `current` tells those of the moment.
 */
export function encryptedStorage(
  storage: Storage,
  current: () => readonly EncryptionRule[],
): Storage {
  const opened = new WeakMap<Stored, Stored>()
  const open = (stored: Stored): Stored => {
    const transformers = transformersOf(current(), stored.key)
    const { sealed } = stored.object as Partial<Sealed>
    if (transformers === undefined && sealed === undefined) return stored
    let found = opened.get(stored)
    if (!found) opened.set(stored, (found = unsealed(stored, transformers ?? [identity])))
    return found
  }
  const maybe = (stored: Stored | undefined): Stored | undefined => stored && open(stored)
  return {
    get revision() {
      return storage.revision
    },
    get compacted() {
      return storage.compacted
    },
    get: async (key) => maybe(await storage.get(key)),
    list: async (range) => {
      const page = await storage.list(range)
      return { ...page, items: page.items.map(open) }
    },
    compareAndSwap: async (key, expected, next) => {
      const [writer] = transformersOf(current(), key) ?? []
      const sealed = next && writer && writer !== identity ? seal(next, writer, key) : next
      const swap = await storage.compareAndSwap(key, expected, sealed)
      if (!swap.ok) return { ok: false, current: maybe(swap.current) }
      // The store owns what it was given from here on, and puts the version into it.
      if (next && sealed !== next)
        (next.metadata as { resourceVersion?: string }).resourceVersion = String(swap.revision)
      return { ...swap, stored: open(swap.stored) }
    },
    watch: (prefix, after, signal, fellBehind) =>
      mapped(storage.watch(prefix, after, signal, fellBehind), (change) => ({
        ...change,
        stored: open(change.stored),
        previous: maybe(change.previous),
      })),
    compact: (revision) => storage.compact(revision),
    snapshot: () => {
      const { revision, items } = storage.snapshot()
      return { revision, items: items.map(open) }
    },
    close: () => storage.close(),
  }
}

/** The providers of the resource of a key; undefined where it is not encrypted. */
function transformersOf(
  rules: readonly EncryptionRule[],
  key: string,
): readonly Transformer[] | undefined {
  const [group = '', plural = ''] = key.split('/', 2)
  return rules.find((it) => it.matches(group, plural))?.transformers
}

function seal(object: UnknownObject, writer: Transformer, key: string): UnknownObject {
  walk(object)
  return { metadata: {}, sealed: writer.encrypt(stringifyExact(object), key) } as Sealed
}

/** Throws the RangeError of an object that is nested too deep for whoever reads it later, while it can still be refused. */
function walk(value: unknown): void {
  if (typeof value === 'object' && value !== null) for (const it of Object.values(value)) walk(it)
}

function unsealed(stored: Stored, transformers: readonly Transformer[]): Stored {
  const { key, revision, isFirst } = stored
  const { sealed } = stored.object as Partial<Sealed>
  const data = sealed ?? stored.json
  const text = readWith(transformers, data, key)
  if (sealed === undefined) return stored
  const object = parseExact(text) as UnknownObject
  ;(object.metadata as { resourceVersion?: string }).resourceVersion = String(revision)
  const json = stringifyExact(object)
  const { labels } = object.metadata
  return { key, revision, object: deepFreeze(object), labels, json, isFirst }
}

function readWith(transformers: readonly Transformer[], data: string, key: string): string {
  const place = `unable to transform key ${JSON.stringify(`/registry/${key.replace(/^\//, '')}`)}`
  const able = transformers.filter((it) => data.startsWith(it.prefix))
  if (able.length === 0) throw new StorageFailure(`${place}: no matching prefix found`)
  const errors: string[] = []
  for (const it of able) {
    try {
      return it.decrypt(data, key)
    } catch (error) {
      errors.push((error as Error).message)
    }
  }
  throw new StorageFailure(
    `${place}: ${errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`}`,
  )
}

async function* mapped(
  changes: AsyncIterable<Change>,
  map: (change: Change) => Change,
): AsyncGenerator<Change> {
  for await (const change of changes) yield map(change)
}
