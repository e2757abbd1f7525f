import type { SchemaNode } from './schema-node.ts'

/** A path that a rule or a selectable field names, checked against the schema; or why it is none. */
export type ResolvedPath =
  | { readonly ok: true; readonly path: string; readonly root: string; readonly node: SchemaNode }
  | { readonly ok: false; readonly error: string }

/**
 * Follows a path of `.name` and `['name']` steps through a schema (apiextensions-apiserver cel.ValidFieldPath). `path` is the same
 * in the form of a field path: `.spec['a']` under properties is `spec.a`, under additionalProperties `spec[a]`.
 */
export function resolveFieldPath(
  node: SchemaNode,
  text: string,
  options: { readonly arrayNotation?: boolean } = {},
): ResolvedPath {
  const tokens = tokensOf(text)
  let at = node
  let path = ''
  let root = ''
  for (let i = 0; i < tokens.length;) {
    const step = stepAt(tokens, i, options.arrayNotation ?? true)
    if ('error' in step) return { ok: false, error: step.error }
    const next = follow(at, step.name)
    if (!next) return { ok: false, error: 'does not refer to a valid field' }
    root ||= step.name
    path += next.named ? (path === '' ? step.name : `.${step.name}`) : `[${step.name}]`
    at = next.node
    i = step.next
  }
  return { ok: true, path, root, node: at }
}

/** Delimiters stand alone; a quoted name, which may hold delimiters, is one token: up to a quote that follows no backslash. */
function tokensOf(text: string): readonly string[] {
  return text.match(/'(?:\\'|[^'])*(?:'|$)|[.[\]]|[^.[\]]+/g) ?? []
}

type Step = { readonly name: string; readonly next: number } | { readonly error: string }

function stepAt(tokens: readonly string[], i: number, arrayNotation: boolean): Step {
  const token = tokens[i]
  const after = tokens[i + 1]
  if (token === '.')
    return after === undefined
      ? { error: 'unexpected end of JSON path' }
      : { name: after, next: i + 2 }
  if (token !== '[') return { error: `expected [ or . but got: ${token}` }
  if (!arrayNotation) return { error: 'array notation is not allowed' }
  if (after === undefined) return { error: 'unexpected end of JSON path' }
  if (!/^'[^]*'$/.test(after) || after.length < 2)
    return { error: `expected single quoted string but got ${after}` }
  const name = unescaped(after.slice(1, -1))
  if (typeof name !== 'string') return name
  const end = tokens[i + 2]
  if (end === undefined) return { error: 'unexpected end of JSON path' }
  return end === ']' ? { name, next: i + 3 } : { error: `expected ] but got ${end}` }
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
}

function unescaped(text: string): string | { readonly error: string } {
  const wrong = [...text.matchAll(/\\(.)/g)].find((it) => !((it[1] as string) in ESCAPES))
  if (wrong) return { error: `invalid string literal: invalid escape char ${wrong[0]}` }
  return text.replace(/\\(.)/g, (_, it: string) => ESCAPES[it] as string)
}

/** The step's schema: a declared property, or any name of a map. */
function follow(
  node: SchemaNode,
  name: string,
): { readonly node: SchemaNode; readonly named: boolean } | undefined {
  if (node.properties.size > 0) {
    const property = node.properties.get(name)
    return property && { node: property, named: true }
  }
  return typeof node.additional === 'object' ? { node: node.additional, named: false } : undefined
}
