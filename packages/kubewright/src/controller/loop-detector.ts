import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Kind } from '../machinery/kind.ts'
import { keyOf, keyText, type ObjectKey } from '../machinery/object-key.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { JsonValue } from '../machinery/patch/json.ts'
import { firstDifference, type Applied } from './applied.ts'

/** A draft that is applied again because the object is no longer as the server had left it. */
export interface Fight {
  readonly key: ObjectKey
  /** What is applied to, as the applying remembers it. */
  readonly place: string
  readonly kind: Kind
  /** As somebody else left it. */
  readonly object: KubeObject
  readonly last: Applied
  readonly fieldOwner: string
  /** Reads the object with all its managed fields, which caches do not keep. */
  readonly owned: () => Promise<KubeObject | undefined>
}

/** A write that changed nothing. */
export interface UselessWrite {
  readonly key: ObjectKey
  readonly place: string
  readonly kind: Kind
  readonly object: KubeObject
  readonly draft: object
}

/** Notices writes that go round in circles, and says once which field it is and who else writes it. */
export interface LoopDetector {
  fought(fight: Fight): Promise<void>
  useless(write: UselessWrite): void
  forget(key: string): void
}

/** How many rounds within the window make a loop, and how long that is, ms. */
const ROUNDS = 5
const WINDOW = 10 * 60_000

interface Rounds {
  count: number
  since: number
  told: boolean
}

/** What a {@link LoopDetector} is made of. */
export interface LoopParts {
  readonly log: Logger
  readonly clock: Clock
  readonly controller: string
  readonly metrics: Metrics
}

/** Makes a {@link LoopDetector}; it keeps a count for each field that had to be set back, until its object is gone. */
export function watchLoops({ log, clock, controller, metrics }: LoopParts): LoopDetector {
  const rounds = new Map<string, Map<string, Rounds>>()
  const total = metrics.counter({
    name: 'kubewright_useless_writes_total',
    help: 'Writes that were sent and changed nothing, or set back what somebody else had set, by controller',
    labels: ['controller', 'why'],
  })
  /** Whether a field has just gone round often enough to be told of. */
  const again = (key: ObjectKey, field: string): boolean => {
    const text = keyText(key)
    const fields = rounds.get(text) ?? new Map<string, Rounds>()
    rounds.set(text, fields)
    const now = clock.now()
    const before = fields.get(field)
    const it =
      before && now - before.since <= WINDOW ? before : { count: 0, since: now, told: false }
    fields.set(field, it)
    it.count++
    if (it.told || it.count < ROUNDS) return false
    it.told = true
    return true
  }
  return {
    async fought({ key, place, kind, object, last, fieldOwner, owned }) {
      total.add({ controller, why: 'fight' })
      const found = firstDifference(last.left, object as unknown as JsonValue)
      if (!found || !again(key, `${place} ${found.path}`)) return
      const { path, was, is } = found
      const rival = writerOf(await owned().catch(() => object), path, fieldOwner)
      log.warn(
        `two writers fight over ${path} of the ${kind.kind} ${keyText(keyOf(object))}: ${fieldOwner} has set it to ${shown(was)} ${ROUNDS} times, and ${rival ?? 'somebody else'} sets it to ${shown(is)}; let one of them leave the field out`,
        { object: keyText(key), field: path, rival },
      )
    },
    useless({ key, place, kind, object, draft }) {
      total.add({ controller, why: 'nothing changed' })
      const found = firstDifference(draft as JsonValue, object as unknown as JsonValue)
      const field = found?.path ?? ''
      if (!again(key, `${place} = ${field}`)) return
      const name = `the ${kind.kind} ${keyText(keyOf(object))}`
      log.warn(
        found
          ? `the server sets ${field} of ${name} back to ${shown(found.is)} each time that ${shown(found.was)} is written: it is a default or is normalised; write what the server keeps, or leave the field out`
          : `${name} is written again and again without a change: compare before writing`,
        { object: keyText(key), ...(found ? { field } : {}) },
      )
    },
    forget: (key) => void rounds.delete(key),
  }
}

function shown(value: JsonValue | undefined): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

/** Who owns a field besides one manager, as far as the object's managedFields say. */
function writerOf(
  object: KubeObject | undefined,
  path: string,
  besides: string,
): string | undefined {
  const steps = path.split('.').map((it) => `f:${it}`)
  const owners = (object?.metadata.managedFields ?? []).filter(({ manager, fieldsV1 }) => {
    if (manager === besides) return false
    let at: unknown = fieldsV1
    for (const step of steps) at = (at as Record<string, unknown> | undefined)?.[step]
    return at !== undefined
  })
  return owners[0]?.manager
}
