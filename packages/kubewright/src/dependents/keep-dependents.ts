import { millisecondsOf } from '../base/duration.ts'
import { controller } from '../controller/builder.ts'
import type { Context } from '../controller/context.ts'
import type { ControllerDefinition, ControllerOptions } from '../controller/definition.ts'
import type { Result } from '../controller/outcome.ts'
import { condition, type Condition, type ConditionDraft } from '../machinery/condition.ts'
import type { Kind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import { summary } from '../machinery/summary.ts'
import { placeOf, type Dependent, type Dependents } from './dependent.ts'
import { keeperOf, type Keeper, type Kept } from './keeper.ts'
import { inOrder } from './order.ts'

/** A parent: its status holds conditions. */
export interface Parent extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] }
}

/** How a parent's dependents are kept. */
export interface KeepOptions<T extends Parent> extends ControllerOptions {
  /** What else the status says, from the results of the dependents by their names. */
  readonly status?: (parent: T, results: Readonly<Record<string, unknown>>) => object
  /** The finalizer of parents whose dependents must go in order. Default: `<group>/dependents`, where there is need of one. */
  readonly finalizer?: string
}

/**
 * Makes a controller of what a parent should have: dependents as functions of it. Each is applied when those it comes after are ready,
 * as many at once as that allows; what is no longer wanted is deleted; when the parent goes, they go in the opposite order. Each is told
 * of in a condition (`<Name>Ready`), and all together in `Ready`; one that fails does not hold up what does not come after it.
 */
export function keepDependents<T extends Parent>(
  kind: Kind<T>,
  dependents: Dependents<T>,
  options: KeepOptions<T> = {},
): ControllerDefinition {
  const { status, finalizer = `${kind.group}/dependents`, ...rest } = options
  const names = Object.entries(dependents)
  const order = inOrder(
    Object.fromEntries(names.map(([name, it]) => [name, placeOf(it).after ?? []])),
  )
  const keepers = new Map(names.map(([name, it]) => [name, keeperOf(name, it)]))
  const plan: Plan<T> = { order, dependents, keepers }
  const kinds = new Map(
    names.flatMap(([, it]) =>
      it.type === 'object' ? [[`${it.kind.group}/${it.kind.plural}`, it.kind] as const] : [],
    ),
  )
  let builder = controller(kind, rest)
  for (const it of kinds.values()) builder = builder.owns(it)
  if (needsFinalizer(dependents))
    builder = builder.finalize(finalizer, (parent, context) => release(plan, parent, context))
  return builder.reconcile(async (parent, context) => {
    const kept = await keep(plan, parent, context)
    const results = Object.fromEntries([...kept].map(([name, it]) => [name, it.result]))
    const conditions = [...kept].map(([name, it]) => conditionOf(name, it))
    const said = status?.(parent, results) ?? {}
    const whole = [...conditions, summary('Ready', conditions)]
    await context.status({ ...said, conditions: whole } as never)
    const [failed] = [...kept.values()].filter((it) => it.error !== undefined)
    if (failed) throw failed.error
    return nextLook(dependents)
  })
}

interface Plan<T extends KubeObject> {
  readonly order: readonly string[]
  readonly dependents: Dependents<T>
  readonly keepers: ReadonlyMap<string, Keeper<T>>
}

/** Whether deletion has an order, or something to do outside; what else is owned, Kubernetes collects. */
function needsFinalizer<T extends KubeObject>(dependents: Dependents<T>): boolean {
  return Object.values(dependents).some(
    (it) => it.type === 'external' || (it.options.after?.length ?? 0) > 0,
  )
}

/** Brings all dependents to what they should be: each begins when those before it have come to an end, whatever it is. */
async function keep<T extends KubeObject>(
  { order, dependents, keepers }: Plan<T>,
  parent: T,
  context: Context<T>,
): Promise<ReadonlyMap<string, Kept>> {
  const kept = new Map<string, Kept>()
  const results: Record<string, unknown> = {}
  const working = new Map<string, Promise<void>>()
  const one = async (name: string): Promise<void> => {
    const { after = [], when } = placeOf(dependents[name]!)
    await Promise.all(after.map((it) => working.get(it)))
    const keeper = keepers.get(name)!
    const waitsFor = after.filter((it) => !kept.get(it)?.ready)
    const absent = when && !when(parent)
    const it = absent
      ? await guarded(() => keeper.remove(parent, context))
      : waitsFor.length > 0
        ? await guarded(() => keeper.wait(parent, context, waitsFor))
        : await guarded(() => keeper.keep(parent, context, { ...results }))
    kept.set(name, it)
    results[name] = it.result
  }
  for (const name of order) working.set(name, one(name))
  await Promise.all(working.values())
  return new Map(Object.keys(dependents).map((name) => [name, kept.get(name)!]))
}

async function guarded(work: () => Promise<Kept>): Promise<Kept> {
  try {
    return await work()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { ready: false, reason: 'Failed', message, result: undefined, error }
  }
}

/** The parent is being deleted: what came last goes first, and what it came after only when it is gone. */
async function release<T extends KubeObject>(
  { order, dependents, keepers }: Plan<T>,
  parent: T,
  context: Context<T>,
): Promise<Result | undefined> {
  const gone = new Set<string>()
  let waits = false
  for (const name of order.toReversed()) {
    const later = Object.entries(dependents).filter(([, it]) => placeOf(it).after?.includes(name))
    if (later.some(([it]) => !gone.has(it))) {
      waits = true
      continue
    }
    const kept = await keepers.get(name)!.remove(parent, context)
    if (kept.gone) gone.add(name)
    else waits = true
  }
  return waits ? { requeueAfter: LOOK_AGAIN } : undefined
}

/** How soon to look again at what is going, ms: its events come sooner. */
const LOOK_AGAIN = 5_000

function nextLook<T extends KubeObject>(dependents: Dependents<T>): Result | undefined {
  const waits = Object.values(dependents).flatMap((it: Dependent<T>) =>
    it.type === 'external' && it.external.every !== undefined
      ? [millisecondsOf(it.external.every)]
      : [],
  )
  return waits.length > 0 ? { requeueAfter: Math.min(...waits) } : undefined
}

function conditionOf(name: string, { ready, reason, message }: Kept): ConditionDraft {
  const type = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Ready`
  return condition(type, ready, reason, message)
}
