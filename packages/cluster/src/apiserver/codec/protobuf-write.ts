import { type FieldFacts, fieldsOf } from './protobuf-fields.ts'
import { messageOf } from './protobuf-special.ts'
import { WIRE } from './protobuf-wire.ts'
import { WireWriter } from './protobuf-wire-writer.ts'

/** Writes a value of JSON, its length included where it has one; undefined and null as Go's zero value. */
type Write = (writer: WireWriter, value: unknown) => void

/** How a field is written. */
interface Field extends Pick<FieldFacts, 'name' | 'holds' | 'nilable'> {
  /** Its number and wire type, as they stand before the value. */
  readonly tag: number
  readonly write: Write
}

type JsonObject = Readonly<Record<string, unknown>>

/** How messages are written, by OpenAPI name: pure functions of the extracted data, kept once made. */
const known = new Map<string, Write>()

const NOTHING: JsonObject = Object.freeze({})

/**
 * How a message is written, by its OpenAPI name (`io.k8s.api.core.v1.Pod`), byte for byte as Go's generated marshallers do: fields by
 * number, maps by key, and what may not be nil though it is empty. The writer gets the bare message, without a length.
 */
export function messageWriter(name: string): Write {
  const found = known.get(name)
  if (found) return found
  const made = makeWriter(name)
  known.set(name, made)
  return made
}

function makeWriter(name: string): Write {
  let fields: readonly Field[] | undefined
  // Messages may hold themselves: their fields are looked at when first needed.
  const write: Write = (writer, value) =>
    writeFields(writer, (value ?? NOTHING) as JsonObject, (fields ??= fieldsFromLast(name)))
  const special = messageOf(name)
  if (!special) return write
  return (writer, value) => {
    const message = special(value)
    if (message) write(writer, message)
  }
}

const fieldsFromLast = (name: string): readonly Field[] =>
  fieldsOf(name)
    .toSorted((a, b) => b.number - a.number)
    .map(fieldOf)

function fieldOf({ number, name, holds, nilable, type }: FieldFacts): Field {
  const [wire, write] = holds === 'map' ? ([WIRE.bytes, entry(type)] as const) : valueOf(type)
  return { name, holds, nilable, tag: number * 8 + wire, write }
}

const SCALARS: Readonly<Record<string, readonly [wire: number, write: Write]>> = {
  string: [WIRE.bytes, (writer, value) => text(writer, (value ?? '') as string)],
  bytes: [WIRE.bytes, bytes],
  bool: [WIRE.varint, (writer, value) => writer.varint(value === true ? 1 : 0)],
  int32: [WIRE.varint, integer],
  int64: [WIRE.varint, integer],
  double: [WIRE.fixed64, (writer, value) => writer.double(Number(value ?? 0))],
}

function valueOf(type: string): readonly [wire: number, write: Write] {
  return SCALARS[type] ?? [WIRE.bytes, nested(messageWriter(type))]
}

function integer(writer: WireWriter, value: unknown): void {
  writer.varint((value ?? 0) as number | bigint)
}

function text(writer: WireWriter, value: string): void {
  const before = writer.length
  writer.text(value)
  writer.varint(writer.length - before)
}

/** Bytes are base64 in JSON; JSON inside of protobuf comes as bytes. */
function bytes(writer: WireWriter, value: unknown): void {
  const raw = value instanceof Uint8Array ? value : Buffer.from((value ?? '') as string, 'base64')
  writer.raw(raw)
  writer.varint(raw.length)
}

/** A message in a field. One that is empty is the same every time. */
function nested(write: Write): Write {
  let empty: Buffer | undefined
  return (writer, value) => {
    const before = writer.length
    if (value === undefined || value === null) writer.raw((empty ??= emptyMessage(write)))
    else write(writer, value)
    writer.varint(writer.length - before)
  }
}

function emptyMessage(write: Write): Buffer {
  const writer = new WireWriter()
  write(writer, undefined)
  return writer.bytes()
}

const KEY = 1 * 8 + WIRE.bytes
const VALUE = 2 * 8

/** An entry of a map is a message of its key and its value. */
function entry(type: string): Write {
  const [wire, write] = valueOf(type)
  return (writer, pair) => {
    const [key, value] = pair as readonly [key: string, value: unknown]
    const before = writer.length
    write(writer, value)
    writer.varint(VALUE + wire)
    text(writer, key)
    writer.varint(KEY)
    writer.varint(writer.length - before)
  }
}

function writeFields(writer: WireWriter, object: JsonObject, fromLast: readonly Field[]): void {
  for (let i = 0; i < fromLast.length; i++) {
    const field = fromLast[i]!
    const value = field.name === '' ? object : object[field.name]
    const absent = value === undefined || value === null
    if (field.holds === 'one') {
      if (absent && field.nilable) continue
      field.write(writer, value)
      writer.varint(field.tag)
    } else if (!absent) writeMany(writer, field, value as object)
  }
}

function writeMany(writer: WireWriter, { holds, write, tag }: Field, value: object): void {
  const items = holds === 'map' ? sortedEntries(value) : (value as readonly unknown[])
  for (let i = items.length - 1; i >= 0; i--) {
    write(writer, items[i])
    writer.varint(tag)
  }
}

const sortedEntries = (map: object): readonly unknown[] =>
  Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))
