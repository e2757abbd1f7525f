import { ApiError, type UnknownObject } from 'kubewright/machinery'
import assert from 'node:assert/strict'
import test from 'node:test'
import { contextOf, created, resourceNamed } from '../registry/testing/harness.ts'
import table from './testdata/pod-security.json' with { type: 'json' }
import { POD_SECURITY } from './pod-security.ts'

interface Row {
  readonly labels: Readonly<Record<string, string | undefined>>
  readonly resource: string
  readonly pod: string
  readonly message?: string
  readonly warnings: readonly string[]
}

const PREFIX = 'pod-security.kubernetes.io/'
const rows: readonly Row[] = table.rows
const pods: Readonly<Record<string, object>> = table.pods

const namespaceWith = (labels: Row['labels']): UnknownObject => ({
  metadata: {
    name: 'default',
    labels: Object.fromEntries(
      Object.entries(labels).flatMap(([key, value]) => (value ? [[PREFIX + key, value]] : [])),
    ),
  },
})

function inputOf({ resource, pod }: Row): object {
  const spec = structuredClone(pods[pod])
  if (resource === 'v1/pods') return { metadata: { name: 'x' }, spec }
  const labels = { a: 'b' }
  return {
    metadata: { name: 'x' },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  }
}

test('pods and templates are judged as kube-apiserver judges them', async (t) => {
  for (const row of rows) {
    const title = `${row.resource} ${row.pod} under ${JSON.stringify(row.labels)}`
    await t.test(title, async () => {
      const warnings: string[] = []
      const resource = resourceNamed(row.resource)
      const context = contextOf(resource, { '/namespaces': [namespaceWith(row.labels)] }, warnings)
      let message: string | undefined
      try {
        await created(resource, inputOf(row), context, { plugins: [POD_SECURITY] })
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        message = error.message
      }
      assert.equal(message, row.message)
      const own = row.warnings.flatMap((it) => it.split(', 299 - ')).filter((it) => it !== '')
      assert.deepEqual(warnings, own)
    })
  }
})
