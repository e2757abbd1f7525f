import { parseApiVersion } from 'kubewright/machinery'
import type { BodyReader, Served } from '../endpoints/served.ts'
import { definitionName } from '../resources/builtins.ts'
import type { Draft } from '../registry/strategy.ts'

/** A change made another kind of an object. */
export class KindChange extends Error {
  override readonly name = 'KindChange'
}

/** Throws a {@link KindChange}, or an Error for a kind that there is not, where a built-in object has become another kind. */
function checkKind({ info }: Served, reader: BodyReader, value: Record<string, unknown>): void {
  const { kind, apiVersion } = value
  if (info.custom || kind === reader.kind || typeof kind !== 'string') return
  const { group, version } = parseApiVersion(String(apiVersion))
  if (definitionName({ group, version, kind }) === undefined) {
    throw new Error(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    )
  }
  const internal = reader.group === '' ? 'core' : reader.group.split('.')[0]
  throw new KindChange(
    `converting (${version}.${kind}) to (${internal}.${reader.kind}): unknown conversion`,
  )
}

/** How a changed object is read. */
export interface RereadOptions {
  /** Whether fields that a built-in kind does not have are refused. Default false. */
  readonly strict?: boolean
  /** Under which subresource the object came: it may be of another kind. Default none. */
  readonly subresource?: string
}

/**
 * Reads a changed object as its kind and fills in defaults again, as is done after each mutation. Takes over `value`. Throws an Error with the decoder's sentence.
 */
export function reread(
  served: Served,
  value: Record<string, unknown>,
  { strict = false, subresource = '' }: RereadOptions = {},
): Draft {
  const own = served.bodies[subresource]
  const reader = own ?? served.body
  checkKind(served, reader, value)
  const { object, problems } = reader.read(value)
  if (strict && !served.info.custom && problems.length > 0) {
    throw new Error(`strict decoding error: ${problems.toSorted().join(', ')}`)
  }
  if (!own) served.strategy.applyDefaults?.(object)
  return object
}

/** Makes the object that a request owns another, in place: whoever else holds it sees the change. */
export function become(object: Draft, next: Draft): void {
  if (object === next) return
  for (const name of Object.keys(object)) if (!(name in next)) delete object[name]
  Object.assign(object, next)
}
