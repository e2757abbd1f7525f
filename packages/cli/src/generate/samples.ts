import type { DeclaredKind } from 'kubewright'
import type { JsonSchema } from 'kubewright/schema'

/** An object of a kind with every required field and every default filled in: something to start from. */
export function sampleOf(kind: DeclaredKind, project: string): object {
  const schema = kind.crd().spec.versions.find((it) => it.name === kind.version)
    ?.schema?.openAPIV3Schema
  const spec = schema?.properties?.['spec']
  return {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: {
      name: `${kind.kind.toLowerCase()}-sample`,
      labels: { 'app.kubernetes.io/name': project, 'app.kubernetes.io/managed-by': 'kubewright' },
    },
    ...(spec ? { spec: example(spec) } : {}),
  }
}

/** A value that a schema takes, as small as it can be while it shows what there is. */
export function example(schema: JsonSchema): unknown {
  const { default: given, enum: choices, type, minimum, format } = schema
  if (given !== undefined && type !== 'object') return given
  if (choices?.length) return choices[0]
  switch (type) {
    case 'object':
      return exampleObject(schema)
    case 'array':
      return schema.minItems && schema.items ? [example(schema.items)] : []
    case 'integer':
    case 'number':
      return Math.max(minimum ?? 1, 1)
    case 'boolean':
      return false
    default:
      return format === 'date-time' ? '2026-01-01T00:00:00Z' : 'example'
  }
}

function exampleObject({ properties = {}, required = [] }: JsonSchema): object {
  const shown = Object.entries(properties).filter(
    ([name, it]) => required.includes(name) || it.default !== undefined,
  )
  return Object.fromEntries(shown.map(([name, it]) => [name, example(it)]))
}
