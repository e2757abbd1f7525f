import type { Clock } from 'kubewright/base'
import { ApiError, failure, type UnknownObject } from 'kubewright/machinery'
import { objectAt, textAt } from '../registry/fields.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { kindOf, namespaceOf } from './attributes.ts'
import { joined } from './refusal.ts'

/** How many events may come: `qps` a second, `burst` at once, for each of whatever `type` tells apart. */
export interface EventLimit {
  readonly type: 'Server' | 'Namespace' | 'User' | 'SourceAndObject'
  readonly qps: number
  readonly burst: number
  /** For how many of them it is remembered. Default 4096. */
  readonly cacheSize?: number
}

const USUAL_CACHE = 4096

const KEYS: Readonly<Record<EventLimit['type'], (request: AdmissionRequest) => string>> = {
  Server: () => '',
  Namespace: namespaceOf,
  User: ({ context }) => context.user.name,
  SourceAndObject: ({ object }) => sourceAndObject(object as UnknownObject | undefined),
}

function sourceAndObject(event: UnknownObject | undefined): string {
  const source = objectAt(event, 'source') ?? objectAt(event, 'deprecatedSource')
  const about = objectAt(event, 'involvedObject') ?? objectAt(event, 'regarding')
  return [
    textAt(source, 'component'),
    textAt(source, 'host'),
    ...['kind', 'namespace', 'name', 'uid', 'apiVersion'].map((it) => textAt(about, it)),
  ].join('')
}

/** Tokens that come back with time, for each key; the least recently asked for is forgotten first. */
class Buckets {
  readonly #limit: EventLimit
  readonly #buckets = new Map<string, { tokens: number; at: number }>()

  constructor(limit: EventLimit) {
    this.#limit = limit
  }

  take(key: string, now: number): boolean {
    const { qps, burst, cacheSize } = this.#limit
    const known = this.#buckets.get(key) ?? { tokens: burst, at: now }
    const tokens = Math.min(burst, known.tokens + ((now - known.at) / 1000) * qps)
    const isLeft = tokens >= 1
    this.#buckets.delete(key)
    this.#buckets.set(key, { tokens: isLeft ? tokens - 1 : tokens, at: now })
    const [oldest] = this.#buckets.keys()
    if (this.#buckets.size > (cacheSize || USUAL_CACHE)) this.#buckets.delete(oldest!)
    return isLeft
  }
}

/** EventRateLimit: no flood of events (kubernetes/plugin/pkg/admission/eventratelimit). Off by default; without limits it limits nothing. */
export const eventRateLimit = (limits: readonly EventLimit[], clock: Clock): AdmissionPlugin => {
  const enforcers = limits.map((limit) => ({ limit, buckets: new Buckets(limit) }))
  return {
    name: 'EventRateLimit',
    handles: (request) =>
      (request.operation === 'CREATE' || request.operation === 'UPDATE') &&
      kindOf(request).kind === 'Event' &&
      !request.context.dryRun,
    validate: (request) => {
      const problems = enforcers.flatMap(({ limit: { type }, buckets }) => {
        const key = KEYS[type](request)
        return buckets.take(key, clock.now())
          ? []
          : [`limit reached on type ${type} for key ${key}`]
      })
      if (problems.length > 0) {
        throw new ApiError(failure(429, 'TooManyRequests', joined(problems)))
      }
    },
  }
}
