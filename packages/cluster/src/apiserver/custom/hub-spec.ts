import {
  type CrdSpec,
  type CrdSubresources,
  type CrdVersion,
  type JsonSchema,
  type PrinterColumn,
  equalJson,
} from 'kubewright/schema'

/**
 * A spec as Kubernetes validates it: what is the same in all versions stands at the spec, and not at the versions
 * (apiextensions/v1 conversion.go). Error paths follow from it: `spec.validation…` or `spec.versions[i].schema…`.
 */
export interface HubSpec {
  readonly spec: CrdSpec
  readonly versions: readonly CrdVersion[]
  readonly validation: { readonly openAPIV3Schema?: JsonSchema } | undefined
  readonly subresources: CrdSubresources | undefined
  readonly columns: readonly PrinterColumn[] | undefined
  readonly selectableFields: CrdVersion['selectableFields']
}

/** Parts of a version that can be shared. */
const SHARED = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const

/** An empty list of columns or fields is none. */
const part = (version: CrdVersion, name: (typeof SHARED)[number]): unknown => {
  const value = version[name]
  return Array.isArray(value) && value.length === 0 ? undefined : value
}

/** Takes out of a spec's versions what they share. */
export function hubSpec(spec: CrdSpec): HubSpec {
  const [first] = spec.versions
  const shared = SHARED.filter(
    (name) => first && spec.versions.every((it) => equalJson(part(it, name), part(first, name))),
  )
  const has = (name: (typeof SHARED)[number]): boolean => shared.includes(name)
  return {
    spec,
    versions: spec.versions.map((it) => without(it, shared)),
    validation: has('schema') ? first?.schema : undefined,
    subresources: has('subresources') ? first?.subresources : undefined,
    columns: has('additionalPrinterColumns') ? first?.additionalPrinterColumns : undefined,
    selectableFields: has('selectableFields') ? first?.selectableFields : undefined,
  }
}

function without(version: CrdVersion, names: readonly string[]): CrdVersion {
  return Object.fromEntries(
    Object.entries(version).filter(([name]) => !names.includes(name)),
  ) as unknown as CrdVersion
}
