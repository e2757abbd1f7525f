import assert from 'node:assert/strict'
import test from 'node:test'
import * as names from './names.ts'
import table from './testdata/names.json' with { type: 'json' }

type Rule = (value: string) => readonly string[]
type Row = readonly [value: string, problems: readonly number[]]

const rules = names as unknown as Readonly<Record<string, Rule>>

for (const [name, rows] of Object.entries(table.rules)) {
  test(`${name} says what apimachinery/pkg/util/validation says`, () => {
    for (const [value, problems] of rows as unknown as readonly Row[]) {
      const expected = problems.map((it) => table.messages[it])
      assert.deepEqual(rules[name]!(value), expected, JSON.stringify(value))
    }
  })
}

test('ports lie in their range', () => {
  assert.deepEqual(names.isPortNumber(80), [])
  assert.deepEqual(names.isPortNumber(0), ['must be between 1 and 65535, inclusive'])
})

test('a prefix may end in a dash, which a name may not', () => {
  assert.deepEqual(names.nameIsDnsSubdomain('web-', true), [])
  assert.equal(names.nameIsDnsSubdomain('web-', false).length, 1)
  assert.deepEqual(names.nameIsPathSegment('A B', false), [])
  assert.deepEqual(names.nameIsPathSegment('..', false), ["may not be '..'"])
  assert.deepEqual(names.nameIsPathSegment('a/b%', false), [
    "may not contain '/'",
    "may not contain '%'",
  ])
})
