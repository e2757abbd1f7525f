import type { FieldError } from '../machinery/index.ts'
import type { Correlated } from './correlated.ts'
import { hasFormat } from './formats.ts'
import { equalJson, isList, isObject } from './json.ts'
import type { SchemaNode } from './schema-node.ts'
import { checkNumber, isInteger, nearlyInteger, withinInt64 } from './validate-number.ts'
import {
  Findings,
  type ValueError,
  enumError,
  forbiddenProperty,
  otherError,
  requiredError,
  tooLongError,
  tooManyItemsError,
  tooManyPropertiesError,
  typeError,
  unplacedError,
} from './value-error.ts'

/**
 * What is wrong with a value by its schema, rules of the expression language aside (kube-openapi/pkg/validation/validate, as
 * apiextensions-apiserver uses it). With `correlated`, what did not change since the old value is tolerated (KEP-4008).
 * `parent` is put before the fields' paths; empty for a whole object.
 */
export function validateValue(
  node: SchemaNode,
  value: unknown,
  parent: string = '',
  correlated?: Correlated,
): readonly FieldError[] {
  const found = new Findings()
  check(found, node, value, '', correlated)
  return found.errors.map((it) => it.error(parent))
}

/** Checks a value; where it did not change, what is found is dropped again. */
function check(
  found: Findings,
  node: SchemaNode,
  value: unknown,
  path: string,
  old: Correlated | undefined,
): void {
  if (!old) return checkAll(found, node, value, path, old)
  const own = new Findings()
  checkAll(own, node, value, path, old)
  if (!own.valid && old.unchanged()) own.forgive()
  found.merge(own)
}

/** Every check that applies to a value of its type, in kube-openapi's order; each counts as passed once it was made. */
function checkAll(
  found: Findings,
  node: SchemaNode,
  value: unknown,
  path: string,
  old: Correlated | undefined,
): void {
  if (value === null) return checkNull(found, node, path)
  if (node.types.length > 0 || node.format !== '') found.matches++
  checkType(found, node, value, path)
  checkCombinators(found, node, value, path)
  if (typeof value === 'string') checkString(found, node, value, path)
  else if (typeof value === 'number' || typeof value === 'bigint') {
    checkNumber(found, node, withinInt64(value), path)
    found.matches++
  } else if (isList(value)) checkList(found, node, value, path, old)
  checkEnum(found, node, value, path)
  found.matches++
  if (isObject(value)) {
    checkObject(found, node, value, path, old)
    found.matches++
  }
  found.matches++
}

function checkNull(found: Findings, node: SchemaNode, path: string): void {
  if (node.types.length > 0 && !node.nullable && !node.types.includes('null'))
    found.add(typeError(path, node.types.join(','), 'null'))
  else found.matches++
  checkEnum(found, node, null, path)
}

/** The JSON type of a value as kube-openapi names it, and the format that Go gives numbers. */
function typeOf(value: unknown): readonly [string, string] {
  switch (typeof value) {
    case 'boolean':
      return ['boolean', '']
    case 'string':
      return ['string', '']
    case 'bigint':
      return ['integer', 'int64']
    case 'number':
      return isInteger(value) ? ['integer', 'int64'] : ['number', 'float64']
    default:
      return isList(value) ? ['array', ''] : ['object', '']
  }
}

function checkType(found: Findings, node: SchemaNode, value: unknown, path: string): void {
  const { types, format } = node
  if (types.length === 0 && format === '') return
  const [type, goFormat] = typeOf(value)
  const nearly = type === 'number' && types.includes('integer') && nearlyInteger(value as number)
  const fits = types.includes(type) || nearly || (type === 'integer' && types.includes('number'))
  const textual = type === 'string' || type === 'array'
  if (!textual && format !== '' && !fits && goFormat !== format)
    return found.add(typeError(path, format, goFormat))
  // A format makes kube-openapi look no further at strings and lists, whatever the type says.
  const numeric = types.includes('number') || types.includes('integer')
  if (!numeric && format !== '' && textual) found.matches++
  else if (fits) found.matches++
  else found.add(typeError(path, types.join(','), type))
}

function checkString(found: Findings, node: SchemaNode, value: string, path: string): void {
  const problem = stringProblem(node, value, path)
  if (problem) found.add(problem)
  found.matches++
  if (node.format === '') return
  const fits = hasFormat(value, node.format)
  if (fits === undefined) return
  if (!fits) found.add(typeError(path, node.format, value))
  found.matches++
}

/** The first of the string's keywords that it breaks. */
function stringProblem(node: SchemaNode, value: string, path: string): ValueError | undefined {
  const { maxLength, minLength, pattern: source } = node.source
  if (maxLength !== undefined && value.length > maxLength && codePoints(value) > maxLength)
    return tooLongError(path, maxLength)
  if (minLength !== undefined && codePoints(value) < minLength)
    return otherError(path, value, `should be at least ${minLength} chars long`)
  const pattern = node.pattern()
  if (!pattern) return undefined
  if (pattern instanceof Error)
    return otherError(
      path,
      value,
      `should match '${source}, but pattern is invalid: ${pattern.message}'`,
    )
  return pattern.matcher(value).find()
    ? undefined
    : otherError(path, value, `should match '${source}'`)
}

/** The number of code points; a lone surrogate counts as one. */
function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

function checkList(
  found: Findings,
  node: SchemaNode,
  value: readonly unknown[],
  path: string,
  old: Correlated | undefined,
): void {
  const { items } = node
  const { minItems, maxItems, uniqueItems } = node.source
  if (items)
    for (const [i, item] of value.entries())
      check(found, items, item, `${path}[${i}]`, old?.index(i))
  if (minItems !== undefined && value.length < minItems)
    found.add(otherError(path, value.length, `should have at least ${minItems} items`))
  if (maxItems !== undefined && value.length > maxItems)
    found.add(tooManyItemsError(path, value.length, maxItems))
  if (uniqueItems && value.some((it, i) => value.slice(0, i).some((other) => equalJson(it, other))))
    found.add(otherError(path, '', "shouldn't contain duplicates"))
  // The list's own check and its being made.
  found.matches += 2
}

function checkEnum(found: Findings, node: SchemaNode, value: unknown, path: string): void {
  const allowed = node.source.enum
  if (allowed?.length && !allowed.some((it) => isEnumValue(it, value)))
    found.add(enumError(path, value, allowed))
}

/** Go converts the value to the type of what is allowed first: 1.5 becomes 1 beside a whole number. */
function isEnumValue(allowed: unknown, value: unknown): boolean {
  const cut = typeof value === 'number' && typeof allowed === 'number' && isInteger(allowed)
  return equalJson(allowed, cut ? Math.trunc(value) : value)
}

function checkObject(
  found: Findings,
  node: SchemaNode,
  value: Readonly<Record<string, unknown>>,
  path: string,
  old: Correlated | undefined,
): void {
  checkSize(found, node, value, path)
  const { additional, properties } = node
  for (const name in value) {
    const property = properties.get(name)
    if (property) {
      const at = path === '' ? name : `${path}.${name}`
      check(found, property, value[name], at, below(old, name, path))
    } else if (additional === false) found.add(forbiddenProperty(path, name))
    else if (typeof additional === 'object')
      check(found, additional, value[name], `${path}.${name}`, below(old, name, path))
  }
  for (const name of node.source.required ?? [])
    if (!Object.hasOwn(value, name)) found.add(requiredError(`${path}.${name}`))
}

/** apiVersion and kind of the whole object never count as unchanged: old and new were brought to one version. */
function below(old: Correlated | undefined, name: string, path: string): Correlated | undefined {
  return path === '' && (name === 'apiVersion' || name === 'kind') ? undefined : old?.key(name)
}

function checkSize(
  found: Findings,
  node: SchemaNode,
  value: Readonly<Record<string, unknown>>,
  path: string,
): void {
  const { minProperties, maxProperties } = node.source
  if (minProperties === undefined && maxProperties === undefined) return
  const size = Object.keys(value).length
  if (minProperties !== undefined && size < minProperties)
    found.add(otherError(path, size, `should have at least ${minProperties} properties`))
  if (maxProperties !== undefined && size > maxProperties)
    found.add(tooManyPropertiesError(path, size, maxProperties))
}

/** anyOf, oneOf, allOf and not. Inside them nothing is tolerated for being unchanged. */
function checkCombinators(found: Findings, node: SchemaNode, value: unknown, path: string): void {
  if (node.anyOf.length) checkAnyOf(found, node.anyOf, value, path)
  if (node.oneOf.length) checkOneOf(found, node.oneOf, value, path)
  if (node.allOf.length) checkAllOf(found, node.allOf, value, path)
  if (node.not && branch(node.not, value, path).valid)
    found.add(unplacedError(`${JSON.stringify(path)} must not validate the schema (not)`))
  // The combinators' own check and their being made.
  found.matches += 2
}

function branch(node: SchemaNode, value: unknown, path: string): Findings {
  const found = new Findings()
  checkAll(found, node, value, path, undefined)
  return found
}

const further = (best: Findings | undefined, it: Findings): Findings =>
  best === undefined || it.matches > best.matches ? it : best

function checkAnyOf(
  found: Findings,
  branches: readonly SchemaNode[],
  value: unknown,
  path: string,
): void {
  let best: Findings | undefined
  for (const it of branches) {
    const result = branch(it, value, path)
    if (result.valid) return found.merge(result)
    best = further(best, result)
  }
  found.add(unplacedError(`${JSON.stringify(path)} must validate at least one schema (anyOf)`))
  if (best) found.merge(best)
}

function checkOneOf(
  found: Findings,
  branches: readonly SchemaNode[],
  value: unknown,
  path: string,
): void {
  let best: Findings | undefined
  let first: Findings | undefined
  let valid = 0
  for (const it of branches) {
    const result = branch(it, value, path)
    if (result.valid) {
      valid++
      best = undefined
      first ??= result
    } else if (valid === 0) best = further(best, result)
  }
  if (valid === 1) return found.merge(first as Findings)
  const many = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`
  found.add(
    unplacedError(`${JSON.stringify(path)} must validate one and only one schema (oneOf). ${many}`),
  )
  if (best) found.merge(best)
}

function checkAllOf(
  found: Findings,
  branches: readonly SchemaNode[],
  value: unknown,
  path: string,
): void {
  let valid = 0
  for (const it of branches) {
    const result = branch(it, value, path)
    if (result.valid) valid++
    found.merge(result)
  }
  if (valid === branches.length) return
  const none = valid === 0 ? '. None validated' : ''
  found.add(unplacedError(`${JSON.stringify(path)} must validate all the schemas (allOf)${none}`))
}
