import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { FieldSet } from './field-set.ts'
import {
  difference,
  emptySet,
  fieldSetOf,
  hasPath,
  intersection,
  leaves,
  pathsOf,
  recursiveDifference,
  sameSet,
  union,
} from './field-set.ts'
import type { FieldPath } from './path-element.ts'
import {
  fieldElement,
  fieldPath,
  indexElement,
  keyElement,
  printPath,
  valueElement,
} from './path-element.ts'

/** The dumb model: a set of printed paths. */
type Model = ReadonlySet<string>

function modelOf(paths: readonly FieldPath[]): Model {
  return new Set(paths.filter((path) => path.length > 0).map(idOf))
}

/** Printed ids with a separator that no id holds. */
function idOf(path: FieldPath): string {
  return path.map(({ id }) => `${id}\n`).join('')
}

function modelOfSet(set: FieldSet): Model {
  return new Set([...pathsOf(set)].map(idOf))
}

const element = fc.constantFrom(
  fieldElement('a'),
  fieldElement('b'),
  keyElement([['name', 'x']]),
  valueElement(1),
  indexElement(0),
)
const paths = fc.array(fc.array(element, { maxLength: 4 }), { maxLength: 12 })

function checkAgainstModel(
  operation: (left: FieldSet, right: FieldSet) => FieldSet,
  expected: (left: Model, right: Model) => Iterable<string>,
): void {
  fc.assert(
    fc.property(paths, paths, (a, b) => {
      const left = fieldSetOf(...a)
      const right = fieldSetOf(...b)
      const result = operation(left, right)
      assert.deepEqual(modelOfSet(result), new Set(expected(modelOf(a), modelOf(b))))
      assert.deepEqual(modelOfSet(left), modelOf(a), 'the left set is left as it was')
      assert.deepEqual(modelOfSet(right), modelOf(b), 'the right set is left as it was')
      assertNoEmptyChildren(result)
    }),
  )
}

function assertNoEmptyChildren(set: FieldSet): void {
  for (const { isMember, children } of set.values()) {
    assert.ok(isMember || children, 'an entry is a member or has children')
    if (!children) continue
    assert.notEqual(children.size, 0)
    assertNoEmptyChildren(children)
  }
}

test('union is union', () => {
  checkAgainstModel(union, (a, b) => a.union(b))
})

test('intersection is intersection', () => {
  checkAgainstModel(intersection, (a, b) => a.intersection(b))
})

test('difference is difference', () => {
  checkAgainstModel(difference, (a, b) => a.difference(b))
})

test('recursive difference also takes away what is below', () => {
  checkAgainstModel(recursiveDifference, (a, b) =>
    [...a].filter((path) => ![...b].some((gone) => path.startsWith(gone))),
  )
})

test('leaves are the paths that no other path runs through', () => {
  fc.assert(
    fc.property(paths, (list) => {
      const model = modelOf(list)
      const isLeaf = (path: string): boolean =>
        ![...model].some((other) => other !== path && other.startsWith(path))
      assert.deepEqual(modelOfSet(leaves(fieldSetOf(...list))), new Set([...model].filter(isLeaf)))
    }),
  )
})

test('membership and equality are those of the model', () => {
  fc.assert(
    fc.property(paths, paths, fc.array(element, { maxLength: 4 }), (a, b, path) => {
      const set = fieldSetOf(...a)
      assert.equal(hasPath(set, path), path.length > 0 && modelOf(a).has(idOf(path)))
      const isSame = modelOf(a).symmetricDifference(modelOf(b)).size === 0
      assert.equal(sameSet(set, fieldSetOf(...b)), isSame)
    }),
  )
})

test('an operation that changes nothing gives the same set', () => {
  fc.assert(
    fc.property(paths, (list) => {
      const set = fieldSetOf(...list)
      const copy = fieldSetOf(...list)
      assert.equal(union(set, copy), set)
      assert.equal(intersection(set, copy), set)
      assert.equal(difference(set, emptySet), set)
      assert.equal(recursiveDifference(set, fieldSetOf(fieldPath('other'))), set)
    }),
  )
})

test('paths come members first, then what is below them', () => {
  const set = fieldSetOf(fieldPath('b', 'x'), fieldPath('c'), fieldPath('a', 'y'), fieldPath('a'))
  assert.deepEqual([...pathsOf(set)].map(printPath), ['.a', '.c', '.a.y', '.b.x'])
})
