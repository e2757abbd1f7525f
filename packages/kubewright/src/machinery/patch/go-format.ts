import type { JsonObject, JsonValue } from './json.ts'
import { isJsonArray, isJsonObject } from './json.ts'

/**
 * Kubernetes' messages print values with Go's fmt verbs. These functions print a JSON value as Go prints the
 * decoded value (maps as map[string]interface {}, whole numbers as int64, others as float64).
 */

/** fmt's %v: `map[a:1 b:[x y]]`, `<nil>`, bare strings. Maps print in key order. */
export function formatGo(value: JsonValue): string {
  if (value === null) return '<nil>'
  if (typeof value === 'number') return formatGoNumber(value)
  if (isJsonArray(value)) return `[${value.map(formatGo).join(' ')}]`
  if (isJsonObject(value)) return `map[${entriesInOrder(value, (v) => formatGo(v), ':').join(' ')}]`
  return String(value)
}

/** fmt's %#v, Go syntax: `map[string]interface {}{"a":1}`, `[]interface {}{"x"}`, quoted strings. */
export function formatGoSyntax(value: JsonValue): string {
  if (value === null) return 'interface {}(nil)'
  if (typeof value === 'number') return formatGoNumber(value)
  if (typeof value === 'string') return quoteGo(value)
  if (isJsonArray(value)) return `[]interface {}{${value.map(formatGoSyntax).join(', ')}}`
  if (!isJsonObject(value)) return String(value)
  const print = (v: JsonValue): string => formatGoSyntax(v)
  return `map[string]interface {}{${entriesInOrder(value, print, ':', quoteGo).join(', ')}}`
}

/** fmt's %T of the decoded value: `string`, `int64`, `map[string]interface {}`, `<nil>` … */
export function goTypeName(value: JsonValue): string {
  if (value === null) return '<nil>'
  if (isJsonArray(value)) return '[]interface {}'
  if (typeof value === 'object') return 'map[string]interface {}'
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int64' : 'float64'
  if (typeof value === 'bigint') return 'int64'
  return typeof value === 'boolean' ? 'bool' : 'string'
}

/** strconv.Quote: double quotes, Go escapes, printable Unicode kept. */
export function quoteGo(text: string): string {
  return `"${text.replace(/["\\]|[^\x20-\x7e]/gu, escapeGo)}"`
}

/** A number as fmt's %v prints an int64 or a float64: shortest digits, exponent below 1e-4 and from 1e21. */
export function formatGoNumber(value: number): string {
  const text = String(value)
  const small = Math.abs(value) < 1e-4 && value !== 0
  const printed = small && !text.includes('e') ? value.toExponential() : text
  return printed.replace(/e([+-])(\d)$/, 'e$10$2')
}

function entriesInOrder(
  value: JsonObject,
  print: (value: JsonValue) => string,
  separator: string,
  printKey: (key: string) => string = (key) => key,
): string[] {
  return Object.keys(value)
    .sort()
    .map((key) => printKey(key) + separator + print(value[key] ?? null))
}

const namedEscapes: Readonly<Record<string, string>> = Object.freeze({
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
})

function escapeGo(char: string): string {
  const named = namedEscapes[char]
  if (named !== undefined) return named
  const code = char.codePointAt(0) ?? 0
  if (code < 0x80) return `\\x${hex(code, 2)}`
  if (!/[\p{C}\p{Z}]/u.test(char)) return char
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}
