import { definitionName, type KindName } from './builtins.ts'
import { isObject } from './decode-plan.ts'
import { DecodeState } from './decode-state.ts'
import { structPlan } from './decode-struct.ts'

export { DecodeError } from './decode-state.ts'

/** A body as Kubernetes holds it after decoding. */
export interface Decoded {
  /**
   * The object: only fields that its kind has, in the order of the Go struct; empty ones left out or written in full, nulls gone,
   * quantities, times and bytes in their canonical form; apiVersion and kind as asked for.
   */
  readonly object: Record<string, unknown>
  /** What strict decoding finds wrong: `unknown field "spec.foo"`, in order, each once, at most 100. */
  readonly problems: readonly string[]
}

/**
 * Reads a parsed JSON body as a built-in kind, as Go's typed decoding does it (sigs.k8s.io/json, case-sensitive). Takes over `body`:
 * its arrays and maps are changed in place and become part of the object. Throws a {@link DecodeError} with the sentence of a real
 * server where a type does not fit, and an Error where the kind is not built in.
 *
 * A number that comes as a WrittenNumber is none where Go wants the digits of an integer; a plain one may have been written as `1.0`.
 */
export function decodeBuiltin(body: unknown, kind: KindName): Decoded {
  const plan = structPlan(definitionName(kind) ?? '')
  if (!plan)
    throw new Error(`${kind.kind} in ${kind.group}/${kind.version} is not a built-in kind.`)
  const state = new DecodeState()
  const object = plan.read(named(body, kind), state) as Record<string, unknown>
  return { object, problems: state.finish() }
}

/**
 * Turns a map, as apply or a strategic patch made it, into what {@link decodeBuiltin} reads. Takes over `value`. Throws a
 * {@link DecodeError} with the sentence of Kubernetes' converter, which is not that of its decoder.
 */
export function restoreBuiltin(
  value: Record<string, unknown>,
  kind: KindName,
): Record<string, unknown> {
  const plan = structPlan(definitionName(kind) ?? '')
  return (plan?.restore(value) ?? value) as Record<string, unknown>
}

/** The body with its kind's own name, whatever it said: a body may leave it to the URL. */
function named(body: unknown, kind: KindName): unknown {
  if (!isObject(body)) return body
  body.kind = kind.kind
  body.apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`
  return body
}
