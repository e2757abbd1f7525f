import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { escapeFieldValue, parseFieldSelector } from './field-selector.ts'
import {
  labelSelector,
  selectorOf,
  type LabelOperator,
  type LabelRequirement,
} from './label-selector.ts'
import { parseLabelSelector } from './parse-label-selector.ts'

const MATCHES: readonly [selector: string, labels: Record<string, string>, matches: boolean][] = [
  ['', {}, true],
  ['x=y', { x: 'y' }, true],
  ['x=y,z=w', { x: 'y', z: 'w' }, true],
  ['x!=y,z!=w', { x: 'z', z: 'a' }, true],
  ['notin=in', { notin: 'in' }, true],
  ['x', { x: 'z' }, true],
  ['!x', { y: 'z' }, true],
  ['x=z', {}, false],
  ['x>1', { x: '2' }, true],
  ['x<1', { x: '0' }, true],
  ['x>1', { x: 'two' }, false],
  ['x in (a,b)', { x: 'b' }, true],
  ['x notin (a,b)', { x: 'b' }, false],
  ['x notin (a,b)', {}, true],
  ['x in (a,,b)', { x: '' }, true],
  ['x in ()', { x: '' }, true],
  ['x=', { x: '' }, true],
  ['constructor', {}, false],
]

test('a label selector matches as apimachinery says', () => {
  for (const [text, labels, matches] of MATCHES)
    assert.equal(
      parseLabelSelector(text).matches(labels),
      matches,
      `${text} on ${JSON.stringify(labels)}`,
    )
})

const WRONG: readonly [selector: string, message: string][] = [
  ['x=a b', "found 'b', expected: ',' or 'end of string'"],
  ['x==a==b', "found '==', expected: ',' or 'end of string'"],
  ['!x=a', "found '=', expected: ',' or 'end of string'"],
  ['x,', "found '', expected: identifier after ','"],
  ['x in a', "unable to parse requirement: found 'a' expected: '('"],
  [',x', "found ',', expected: !, identifier, or 'end of string'"],
  ['x y', "unable to parse requirement: found 'y', expected: in, notin, =, ==, !=, gt, lt"],
]

test('a label selector that cannot be read gets the server’s sentence', () => {
  for (const [text, message] of WRONG)
    assert.throws(() => parseLabelSelector(text), { message }, text)
})

const word = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/)
const requirement = fc
  .record({
    key: word,
    operator: fc.constantFrom<LabelOperator>('=', '!=', 'in', 'notin', 'exists', '!'),
    values: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
  })
  .map(({ key, operator, values }): LabelRequirement => ({
    key,
    operator,
    values:
      operator === 'exists' || operator === '!'
        ? []
        : operator === 'in' || operator === 'notin'
          ? values.sort()
          : [values[0]!],
  }))

test('a printed label selector reads back as itself', () => {
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 4 }), (requirements) => {
      const selector = labelSelector(requirements)
      assert.deepEqual(parseLabelSelector(selector.text).requirements, selector.requirements)
    }),
  )
})

test('an absent selector of an object selects nothing, an empty one everything', () => {
  assert.equal(selectorOf(undefined).matches({ a: 'b' }), false)
  assert.equal(selectorOf({}).matches({}), true)
  assert.throws(
    () => selectorOf({ matchExpressions: [{ key: 'a', operator: 'Gt' }] }),
    /not a valid label selector operator/,
  )
})

test('a field value survives escaping, whatever it holds', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      const text = `metadata.name=${escapeFieldValue(a)},status.phase!=${escapeFieldValue(b)}`
      const { terms } = parseFieldSelector(text)
      assert.deepEqual(
        [...terms].sort((x, y) => (x.field < y.field ? -1 : 1)),
        [
          { field: 'metadata.name', equal: true, value: a },
          { field: 'status.phase', equal: false, value: b },
        ],
      )
    }),
  )
})

test('a field selector that cannot be read says which part', () => {
  assert.throws(() => parseFieldSelector('status'), {
    message: "invalid selector: 'status'; can't understand 'status'",
  })
  assert.throws(() => parseFieldSelector('a=b=c'), {
    message: 'invalid field selector: unescaped character in value: 61',
  })
  assert.throws(() => parseFieldSelector('a=b\\x'), {
    message: 'invalid field selector: invalid escape sequence: \\x',
  })
})

test('an operator named like an inherited member is none', () => {
  for (const operator of ['constructor', '__proto__', 'toString'])
    assert.throws(
      () => selectorOf({ matchExpressions: [{ key: 'a', operator }] }),
      /is not a valid label selector operator/,
    )
})

test('a value may end in an escaped comma', () => {
  assert.deepEqual(parseFieldSelector('a=b\\,,c=\\,').terms, [
    { field: 'a', equal: true, value: 'b,' },
    { field: 'c', equal: true, value: ',' },
  ])
})
