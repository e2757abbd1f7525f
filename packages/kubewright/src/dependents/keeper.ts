import { OWNER_INDEX } from '../controller/make-context.ts'
import type { Context } from '../controller/context.ts'
import type { Draft } from '../machinery/contracts.ts'
import type { Kind } from '../machinery/kind.ts'
import { progressOf } from '../machinery/kstatus.ts'
import { keyOf } from '../machinery/object-key.ts'
import type { KubeObject } from '../machinery/object.ts'
import { isNotFound } from '../machinery/status.ts'
import type { Dependent, DependentOptions, External, Results } from './dependent.ts'

/** What came of keeping one dependent. */
export interface Kept {
  readonly ready: boolean
  readonly reason: string
  readonly message: string
  readonly result: unknown
  /** It was to go, and nothing of it is left. */
  readonly gone?: boolean
  readonly error?: unknown
}

/** Keeps one dependent of any parent of a kind. */
export interface Keeper<T extends KubeObject> {
  /** Brings it to what it should be. */
  keep(parent: T, context: Context<T>, results: Results): Promise<Kept>
  /** What it comes after is not ready: it stays as it is. */
  wait(parent: T, context: Context<T>, waitsFor: readonly string[]): Promise<Kept>
  /** It should not be. */
  remove(parent: T, context: Context<T>): Promise<Kept>
}

/** The label that says which dependent of its parent an object is: two dependents may be of one kind. */
export const DEPENDENT_LABEL = 'kubewright.dev/dependent'

/** The {@link Keeper} of a dependent. */
export function keeperOf<T extends KubeObject>(name: string, it: Dependent<T>): Keeper<T> {
  return it.type === 'object'
    ? objectKeeper(name, it.kind, it.desired, it.many, it.options)
    : externalKeeper(it.external)
}

function objectKeeper<T extends KubeObject>(
  name: string,
  kind: Kind,
  desired: (parent: T, results: Results) => readonly Draft<KubeObject>[],
  many: boolean,
  options: DependentOptions<T, KubeObject>,
): Keeper<T> {
  const { ready: isReady, deleted = () => false } = options
  const present = (parent: T, { lister }: Context<T>): readonly KubeObject[] =>
    lister(kind)
      .byIndex(OWNER_INDEX, parent.metadata.uid ?? '')
      .filter((it) => it.metadata.labels?.[DEPENDENT_LABEL] === name)
  const resultOf = (all: readonly KubeObject[]): unknown => (many ? all : all[0])
  return {
    async keep(parent, context, results) {
      const drafts = desired(parent, results).map((it) => named(it, parent, name))
      const all = await Promise.all(drafts.map((it) => context.apply(kind, it as never)))
      const wanted = new Set(all.map((it) => it.metadata.uid))
      const surplus = present(parent, context).filter((it) => !wanted.has(it.metadata.uid))
      await Promise.all(surplus.map((it) => remove(kind, it, context)))
      const not = all.flatMap((it) => notReady(kind, it, parent, isReady))
      const result = resultOf(all)
      if (not.length > 0)
        return { ready: false, reason: 'NotReady', message: not.join('; '), result }
      const message = many ? `${all.length} as they should be` : ''
      return {
        ready: true,
        reason: all.length > 0 || many ? 'Ready' : 'NotWanted',
        message,
        result,
      }
    },
    async wait(parent, context, waitsFor) {
      const message = `waits for ${waitsFor.join(', ')}`
      return {
        ready: false,
        reason: 'Waiting',
        message,
        result: resultOf(present(parent, context)),
      }
    },
    async remove(parent, context) {
      const left = present(parent, context).filter((it) => !deleted(it, parent))
      await Promise.all(left.map((it) => remove(kind, it, context)))
      const still = present(parent, context).filter((it) => !deleted(it, parent)).length
      return still === 0
        ? { ready: true, reason: 'NotWanted', message: '', result: undefined, gone: true }
        : { ready: false, reason: 'Deleting', message: `${still} left`, result: undefined }
    },
  }
}

function named<T extends KubeObject>(
  draft: Draft<KubeObject>,
  parent: T,
  dependent: string,
): Draft<KubeObject> {
  const { name, labels, ...metadata } = (draft.metadata ?? {}) as KubeObject['metadata']
  return {
    ...draft,
    metadata: {
      ...metadata,
      name: name ?? parent.metadata.name,
      labels: { ...labels, [DEPENDENT_LABEL]: dependent },
    },
  } as Draft<KubeObject>
}

async function remove<T extends KubeObject>(
  kind: Kind,
  object: KubeObject,
  { client }: Context<T>,
): Promise<void> {
  if (object.metadata.deletionTimestamp) return
  const { uid = '' } = object.metadata
  try {
    await client.delete(kind, keyOf(object), { uid })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

function notReady<T extends KubeObject>(
  kind: Kind,
  object: KubeObject,
  parent: T,
  isReady: DependentOptions<T, KubeObject>['ready'],
): readonly string[] {
  const name = `${kind.kind} ${object.metadata.name ?? ''}`
  if (isReady) {
    const answer = isReady(object, parent)
    return answer === true ? [] : [`${name}: ${answer === false ? 'not ready' : answer}`]
  }
  const { status, message } = progressOf({ ...object, kind: kind.kind } as KubeObject)
  return status === 'Current' ? [] : [`${name}: ${message}`]
}

function externalKeeper<T extends KubeObject>(it: External<T, unknown>): Keeper<T> {
  const judge = (actual: unknown, parent: T): Kept => {
    const answer = it.ready?.(actual, parent) ?? true
    if (answer === true) return { ready: true, reason: 'Ready', message: '', result: actual }
    const message = answer === false ? 'not ready' : answer
    return { ready: false, reason: 'NotReady', message, result: actual }
  }
  return {
    async keep(parent, context, results) {
      const actual = await it.read(parent, context)
      if (actual === undefined) return judge(await it.create(parent, context, results), parent)
      const same = it.matches?.(actual, parent, results) ?? true
      if (same || !it.update) return judge(actual, parent)
      return judge(await it.update(actual, parent, context, results), parent)
    },
    async wait(parent, context, waitsFor) {
      const message = `waits for ${waitsFor.join(', ')}`
      return { ready: false, reason: 'Waiting', message, result: await it.read(parent, context) }
    },
    async remove(parent, context) {
      const gone = { ready: true, reason: 'NotWanted', message: '', result: undefined, gone: true }
      const actual = await it.read(parent, context)
      if (actual === undefined) return gone
      await it.delete(actual, parent, context)
      return (await it.read(parent, context)) === undefined
        ? gone
        : { ready: false, reason: 'Deleting', message: 'it is still there', result: undefined }
    },
  }
}
