import type { FieldError } from 'kubewright/machinery'
import type { ResourceInfo } from '../resources/resource.ts'
import { LOOPBACK_ENDPOINT } from './core/ip-validation.ts'
import type { Strategy } from './strategy.ts'

const PLURALS: ReadonlySet<string> = new Set(['endpoints', 'endpointslices'])

/**
 * A strategy of Endpoints or EndpointSlices that takes loopback addresses, for clusters whose pods have such addresses because their
 * machine grants no others. Every other rule stays, and every other kind's strategy is as it was.
 */
export function withLoopbackEndpoints(info: ResourceInfo, strategy: Strategy): Strategy {
  if (!PLURALS.has(info.plural)) return strategy
  const { validate, validateUpdate } = strategy
  return Object.freeze({
    ...strategy,
    ...(validate && { validate: (...them) => without(validate(...them)) }),
    ...(validateUpdate && { validateUpdate: (...them) => without(validateUpdate(...them)) }),
  } satisfies Strategy)
}

type Found = readonly FieldError[] | Promise<readonly FieldError[]>

const without = (found: Found): Found =>
  found instanceof Promise ? found.then(others) : others(found)

const others = (errors: readonly FieldError[]): readonly FieldError[] =>
  errors.filter(({ detail }) => detail !== LOOPBACK_ENDPOINT)
