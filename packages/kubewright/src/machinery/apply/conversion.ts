import type { JsonValue } from '../patch/json.ts'
import { printIssues, validateType } from './validate.ts'
import type { FieldType } from './type.ts'

/** A value at an API version (`apps/v1`), with the type it has there. */
export interface TypedValue {
  readonly value: JsonValue
  readonly version: string
  readonly type: FieldType
}

/** A value that is wanted at another version. */
export interface ConversionRequest {
  readonly value: JsonValue
  readonly from: string
  readonly to: string
}

/**
 * A computation that may ask for conversions on its way. Converting may take time (a webhook) or not (code), so
 * the asker does neither wait nor block: a driver below answers. The answer `undefined` means that there is no
 * such version.
 */
export type Converting<T> = Generator<ConversionRequest, T, JsonValue | undefined>

/** Converts between versions at once; undefined when there is no such version. May throw. */
export type Convert = (request: ConversionRequest) => JsonValue | undefined

/** Converts between versions in its own time; undefined when there is no such version. May reject. */
export type AsyncConvert = (request: ConversionRequest) => Promise<JsonValue | undefined>

/** Runs a computation to its end, converting on the spot. A conversion that throws throws where it was asked for. */
export function runConverting<T>(computation: Converting<T>, convert: Convert): T {
  let step = computation.next()
  while (!step.done) {
    const answer = attempt(convert, step.value)
    step = answer.ok ? computation.next(answer.value) : computation.throw(answer.error)
  }
  return step.value
}

/** Runs a computation to its end, waiting for each conversion. One that rejects throws where it was asked for. */
export async function runConvertingAsync<T>(
  computation: Converting<T>,
  convert: AsyncConvert,
): Promise<T> {
  let step = computation.next()
  while (!step.done) {
    const answer = await attemptAsync(convert, step.value)
    step = answer.ok ? computation.next(answer.value) : computation.throw(answer.error)
  }
  return step.value
}

type Answer =
  | { readonly ok: true; readonly value: JsonValue | undefined }
  | { readonly ok: false; readonly error: unknown }

function attempt(convert: Convert, request: ConversionRequest): Answer {
  try {
    return { ok: true, value: convert(request) }
  } catch (error) {
    return { ok: false, error }
  }
}

async function attemptAsync(convert: AsyncConvert, request: ConversionRequest): Promise<Answer> {
  try {
    return { ok: true, value: await convert(request) }
  } catch (error) {
    return { ok: false, error }
  }
}

/** Finds the type of a kind at a version; undefined when there is no such version. */
export type TypeLookup = (version: string) => FieldType | undefined

/**
 * The value at another version, or undefined when there is no such version.
 * @throws TypeMismatchError when the converted value does not fit its type.
 */
export function* convertTo(
  typed: TypedValue,
  version: string,
  typeOf: TypeLookup,
): Converting<TypedValue | undefined> {
  if (typed.version === version) return typed
  const type = typeOf(version)
  if (!type) return undefined
  const value = yield { value: typed.value, from: typed.version, to: version }
  if (value === undefined) return undefined
  const issues = validateType(type, value, 'forbid duplicates')
  if (issues.length > 0) throw new TypeMismatchError(printIssues(issues))
  return { value, version, type }
}

/** A value does not fit the type it should have. `message` lists how, in structured-merge-diff's words. */
export class TypeMismatchError extends Error {
  override readonly name = 'TypeMismatchError'
}
