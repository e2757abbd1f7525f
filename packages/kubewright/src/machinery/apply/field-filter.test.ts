import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyElement, excludeFields, includeFields } from './field-filter.ts'
import { fieldSetOf, pathsOf } from './field-set.ts'
import type { FieldFilter } from './field-filter.ts'
import { fieldElement, fieldPath, keyElement, printPath } from './path-element.ts'

const web = [...fieldPath('spec', 'containers'), keyElement([['name', 'web']])]
const set = fieldSetOf(
  fieldPath('metadata', 'labels', 'a'),
  fieldPath('spec', 'replicas'),
  web,
  [...web, fieldElement('image')],
  [...web, ...fieldPath('resources', 'limits')],
  fieldPath('status'),
  fieldPath('status', 'phase'),
)

function printed(filter: FieldFilter): string[] {
  return [...pathsOf(filter(set))].map(printPath)
}

test('excluding takes away a path and what is below it', () => {
  const filter = excludeFields(fieldSetOf(fieldPath('status'), fieldPath('spec', 'containers')))
  assert.deepEqual(printed(filter), ['.metadata.labels.a', '.spec.replicas'])
})

test('including keeps what begins as the pattern, and what leads there', () => {
  const filter = includeFields(['spec', 'containers', anyElement, 'resources'])
  const kept = ['.spec.containers[name="web"]', '.spec.containers[name="web"].resources.limits']
  assert.deepEqual(printed(filter), kept)
})

test('patterns add up', () => {
  const filter = includeFields(
    ['spec', 'replicas'],
    ['spec', 'containers', anyElement, 'image'],
    ['status'],
  )
  assert.deepEqual(printed(filter), [
    '.status',
    '.spec.replicas',
    '.spec.containers[name="web"]',
    '.spec.containers[name="web"].image',
    '.status.phase',
  ])
})

test('without patterns everything is kept', () => {
  assert.equal(includeFields()(set), set)
})
