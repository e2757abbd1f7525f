import { parse } from 'yaml'
import { fieldErrorText, type FieldError } from 'kubewright/machinery'
import { FlagError } from './flag-error.ts'

/** The fields of a configuration: `true` for whatever has none, a list of one shape for lists. */
export type Shape = true | readonly [Shape] | { readonly [name: string]: Shape }

/** Which configuration a file is expected to hold. */
export interface ExpectedConfig {
  /** Which fields there are; whatever else is written is refused, unless this is `true`. */
  readonly shape: Shape
  readonly group: string
  readonly versions: readonly string[]
  readonly kind: string
  /** Older `group/version`s of the same, with the kind that they call it. Default: the same kind. */
  readonly others?: readonly string[]
  readonly otherKind?: string
}

/** Reads a configuration in YAML or JSON. Throws an Error in the words of the real decoder where it is of another kind. */
export function parseConfig<T>(text: string, expected: ExpectedConfig): T {
  if (text.trim() === '') throw new Error('empty config data')
  const value = parse(text) as { readonly kind?: string; readonly apiVersion?: string } | null
  if (typeof value !== 'object' || value === null)
    throw new Error('json: cannot unmarshal into Go value: an object was expected')
  const { kind, apiVersion } = value
  if (!kind) throw new Error(`Object 'Kind' is missing in '${text}'`)
  if (!apiVersion) throw new Error(`Object 'apiVersion' is missing in '${text}'`)
  const known = expected.versions.map((it) => `${expected.group}/${it}`)
  const isOld = expected.others?.includes(apiVersion) === true
  if (!known.includes(apiVersion) && !isOld)
    throw new Error(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    )
  const wanted = isOld ? (expected.otherKind ?? expected.kind) : expected.kind
  if (kind !== wanted) throw new Error(`expected ${expected.kind}, got ${kind}`)
  const { shape } = expected
  const whole = shape === true ? true : { kind: true, apiVersion: true, ...(shape as object) }
  const unknown = [...unknownFields(value, whole as Shape, '')]
  if (unknown.length > 0) throw new Error(`strict decoding error: ${unknown.join(', ')}`)
  return value as T
}

function* unknownFields(value: unknown, shape: Shape, at: string): Generator<string> {
  if (shape === true || typeof value !== 'object' || value === null) return
  if (Array.isArray(shape)) {
    const [item] = shape as readonly [Shape]
    if (Array.isArray(value))
      for (const [i, it] of value.entries()) yield* unknownFields(it, item, `${at}[${i}]`)
    return
  }
  for (const [name, child] of Object.entries(value)) {
    const path = at === '' ? name : `${at}.${name}`
    const known = (shape as Readonly<Record<string, Shape>>)[name]
    if (known === undefined) yield `unknown field ${JSON.stringify(path)}`
    else yield* unknownFields(child, known, path)
  }
}

/** Throws what is wrong with a configuration, all of it in one {@link FlagError}. */
export function refuseErrors(
  errors: readonly FieldError[],
  prefix: string = '',
  suffix: string = '',
): void {
  if (errors.length === 0) return
  const texts = [...new Set(errors.map(fieldErrorText))]
  const whole = texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`
  throw new FlagError('invalid', `${prefix}${whole}${suffix}`)
}
