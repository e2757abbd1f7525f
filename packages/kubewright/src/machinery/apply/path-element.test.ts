import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PathElement } from './path-element.ts'
import {
  compareElements,
  fieldElement,
  fieldPath,
  indexElement,
  keyElement,
  parseElement,
  printElement,
  printPath,
  valueElement,
} from './path-element.ts'

const elements: readonly (readonly [PathElement, id: string, printed: string])[] = [
  [fieldElement('spec'), 'f:spec', '.spec'],
  [fieldElement('a.b/c'), 'f:a.b/c', '.a.b/c'],
  [keyElement([['name', 'web']]), 'k:{"name":"web"}', '[name="web"]'],
  [
    keyElement([
      ['protocol', 'TCP'],
      ['port', 80],
    ]),
    'k:{"port":80,"protocol":"TCP"}',
    '[port=80,protocol="TCP"]',
  ],
  [keyElement([['k', null]]), 'k:{"k":null}', '[k=null]'],
  [valueElement('<x&y>'), 'v:"\\u003cx\\u0026y\\u003e"', '[="<x&y>"]'],
  [valueElement('\b'), 'v:"\\u0008"', '[="\\b"]'],
  [valueElement(true), 'v:true', '[=true]'],
  [valueElement(1.5), 'v:1.5', '[=1.5]'],
  [indexElement(3), 'i:3', '[3]'],
]

test('elements have a canonical id and a printed form, and are read back from the id', () => {
  for (const [element, id, printed] of elements) {
    assert.equal(element.id, id)
    assert.equal(printElement(element), printed)
    assert.deepEqual(parseElement(id), element)
  }
})

test('keys in any order are the same element', () => {
  assert.equal(parseElement('k:{"protocol":"TCP","port":80}')?.id, 'k:{"port":80,"protocol":"TCP"}')
})

test('unknown kinds are skipped, malformed keys are errors', () => {
  assert.equal(parseElement('x:y'), undefined)
  assert.throws(() => parseElement('f'), { message: 'key must be 2 characters long:' })
  assert.throws(() => parseElement('foo'), { message: 'missing colon: foo' })
  assert.throws(() => parseElement('i:x'), { message: 'strconv.Atoi: parsing "x": invalid syntax' })
  assert.throws(() => parseElement('v:{'), SyntaxError)
})

test('members come before keys, values and indices, each in order', () => {
  const sorted = ['f:a', 'f:b', 'k:{"a":1}', 'k:{"a":1,"b":1}', 'k:{"a":2}', 'k:{"a":"1"}']
  sorted.push('v:1', 'v:2', 'v:10', 'v:"a"', 'v:false', 'v:true', 'i:2', 'i:10')
  const shuffled = sorted.toReversed().map((id) => parseElement(id) as PathElement)
  assert.deepEqual(
    shuffled.sort(compareElements).map(({ id }) => id),
    sorted,
  )
})

test('paths print as they stand in messages', () => {
  const path = [...fieldPath('spec', 'containers'), keyElement([['name', 'web']])]
  assert.equal(printPath([...path, fieldElement('image')]), '.spec.containers[name="web"].image')
})
