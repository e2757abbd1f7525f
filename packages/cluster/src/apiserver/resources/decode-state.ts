import { WrittenNumber } from './written-number.ts'

/** What Go's decoder says of a body that does not fit its kind; the message is a sentence of a real server. */
export class DecodeError extends Error {
  override readonly name: string = 'DecodeError'
}

/** A value of the wrong type, and where it stands. */
export interface Mismatch {
  /** What was found: `string`, `bool`, `number 1.5`. */
  readonly value: string
  /** What was wanted: `int32`, `[]v1.Container`. */
  readonly type: string
  /** The innermost struct, and after it the fields from the root; empty outside of any struct. */
  readonly place: readonly string[]
}

/** The {@link DecodeError} of a wrong type. A decoder around the one that threw it may have to put it in its place. */
export class TypeMismatch extends DecodeError {
  override readonly name = 'TypeMismatch'
  readonly mismatch: Mismatch

  constructor(mismatch: Mismatch) {
    super(sentence(mismatch))
    this.mismatch = mismatch
  }
}

function sentence({ value, type, place }: Mismatch): string {
  const into = place.length ? `struct field ${place.join('.')} of type` : 'value of type'
  return `json: cannot unmarshal ${value} into Go ${into} ${type}`
}

/** Go stops counting what strict decoding finds here. */
const MAX_PROBLEMS = 100

/**
 * Where a decoding stands and what it has found (sigs.k8s.io/json decodeState). A wrong type is remembered, the first one counts, and
 * decoding goes on; an error of a type with a JSON form of its own ends it at once, and so counts for more.
 */
export class DecodeState {
  /** Path of the value being read, as strict problems print it: field names, map keys, indexes. */
  readonly path: (string | number)[] = []
  /** Path in struct fields alone, as type errors print it. */
  readonly fields: string[] = []
  /** Name of the innermost struct whose field is being read. */
  struct = ''
  readonly #problems = new Set<string>()
  #first: DecodeError | undefined

  /** Remembers a value of the wrong type. */
  mismatch(value: string, type: string): void {
    this.#first ??= new TypeMismatch(this.#placed({ value, type, place: [] }))
  }

  /** Remembers an error that has no place. */
  fail(error: DecodeError): void {
    this.#first ??= error
  }

  /** Ends decoding with an error; what a decoder of its own found is put in its place. */
  abort(error: unknown): never {
    throw error instanceof TypeMismatch ? new TypeMismatch(this.#placed(error.mismatch)) : error
  }

  /** Remembers a field that the struct being read does not have. */
  unknown(key: string): void {
    if (this.#problems.size < MAX_PROBLEMS) {
      this.#problems.add(`unknown field ${JSON.stringify(this.#pathTo(key))}`)
    }
  }

  /** What strict decoding finds wrong, in order, each once. Throws the first {@link DecodeError} instead, if there is one. */
  finish(): readonly string[] {
    if (this.#first) throw this.#first
    return [...this.#problems]
  }

  #placed(it: Mismatch): Mismatch {
    if (this.struct === '') return it
    return { ...it, place: [this.struct, ...this.fields, ...it.place.slice(1)] }
  }

  #pathTo(key: string): string {
    let text = ''
    for (const it of [...this.path, key]) {
      if (typeof it === 'number') text += `[${it}]`
      else text += text === '' ? it : `.${it}`
    }
    return text
  }
}

/** What Go calls the type of a JSON value. */
export function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (value === null) return 'null'
  if (typeof value === 'bigint' || value instanceof WrittenNumber) return 'number'
  return typeof value === 'boolean' ? 'bool' : typeof value
}
