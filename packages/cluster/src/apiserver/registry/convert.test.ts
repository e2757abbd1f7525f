import assert from 'node:assert/strict'
import test from 'node:test'
import type { UnknownObject } from 'kubewright/machinery'
import { convertBuiltin } from './convert.ts'
import table from './testdata/convert.json' with { type: 'json' }

/** The same object as kube-apiserver v1.36 shows it in two versions. */
const objects = table as unknown as readonly Readonly<Record<string, UnknownObject>>[]

const versionOf = (it: UnknownObject): string => (it as { apiVersion?: string }).apiVersion ?? ''
const nameOf = (it: UnknownObject): string =>
  `${(it as { kind?: string }).kind} ${it.metadata.name}`

for (const faces of objects) {
  const [one, other] = Object.values(faces) as [UnknownObject, UnknownObject]
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    test(`${nameOf(from)} converts from ${versionOf(from)} to ${versionOf(to)}`, () => {
      const converted = convertBuiltin(structuredClone(from), versionOf(from), versionOf(to))
      assert.deepEqual(cpuLast(converted), cpuLast(to))
      const back = convertBuiltin(converted, versionOf(to), versionOf(from))
      assert.deepEqual(cpuLast(back), cpuLast(from))
    })
  }
}

/** autoscaling/v1 has a field for the CPU alone, and forgets where among the metrics it stood. */
function cpuLast(object: UnknownObject): unknown {
  const { spec } = object as { spec?: { metrics?: readonly Metric[] } }
  if (!spec?.metrics) return object
  const isCpu = (it: Metric): boolean => it.resource?.name === 'cpu'
  const metrics = [...spec.metrics.filter((it) => !isCpu(it)), ...spec.metrics.filter(isCpu)]
  return { ...object, spec: { ...spec, metrics } }
}

interface Metric {
  readonly resource?: { readonly name: string }
}
