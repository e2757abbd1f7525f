import { createRequire } from 'node:module'
import { definitionOf } from '../resources/builtins.ts'
import { specialForm } from './protobuf-special.ts'
import { WIRE, WireProblem, type WireReader } from './protobuf-wire.ts'

/** Reads a value, from where the reader stands. */
type Read = (reader: WireReader) => unknown

interface Field {
  /** In JSON; empty for an embedded struct, whose fields stand beside the others. */
  readonly name: string
  readonly holds: 'one' | 'list' | 'map'
  readonly wire: number
  readonly read: Read
}

type Shape = readonly (Field | undefined)[]

/** What the extracted files say of a package: by message and field number, `name type`. */
type Package = Readonly<Record<string, Readonly<Record<string, string>>>>

/** How messages are read, by OpenAPI name: pure functions of the extracted data, kept once made. */
const known = new Map<string, Read>()

/**
 * How a message is read into what its JSON would parse to, by its OpenAPI name (`io.k8s.api.core.v1.Pod`); undefined where there is
 * none of that name. Fields that are not known are passed over, as Go does it.
 */
export function messageReader(name: string): Read | undefined {
  const found = known.get(name)
  if (found) return found
  const made = makeReader(name)
  if (made) known.set(name, made)
  return made
}

function makeReader(name: string): Read | undefined {
  const dot = name.lastIndexOf('.')
  const home = name.slice(0, dot)
  const struct = name.slice(dot + 1)
  const fields = definitionOf(name) === undefined ? undefined : packageOf(home)[struct]
  if (!fields && !isPart(home, struct)) return undefined
  const special = specialForm(name)
  let shape: Shape | undefined
  // Messages may hold themselves: their fields are looked at when first needed.
  const read: Read = (reader) =>
    readMessage(reader, struct, (shape ??= shapeOf(packageOf(home)[struct]!, home)))
  return special ? (reader) => special(read(reader) as Record<string, unknown>) : read
}
