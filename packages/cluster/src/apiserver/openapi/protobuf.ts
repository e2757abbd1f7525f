/** A piece of a protobuf message, already encoded. */
export type Encoded = Uint8Array

const VARINT = 0
const FIXED64 = 1
const BYTES = 2

const NOTHING: Encoded = new Uint8Array()

function varint(value: number): Encoded {
  const bytes: number[] = []
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  return Uint8Array.from([...bytes, rest])
}

const tag = (field: number, wire: number): Encoded => varint(field * 8 + wire)

/** Pieces one after another: the body of a message. */
export const message = (...parts: readonly Encoded[]): Encoded => Buffer.concat(parts)

/** A message in a field; always written, even when it is empty. */
export const nested = (field: number, body: Encoded): Encoded =>
  message(tag(field, BYTES), varint(body.length), body)

/** A string; nothing where it is absent or empty, as in proto3. */
export const text = (field: number, value: unknown): Encoded =>
  typeof value === 'string' && value !== '' ? nested(field, Buffer.from(value)) : NOTHING

/** A list of strings. */
export const texts = (field: number, values: unknown): Encoded =>
  each(values, (it) => nested(field, Buffer.from(it as string)))

/** Something for each item of a list; nothing where there is none. */
export const each = (values: unknown, encode: (item: unknown) => Encoded): Encoded =>
  Array.isArray(values) ? message(...values.map(encode)) : NOTHING

/** A boolean; nothing where it is false. */
export const flag = (field: number, value: unknown): Encoded =>
  value === true ? message(tag(field, VARINT), varint(1)) : NOTHING

/** A number that is not negative, as int64; nothing where it is zero. */
export const integer = (field: number, value: unknown): Encoded =>
  typeof value === 'number' && value > 0 ? message(tag(field, VARINT), varint(value)) : NOTHING

/** A number as double; nothing where it is zero. */
export function double(field: number, value: unknown): Encoded {
  if (typeof value !== 'number' || value === 0) return NOTHING
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return message(tag(field, FIXED64), bytes)
}

/** A message in a field, where there is a value to encode. */
export const optional = <T>(
  field: number,
  value: T | undefined,
  encode: (value: T) => Encoded,
): Encoded => (value === undefined ? NOTHING : nested(field, encode(value)))
