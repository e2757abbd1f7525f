import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import {
  isConflict,
  isNotFound,
  type Kind,
  type KubeObject,
  type ObjectKey,
} from 'kubewright/machinery'
import { msOf } from '../behaviour/rule.ts'
import { fnv32a } from '../container/fnv.ts'
import type { Stage, StageNext } from './stage.ts'

/** In which stage an object is, and until when. */
interface Turn {
  readonly uid: string
  readonly stage: Stage | undefined
  readonly due: number
  /** How many stages it has been through: what is drawn depends on it. */
  readonly count: number
}

/** The controllers that take objects from stage to stage, one for each kind. What is drawn depends on uids alone, so that runs repeat. */
export function stageControllers(stages: readonly Stage[]): readonly ControllerDefinition[] {
  const kinds = new Map(stages.map((it) => [nameOf(it.kind), it.kind]))
  return [...kinds].map(([name, kind]) =>
    stageController(
      kind,
      stages.filter((it) => nameOf(it.kind) === name),
    ),
  )
}

const nameOf = ({ group, version, kind }: Kind): string => `${group}/${version}/${kind}`

function stageController(kind: Kind, stages: readonly Stage[]): ControllerDefinition {
  const turns = new Map<string, Turn>()
  const name = `stages of ${kind.plural}`
  return controller(kind, { name, pace: false, resync: 0, maxConcurrent: 20 }).reconcileKey(
    async (key, context) => {
      const text = `${key.namespace ?? ''}/${key.name}`
      const object = context.lister(kind).get(key)
      if (!object) return void turns.delete(text)
      const now = context.clock.now()
      const turn = turnOf(turns.get(text), object, stages, now)
      turns.set(text, turn)
      if (!turn.stage) return undefined
      if (turn.due > now) return { requeueAfter: turn.due - now }
      turns.set(text, { ...turn, stage: undefined, count: turn.count + 1 })
      await become(kind, key, object, turn.stage.next(object, now), context)
      return { requeueAfter: 1 }
    },
  )
}

/** An object stays in its stage as long as that holds; else one is drawn for it. */
function turnOf(
  before: Turn | undefined,
  object: KubeObject,
  stages: readonly Stage[],
  now: number,
): Turn {
  const uid = object.metadata.uid ?? ''
  const count = before?.uid === uid ? before.count : 0
  if (before?.uid === uid && before.stage?.when(object)) return before
  const stage = drawn(
    stages.filter((it) => it.when(object)),
    chance(`${uid}/stage/${count}`),
  )
  if (!stage) return { uid, stage, due: now, count }
  const jitter = msOf(stage.jitter ?? 0) * chance(`${uid}/${stage.name}/${count}`)
  return { uid, stage, due: now + msOf(stage.after ?? 0) + Math.round(jitter), count }
}

/** A number in [0, 1) made of a text. */
const chance = (text: string): number => fnv32a(text) / 2 ** 32

function drawn(stages: readonly Stage[], at: number): Stage | undefined {
  let left = at * stages.reduce((sum, it) => sum + (it.weight ?? 1), 0)
  return stages.find((it) => (left -= it.weight ?? 1) < 0) ?? stages.at(-1)
}

async function become(
  kind: Kind,
  key: ObjectKey,
  object: KubeObject,
  { status, metadata, event, delete: isDeleted }: StageNext,
  { client, events }: KeyContext,
): Promise<void> {
  const { uid } = object.metadata
  if (event) events.record({ kind, object }, event.type, event.reason, event.message)
  const as = { fieldOwner: 'stages' }
  try {
    if (metadata) {
      const body = { metadata: { ...metadata, uid } }
      await client.patch(kind, key, { type: 'merge', body }, as)
    }
    if (status) {
      const body = { metadata: { uid }, status }
      await client.patch(kind, key, { type: 'merge', body }, { ...as, subresource: 'status' })
    }
    if (isDeleted) await client.delete(kind, key, { gracePeriodSeconds: 0, ...(uid && { uid }) })
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}
