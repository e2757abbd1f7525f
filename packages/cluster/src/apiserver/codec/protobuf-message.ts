import { type FieldFacts, fieldsOf } from './protobuf-fields.ts'
import { specialForm } from './protobuf-special.ts'
import { WIRE, WireProblem, type WireReader } from './protobuf-wire.ts'

/** Reads a value, from where the reader stands. */
type Read = (reader: WireReader) => unknown

type Message = Record<string, unknown>

/** A field of a message. */
interface Field extends Pick<FieldFacts, 'name' | 'holds'> {
  readonly wire: number
  readonly read: Read
}

/** By field number. */
type Shape = readonly (Field | undefined)[]

/** How messages are read, by OpenAPI name: pure functions of the extracted data, kept once made. */
const known = new Map<string, Read>()

/**
 * How a message is read into what its JSON would parse to, by its OpenAPI name (`io.k8s.api.core.v1.Pod`). Fields that are not known
 * are passed over, as Go does it; what Go writes though it is empty is there. The reader throws a WireProblem.
 */
export function messageReader(name: string): Read {
  const found = known.get(name)
  if (found) return found
  const made = makeReader(name)
  known.set(name, made)
  return made
}

function makeReader(name: string): Read {
  const struct = name.slice(name.lastIndexOf('.') + 1)
  let shape: Shape | undefined
  // Messages may hold themselves: their fields are looked at when first needed.
  const read = (reader: WireReader): Message =>
    readMessage(reader, struct, (shape ??= shapeOf(name)))
  const special = specialForm(name)
  return special ? (reader) => special(read(reader)) : read
}

function shapeOf(name: string): Shape {
  const shape: (Field | undefined)[] = []
  for (const facts of fieldsOf(name)) shape[facts.number] = fieldOf(facts)
  return shape
}

function fieldOf({ name, holds, type }: FieldFacts): Field {
  if (holds === 'map') return { name, holds, wire: WIRE.bytes, read: entryReader(type) }
  const [wire, read] = valueOf(type)
  return { name, holds, wire, read }
}

const integer = (reader: WireReader): number | bigint => reader.integer()

const SCALARS: Readonly<Record<string, readonly [wire: number, read: Read]>> = {
  string: [WIRE.bytes, (reader) => reader.text()],
  bytes: [WIRE.bytes, (reader) => reader.bytes().toString('base64')],
  bool: [WIRE.varint, (reader) => reader.varint() !== 0],
  int32: [WIRE.varint, integer],
  int64: [WIRE.varint, integer],
  double: [WIRE.fixed64, (reader) => reader.double()],
}

function valueOf(type: string): readonly [wire: number, read: Read] {
  const scalar = SCALARS[type]
  if (scalar) return scalar
  const read = messageReader(type)
  return [WIRE.bytes, (reader) => reader.nested(read)]
}

/** A map is a list of messages with a key (1) and a value (2), either of which may be absent. */
function entryReader(type: string): Read {
  const [wire, read] = valueOf(type)
  const zero = type === 'string' || type === 'bytes' ? '' : null
  const shape: Shape = [
    undefined,
    { name: 'key', holds: 'one', wire: WIRE.bytes, read: (reader) => reader.text() },
    { name: 'value', holds: 'one', wire, read },
  ]
  return (reader) =>
    reader.nested((inner) => ({ key: '', value: zero, ...readMessage(inner, 'map', shape) }))
}

function readMessage(reader: WireReader, struct: string, shape: Shape): Message {
  const message: Message = {}
  while (!reader.done) {
    const tag = reader.varint()
    const number = Math.floor(tag / 8)
    const wire = tag & 7
    if (number <= 0) {
      throw new WireProblem(`proto: ${struct}: illegal tag ${number} (wire type ${wire})`)
    }
    const field = shape[number]
    if (!field) reader.skip(wire)
    else if (field.wire === wire) readField(reader, field, message)
    else throw new WireProblem(`proto: wrong wireType = ${wire} for field ${goName(field.name)}`)
  }
  return message
}

const goName = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1)

function readField(reader: WireReader, { name, holds, read }: Field, message: Message): void {
  const value = read(reader)
  if (holds === 'one') {
    if (name === '') Object.assign(message, value)
    else message[name] = value
  } else if (holds === 'list') {
    const list = message[name] as unknown[] | undefined
    if (list) list.push(value)
    else message[name] = [value]
  } else {
    const { key, value: member } = value as { readonly key: string; readonly value: unknown }
    // Without a prototype a member called __proto__ is one like any other.
    const map = (message[name] ??= Object.create(null) as Message) as Message
    map[key] = member
  }
}
