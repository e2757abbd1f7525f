import assert from 'node:assert/strict'
import test from 'node:test'
import table from './testdata/warnings.json' with { type: 'json' }
import { BARE_WORLD, contextOf, created, resourceNamed } from './testing/harness.ts'
import { strategyOf } from './strategies.ts'

interface Row {
  readonly resource: string
  readonly input: object
  readonly warnings: readonly string[]
}

const rows: readonly Row[] = table

for (const [i, row] of rows.entries()) {
  test(`${i}: ${row.resource} is created with the warnings of kube-apiserver v1.36`, async () => {
    const resource = resourceNamed(row.resource)
    const warnings: string[] = []
    const context = contextOf(resource, BARE_WORLD, warnings)
    const { object, errors } = await created(resource, row.input, context)
    assert.deepEqual(errors, [])
    warnings.push(...(strategyOf(resource).warningsOnCreate?.(object, context) ?? []))
    // A text is told once.
    assert.deepEqual([...new Set(warnings)], row.warnings)
  })
}
