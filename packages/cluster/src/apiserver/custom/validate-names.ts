import { type FieldError, invalidValue, isDns1035Label, required } from 'kubewright/machinery'
import type { CrdNames } from 'kubewright/schema'

type Errors = readonly FieldError[]

const MIXED = 'may have mixed case, but should otherwise match: '

const labelError = (field: string, value: string | undefined): Errors => {
  const problems = value ? isDns1035Label(value) : []
  return problems.length ? [invalidValue(field, value, problems.join(','))] : []
}

const kindError = (field: string, value: string | undefined): Errors => {
  const problems = value ? isDns1035Label(value.toLowerCase()) : []
  return problems.length ? [invalidValue(field, value, MIXED + problems.join(','))] : []
}

const eachLabel = (field: string, values: readonly string[] = []): Errors =>
  values.flatMap((value, i) => {
    const problems = isDns1035Label(value)
    return problems.length ? [invalidValue(`${field}[${i}]`, value, problems.join(','))] : []
  })

/** What is wrong with the names of a spec or with accepted names (ValidateCustomResourceDefinitionNames). */
export function namesErrors(names: CrdNames | undefined, path: string): Errors {
  if (!names) return []
  return [
    ...labelError(`${path}.plural`, names.plural),
    ...labelError(`${path}.singular`, names.singular),
    ...kindError(`${path}.kind`, names.kind),
    ...kindError(`${path}.listKind`, names.listKind),
    ...eachLabel(`${path}.shortNames`, names.shortNames),
    ...(names.kind && names.kind === names.listKind
      ? [invalidValue(`${path}.listKind`, names.listKind, 'kind and listKind may not be the same')]
      : []),
    ...eachLabel(`${path}.categories`, names.categories),
  ]
}

/** The names that a spec must have; defaulting fills in two of them. */
export function missingNames(names: CrdNames, path: string): Errors {
  return (['plural', 'singular', 'kind', 'listKind'] as const)
    .filter((it) => !names[it])
    .map((it) => required(`${path}.${it}`))
}
