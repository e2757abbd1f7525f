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

/**
 * A value that a schema takes, as small as it can be while it shows what there is. Patterns and rules are beyond it: where there are
 * such, the author gives a default or edits the sample.
 */
export function example(schema: JsonSchema): unknown {
  const { default: given, enum: choices, type } = schema
  if (given !== undefined && type !== 'object') return given
  if (choices?.length) return choices[0]
  if (schema['x-kubernetes-int-or-string']) return 1
  switch (type) {
    case 'object':
      return exampleObject(schema)
    case 'array':
      return exampleArray(schema)
    case 'integer':
    case 'number':
      return exampleNumber(schema)
    case 'boolean':
      return false
    default:
      return exampleString(schema)
  }
}

function exampleObject({ properties = {}, required = [] }: JsonSchema): object {
  const shown = Object.entries(properties).filter(
    ([name, it]) => required.includes(name) || it.default !== undefined,
  )
  return Object.fromEntries(shown.map(([name, it]) => [name, example(it)]))
}

function exampleArray({ items, minItems = 0 }: JsonSchema): readonly unknown[] {
  return items ? Array.from({ length: minItems }, () => example(items)) : []
}

/** The number nearest to one that the bounds allow. */
function exampleNumber(schema: JsonSchema): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf = 1 } = schema
  const least = minimum === undefined ? -Infinity : minimum + (exclusiveMinimum ? multipleOf : 0)
  const most = maximum === undefined ? Infinity : maximum - (exclusiveMaximum ? multipleOf : 0)
  const near = Math.max(Math.min(1, most), least)
  const up = Math.ceil(near / multipleOf) * multipleOf
  return up <= most ? up : Math.floor(near / multipleOf) * multipleOf
}

/** One value of each format that Kubernetes knows and that a plain word is none of. */
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T00:00:00Z',
  datetime: '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  duration: '1m',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  cidr: '192.0.2.0/24',
  mac: '00:00:5e:00:53:01',
  email: 'someone@example.com',
  hostname: 'example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
  uuid4: '00000000-0000-4000-8000-000000000000',
  byte: 'ZXhhbXBsZQ==',
}

function exampleString({ format, minLength = 0, maxLength = Infinity }: JsonSchema): string {
  const word = FORMATS[format ?? ''] ?? 'example'
  return word.padEnd(minLength, '-example').slice(0, maxLength)
}
