import { formatGo, formatGoSyntax, goTypeName } from '../patch/go-format.ts'
import type { JsonObject, JsonValue } from '../patch/json.ts'
import { isJsonArray, isJsonObject } from '../patch/json.ts'
import { itemElement } from './list-element.ts'
import type { PathElement } from './path-element.ts'
import { indexElement, printElement } from './path-element.ts'
import type { FieldType, ListType, MapType, ScalarType } from './type.ts'
import { narrow } from './type.ts'

/** One way in which a value does not fit its type; `path` is as printed, such as `.spec.replicas`. */
export interface TypeIssue {
  readonly path: string
  readonly message: string
}

/** Whether lists may hold several items with the same keys: what is stored may, what is applied may not. */
export type DuplicateRule = 'allow duplicates' | 'forbid duplicates'

const none: readonly TypeIssue[] = Object.freeze([])

/** Every way in which a value does not fit its type; an empty list when it does. */
export function validateType(
  type: FieldType,
  value: JsonValue,
  duplicates: DuplicateRule,
): readonly TypeIssue[] {
  const narrowed = narrow(type, value)
  if (narrowed.map) return validateMap(narrowed.map, value, duplicates)
  if (narrowed.scalar) return validateScalar(narrowed.scalar, value)
  if (narrowed.list) return validateList(narrowed.list, value, duplicates)
  return [issue('schema error: invalid atom: inlined')]
}

/** The issues as one message, in structured-merge-diff's words. */
export function printIssues(issues: readonly TypeIssue[]): string {
  const lines = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  return lines.length < 2
    ? (lines[0] ?? '')
    : ['errors:', ...lines.map((line) => `  ${line}`)].join('\n')
}

function validateScalar(type: ScalarType, value: JsonValue): readonly TypeIssue[] {
  if (value === null) return none
  switch (type) {
    case 'numeric':
      if (typeof value === 'number' || typeof value === 'bigint') return none
      return [issue(`expected numeric (int or float), got ${goTypeName(value)}`)]
    case 'string':
      if (typeof value === 'string') return none
      return [
        issue(`expected string, got &value.valueUnstructured{Value:${formatGoSyntax(value)}}`),
      ]
    case 'boolean':
      if (typeof value === 'boolean') return none
      return [issue(`expected boolean, got ${printWrapped(value)}`)]
    case 'untyped':
      if (typeof value !== 'object') return none
      return [issue(`expected any scalar, got ${printWrapped(value)}`)]
  }
}

function validateList(
  type: ListType,
  value: JsonValue,
  duplicates: DuplicateRule,
): readonly TypeIssue[] {
  if (value === null) return none
  if (!isJsonArray(value)) return [issue(`expected list, got ${printWrapped(value)}`)]
  return type.relationship === 'associative'
    ? validateItems(type, value, duplicates)
    : validateAtomicItems(type, value, duplicates)
}

function validateAtomicItems(
  type: ListType,
  items: readonly JsonValue[],
  duplicates: DuplicateRule,
): readonly TypeIssue[] {
  let issues = none
  const itemType = type.element()
  items.forEach((item, i) => {
    const found = validateType(itemType, item, duplicates)
    if (found.length > 0) issues = [...issues, ...below(indexElement(i), found)]
  })
  return issues
}

function validateItems(
  type: ListType,
  items: readonly JsonValue[],
  duplicates: DuplicateRule,
): readonly TypeIssue[] {
  const issues: TypeIssue[] = []
  const seen = new Set<string>()
  for (const [i, item] of items.entries()) {
    const element = itemElement(type, item)
    if (typeof element === 'string') return [...issues, issue(`element ${i}: ${element}`)]
    if (seen.has(element.id) && duplicates === 'forbid duplicates')
      issues.push(issue(`duplicate entries for key ${printElement(element)}`))
    seen.add(element.id)
    issues.push(...below(element, validateType(type.element(), item, duplicates)))
  }
  return issues
}

function validateMap(
  type: MapType,
  value: JsonValue,
  duplicates: DuplicateRule,
): readonly TypeIssue[] {
  if (value === null) return none
  if (!isJsonObject(value)) return [issue(`expected map, got ${printWrapped(value)}`)]
  return validateMembers(type, value, duplicates)
}

function validateMembers(
  type: MapType,
  value: JsonObject,
  duplicates: DuplicateRule,
): readonly TypeIssue[] {
  let issues = none
  for (const key of Object.keys(value)) {
    const ref = type.fields.get(key)?.type ?? type.element
    // Kubernetes stops at the first member it does not know.
    if (!ref) return [...issues, { path: `.${key}`, message: 'field not declared in schema' }]
    const found = validateType(ref(), value[key] ?? null, duplicates)
    if (found.length > 0) issues = [...issues, ...prefixed(`.${key}`, found)]
  }
  return issues
}

function below(element: PathElement, issues: readonly TypeIssue[]): readonly TypeIssue[] {
  return issues.length === 0 ? none : prefixed(printElement(element), issues)
}

function prefixed(prefix: string, issues: readonly TypeIssue[]): readonly TypeIssue[] {
  return issues.map(({ path, message }) => ({ path: prefix + path, message }))
}

function issue(message: string): TypeIssue {
  return { path: '', message }
}

/** A value in the wrapper that structured-merge-diff prints it in. */
function printWrapped(value: JsonValue): string {
  return `&{${formatGo(value)}}`
}
