import names from '../data/shared-parameters.json' with { type: 'json' }
import type { Operation } from './operations.ts'

const NAMES: Readonly<Record<string, string>> = names

/** A parameter as v2 writes it: its type beside its name, or, of a body, a schema. */
export interface ParameterV2 {
  readonly name: string
  readonly in: string
  readonly type?: string
  readonly uniqueItems?: true
  readonly required?: true
  readonly schema?: { readonly $ref?: string }
}

/** What each operation writes out itself: old clients look for these where they are used (kube-openapi/pkg/builder/parameters.go). */
const OWN: ReadonlySet<string> = new Set(['name', 'fieldValidation', 'dryRun'])
const GENERIC = '#/definitions/io.k8s.apimachinery'

/** Under which name an operation refers to one of its parameters; undefined where it writes it out. */
export function sharedName(it: ParameterV2, operation: Operation): string | undefined {
  if (OWN.has(it.name)) return undefined
  if (it.in === 'body' && !it.schema?.$ref?.startsWith(GENERIC)) return undefined
  const key = `${it.name} ${it.in}`
  return NAMES[key] ?? NAMES[`${key} ${placeOf(it, operation)}`]
}

/** What tells parameters of one name apart: the kind of the body, the subresource, or whether a patch takes it. */
function placeOf({ schema }: ParameterV2, { path, method }: Operation): string {
  if (schema?.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf('.') + 1)
  const proxied = /\/(\w+)\/\{name\}\/proxy/.exec(path)?.[1]
  const below = /\/pods\/\{name\}\/(log|attach|exec)$/.exec(path)?.[1]
  return proxied ?? below ?? (method === 'patch' ? 'patch' : 'write')
}
