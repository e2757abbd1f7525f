import { definitionOf, META_V1 } from '../resources/builtins.ts'

/** A parameter of an operation, as OpenAPI v3 writes it. */
export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly required?: true
  readonly schema: { readonly type: string; readonly uniqueItems: true }
}

/** The query parameters of a Go options struct, by its OpenAPI name: its plain fields, by name. */
export function optionParameters(definition: string): readonly Parameter[] {
  const fields = Object.entries(definitionOf(definition)?.go ?? {})
  return fields
    .filter(([name]) => name !== 'kind' && name !== 'apiVersion')
    .flatMap(([name, text]) => {
      const type = parameterType(text)
      return type === undefined ? [] : [query(name, type)]
    })
}

/** What the type of a field is in a URL; undefined for one that has no place there, such as a struct. */
function parameterType(text: string): string | undefined {
  if (/[#!]/.test(text)) return undefined
  if (/bool/.test(text)) return 'boolean'
  return /int(32|64)/.test(text) ? 'integer' : 'string'
}

const query = (name: string, type: string): Parameter => ({
  name,
  in: 'query',
  schema: { type, uniqueItems: true },
})

/** A part of the path: `{name}`. */
export const pathParameter = (name: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', uniqueItems: true },
})

/** `?pretty=true`, which nearly every operation takes. */
export const PRETTY: Parameter = query('pretty', 'string')

/** `?resourceVersion=`, which a GET of a custom resource is said to take. */
export const RESOURCE_VERSION: Parameter = query('resourceVersion', 'string')

/** The parameters of each verb, from the meta/v1 options struct it reads. */
export function verbParameters(
  verb: 'list' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection',
): readonly Parameter[] {
  switch (verb) {
    case 'list':
      return optionParameters(`${META_V1}.ListOptions`)
    case 'create':
      return optionParameters(`${META_V1}.CreateOptions`)
    case 'update':
      return optionParameters(`${META_V1}.UpdateOptions`)
    case 'patch':
      return optionParameters(`${META_V1}.PatchOptions`)
    case 'delete':
      return optionParameters(`${META_V1}.DeleteOptions`)
    case 'deletecollection':
      return [...verbParameters('list'), ...verbParameters('delete')].filter(
        (it) => it.name !== 'watch' && it.name !== 'allowWatchBookmarks',
      )
  }
}
