import { type FieldError, invalidValue, isDns1035Label, required } from '../machinery/index.ts'
import { canonicalJson, isList, isObject, sortedJson } from './json.ts'
import { MetadataError, type MetadataOptions, decodeMetadata } from './object-meta-decode.ts'
import { validateEmbeddedMetadata } from './object-meta-validation.ts'
import type { SchemaNode } from './schema-node.ts'

/** Thrown where an embedded object's kind, apiVersion or metadata is of another type. */
export class CoercionError extends Error {
  override readonly name = 'CoercionError'
  readonly error: FieldError

  constructor(error: FieldError, message: string) {
    super(message)
    this.error = error
  }
}

const child = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

/**
 * Decodes the metadata of embedded objects as ObjectMeta, below `value` (x-kubernetes-embedded-resource). What needs no change comes
 * back as it is. Throws {@link CoercionError} at the first place that does not fit, unless `lenient`, which drops such parts.
 */
export function coerceEmbedded(
  node: SchemaNode | undefined,
  value: unknown,
  options: MetadataOptions = {},
  path: string = '',
): unknown {
  if (!node?.below.embedded) return value
  if (isList(value))
    return mapList(value, (it, i) => coerceEmbedded(node.items, it, options, `${path}[${i}]`))
  if (!isObject(value)) return value
  return mapFields(value, (name, it) => coerceField(node, name, it, options, path))
}

function coerceField(
  node: SchemaNode,
  name: string,
  given: unknown,
  options: MetadataOptions,
  path: string,
): unknown {
  const value = node.embedded ? coerceMeta(name, given, options, path) : given
  if (value === undefined) return undefined
  const property = node.properties.get(name)
  if (property) return coerceEmbedded(property, value, options, child(path, name))
  const { additional } = node
  if (typeof additional !== 'object') return value
  return coerceEmbedded(additional, value, options, `${path}[${name}]`)
}

function coerceMeta(name: string, value: unknown, options: MetadataOptions, path: string): unknown {
  if (name === 'metadata') return coerceMetadata(value, options, child(path, 'metadata'))
  if (name !== 'apiVersion' && name !== 'kind') return value
  if (typeof value === 'string') return value
  if (options.lenient) return undefined
  return refuse(child(path, name), value, 'must be a string')
}

function coerceMetadata(value: unknown, options: MetadataOptions, path: string): unknown {
  try {
    return decodeMetadata(value, path, options)
  } catch (error) {
    if (!(error instanceof MetadataError)) throw error
    return options.lenient ? value : refuse(path, value, error.message)
  }
}

function refuse(path: string, value: unknown, detail: string): never {
  const error = invalidValue(path, sortedJson(value), detail)
  throw new CoercionError(error, `${path}: Invalid value: ${canonicalJson(value)}: ${detail}`)
}

function mapList(
  list: readonly unknown[],
  change: (item: unknown, i: number) => unknown,
): readonly unknown[] {
  let made: unknown[] | undefined
  for (const [i, item] of list.entries()) {
    const next = change(item, i)
    if (next !== item) (made ??= [...list])[i] = next
  }
  return made ?? list
}

function mapFields(
  object: Readonly<Record<string, unknown>>,
  change: (name: string, value: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  let made: Record<string, unknown> | undefined
  for (const name of Object.keys(object)) {
    const next = change(name, object[name])
    if (next === object[name]) continue
    made ??= { ...object }
    if (next === undefined) delete made[name]
    else made[name] = next
  }
  return made ?? object
}

/** What is wrong with the kind, apiVersion and metadata of embedded objects (pkg/apiserver/schema/objectmeta/validation.go). */
export function validateEmbedded(
  node: SchemaNode | undefined,
  value: unknown,
  path: string = '',
): readonly FieldError[] {
  if (!node?.below.embedded) return []
  if (isList(value))
    return value.flatMap((it, i) => validateEmbedded(node.items, it, `${path}[${i}]`))
  if (!isObject(value)) return []
  const own = node.embedded ? validateResource(value, path) : []
  return [...own, ...Object.keys(value).flatMap((it) => validateField(node, it, value[it], path))]
}

function validateField(
  node: SchemaNode,
  name: string,
  value: unknown,
  path: string,
): readonly FieldError[] {
  const property = node.properties.get(name)
  if (property) return validateEmbedded(property, value, child(path, name))
  const { additional } = node
  return typeof additional === 'object'
    ? validateEmbedded(additional, value, `${path}[${name}]`)
    : []
}

function validateResource(
  value: Readonly<Record<string, unknown>>,
  path: string,
): readonly FieldError[] {
  const missing = ['apiVersion', 'kind'].filter((it) => !Object.hasOwn(value, it))
  return [
    ...missing.map((it) => required(child(path, it))),
    ...('apiVersion' in value
      ? apiVersionProblems(value['apiVersion'], child(path, 'apiVersion'))
      : []),
    ...('kind' in value ? kindProblems(value['kind'], child(path, 'kind')) : []),
    ...('metadata' in value ? metadataProblems(value['metadata'], child(path, 'metadata')) : []),
  ]
}

function apiVersionProblems(value: unknown, path: string): readonly FieldError[] {
  if (typeof value !== 'string') return [invalidValue(path, value, 'must be a string')]
  if (value === '') return [invalidValue(path, value, 'must not be empty')]
  return value.split('/').length <= 2
    ? []
    : [invalidValue(path, value, `unexpected GroupVersion string: ${value}`)]
}

function kindProblems(value: unknown, path: string): readonly FieldError[] {
  if (typeof value !== 'string') return [invalidValue(path, value, 'must be a string')]
  if (value === '') return [invalidValue(path, value, 'must not be empty')]
  const problems = isDns1035Label(value.toLowerCase())
  if (problems.length === 0) return []
  const sentence = `may have mixed case, but should otherwise match: ${problems.join(',')}`
  return [invalidValue(path, value, sentence)]
}

function metadataProblems(value: unknown, path: string): readonly FieldError[] {
  try {
    return validateEmbeddedMetadata(decodeMetadata(value, path), path)
  } catch (error) {
    if (!(error instanceof MetadataError)) throw error
    return [invalidValue(path, sortedJson(value), error.message)]
  }
}
