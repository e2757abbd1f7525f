import type { FieldError } from '../machinery/index.ts'
import { canonicalJson, sortedJson } from './json.ts'

/**
 * What validation finds wrong with a value, before it becomes a field error: `text` is kube-openapi's own message, by which equal
 * findings are told, and `name` the place (empty for the root). Findings without a place, such as those of combinators, have none.
 */
export interface ValueError {
  readonly text: string
  readonly error: (parent: string) => FieldError
}

const placed = (name: string, parent: string): string => {
  const child = name.startsWith('.') ? name.slice(1) : name
  if (child === '') return parent === '' ? '<nil>' : parent
  return parent === '' ? child : `${parent}.${child}`
}

/** `spec.a in body must be of type string: "integer"`; `found` is the JSON type, or the text that is not of a format. */
export const typeError = (name: string, type: string, found: string): ValueError => {
  const text = `${name} in body must be of type ${type}: ${JSON.stringify(found)}`
  return {
    text,
    error: (at) => ({
      type: 'FieldValueTypeInvalid',
      field: placed(name, at),
      value: found,
      detail: text,
    }),
  }
}

/** A field that must be there. */
export const requiredError = (name: string): ValueError => ({
  text: `${name} in body is required`,
  error: (at) => ({ type: 'FieldValueRequired', field: placed(name, at), detail: '' }),
})

/** A text of too many characters; Kubernetes calls them bytes. */
export const tooLongError = (name: string, max: number): ValueError => ({
  text: `${name} in body should be at most ${max} chars long`,
  error: (at) => ({
    type: 'FieldValueTooLong',
    field: placed(name, at),
    detail:
      max < 0 ? 'value is too long' : `may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`,
  }),
})

const tooManyError = (text: string, name: string, actual: number, max: number): ValueError => ({
  text,
  error: (at) => ({
    type: 'FieldValueTooMany',
    field: placed(name, at),
    value: actual,
    detail:
      max < 0 ? 'has too many items' : `must have at most ${max} ${max === 1 ? 'item' : 'items'}`,
  }),
})

/** A list of too many items. */
export const tooManyItemsError = (name: string, actual: number, max: number): ValueError =>
  tooManyError(`${name} in body should have at most ${max} items`, name, actual, max)

/** An object of too many fields, which are called items too. */
export const tooManyPropertiesError = (name: string, actual: number, max: number): ValueError =>
  tooManyError(`${name} in body should have at most ${max} properties`, name, actual, max)

/** Anything whose message is its detail: patterns, bounds, minimal sizes, duplicates. */
export const otherError = (name: string, value: unknown, sentence: string): ValueError => {
  const text = `${name} in body ${sentence}`
  return {
    text,
    error: (at) => ({ type: 'FieldValueInvalid', field: placed(name, at), value, detail: text }),
  }
}

/** A property that no schema allows, under additionalProperties: false. */
export const forbiddenProperty = (name: string, property: string): ValueError => {
  const text = `${name}.${property} in body is a forbidden property`
  return {
    text,
    error: (at) => ({
      type: 'FieldValueInvalid',
      field: placed(name, at),
      value: property,
      detail: text,
    }),
  }
}

/** A multipleOf that cannot be one; `text` is the whole message. */
export const multipleError = (name: string, factor: number, text: string): ValueError => ({
  text,
  error: (at) => ({
    type: 'FieldValueInvalid',
    field: placed(name, at),
    value: factor,
    detail: text,
  }),
})

/** A value that is none of those allowed. */
export const enumError = (
  name: string,
  value: unknown,
  allowed: readonly unknown[],
): ValueError => ({
  text: `${name} in body should be one of ${canonicalJson(allowed)}`,
  error: (at) => ({
    type: 'FieldValueNotSupported',
    field: placed(name, at),
    value: sortedJson(value),
    detail: `supported values: ${allowed
      .map((it) => JSON.stringify(typeof it === 'string' ? it : canonicalJson(it)))
      .join(', ')}`,
  }),
})

/** A finding that kube-openapi does not place: it stands at the object's own path, which for a whole object is `<nil>`. */
export const unplacedError = (text: string): ValueError => ({
  text,
  error: (at) => ({
    type: 'FieldValueInvalid',
    field: at === '' ? '<nil>' : at,
    value: '',
    detail: text,
  }),
})

/** The findings about one value, and how many checks it passed: combinators report the branch that came furthest. */
export class Findings {
  readonly #errors = new Map<string, ValueError>()
  matches = 0

  get errors(): readonly ValueError[] {
    return [...this.#errors.values()]
  }

  get valid(): boolean {
    return this.#errors.size === 0
  }

  /** Equal findings are kept once. */
  add(error: ValueError): void {
    if (!this.#errors.has(error.text)) this.#errors.set(error.text, error)
  }

  merge(other: Findings): void {
    for (const error of other.#errors.values()) this.add(error)
    this.matches += other.matches
  }

  /** Lets go of what was found; the checks that were passed stay passed. */
  forgive(): void {
    this.#errors.clear()
  }
}
