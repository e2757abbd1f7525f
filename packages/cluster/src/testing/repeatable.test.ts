import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordedScenario } from './recorded-scenario.fixture.ts'

test('half an hour of a cluster’s life repeats byte for byte from its seed, and not from another', async () => {
  const first = await recordedScenario(7)
  const second = await recordedScenario(7)
  for (const [index, line] of first.entries()) {
    if (line !== second[index])
      assert.equal(second[index], line, `line ${index} of ${first.length}`)
  }
  assert.equal(second.length, first.length)
  assert.ok(first.length > 500, `only ${first.length} changes`)
  const other = await recordedScenario(8, 2)
  assert.notDeepEqual(other, first.slice(0, other.length))
})
