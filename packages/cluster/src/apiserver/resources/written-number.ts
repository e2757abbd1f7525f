import { exactInteger } from 'kubewright/base'

/** A number that is not written as an integer of 64 bits (`1.0`, `1e3`, `9223372036854775808`): Go's decoder takes it for a float alone. */
export class WrittenNumber {
  readonly value: number
  readonly source: string

  constructor(value: number, source: string) {
    this.value = value
    this.source = source
  }
}

/** Where such a number may stand: after a name, or in a list. */
const SUSPECT = /(?:":|[[,])\s*-?\d+[.eE]|\d{19}/
const INTEGER = /^-?\d+$/

/** Whether a JSON text may hold such numbers. */
export const mayHoldWritten = (text: string): boolean => SUSPECT.test(text)

/** Reads such a JSON text; those numbers become {@link WrittenNumber}s. Throws a SyntaxError. */
export function parseWritten(text: string): unknown {
  return JSON.parse(text, revived as (key: string, value: unknown) => unknown)
}

function revived(
  _key: string,
  value: unknown,
  { source }: { readonly source?: string } = {},
): unknown {
  if (typeof value !== 'number' || source === undefined) return value
  const exact = INTEGER.test(source) ? exactInteger(source) : undefined
  return typeof exact === 'bigint' || Number.isSafeInteger(exact)
    ? exact
    : new WrittenNumber(value, source)
}

/** A value with such numbers as numbers: what is kept as JSON has no types of its own. */
export function unwritten(value: unknown): unknown {
  if (value instanceof WrittenNumber) return value.value
  if (Array.isArray(value)) return value.map(unwritten)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, unwritten(it)]))
}
