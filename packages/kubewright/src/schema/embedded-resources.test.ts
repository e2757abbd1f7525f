import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../machinery/index.ts'
import { CoercionError, coerceEmbedded, validateEmbedded } from './embedded-resources.ts'
import { compileSchema } from './schema-node.ts'

const node = compileSchema({
  type: 'object',
  properties: {
    list: {
      type: 'array',
      items: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
    },
    map: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
    },
  },
})

test('metadata of embedded objects is decoded, wherever they stand', () => {
  const unknown: string[] = []
  const given = {
    list: [{ metadata: { name: 'x', bogus: 1 } }],
    map: { k: { metadata: { bogus: 1, labels: { a: null } } } },
  }
  assert.deepEqual(coerceEmbedded(node, given, { unknown }), {
    list: [{ metadata: { name: 'x' } }],
    map: { k: { metadata: { labels: { a: '' } } } },
  })
  assert.deepEqual(unknown, ['list[0].metadata.bogus', 'map[k].metadata.bogus'])
})

test('what needs no change comes back as it is', () => {
  const given = Object.freeze({ list: Object.freeze([{ metadata: { name: 'x' } }]) })
  assert.equal(coerceEmbedded(node, given), given)
})

test('a part of another type is refused with its place, or dropped leniently', () => {
  const given = { list: [{ apiVersion: 1, metadata: { name: 'x' } }] }
  const message = 'list[0].apiVersion: Invalid value: 1: must be a string'
  assert.throws(
    () => coerceEmbedded(node, given),
    (error) => error instanceof CoercionError && error.message === message,
  )
  assert.deepEqual(coerceEmbedded(node, given, { lenient: true }), {
    list: [{ metadata: { name: 'x' } }],
  })
})

test('embedded objects say what they are, and their metadata is checked', () => {
  const given = {
    list: [
      {},
      { apiVersion: 'a/b/c', kind: 'A_b' },
      { apiVersion: 'v1', kind: 'A', metadata: { name: 'a/b', labels: { 'a b': 'c' } } },
    ],
    map: { k: { apiVersion: '', kind: '' } },
  }
  const texts = validateEmbedded(node, given).map((it) => fieldErrorText(it).slice(0, 78))
  assert.deepEqual(texts, [
    'list[0].apiVersion: Required value',
    'list[0].kind: Required value',
    'list[1].apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/',
    'list[1].kind: Invalid value: "A_b": may have mixed case, but should otherwise ',
    `list[2].metadata.name: Invalid value: "a/b": may not contain '/'`,
    'list[2].metadata.labels: Invalid value: "a b": name part must consist of alpha',
    'map[k].apiVersion: Invalid value: "": must not be empty',
    'map[k].kind: Invalid value: "": must not be empty',
  ])
})
