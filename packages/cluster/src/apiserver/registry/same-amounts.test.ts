import assert from 'node:assert/strict'
import { test } from 'node:test'
import { same } from './fields.ts'

test('quantities are equal by their value, where a field holds quantities', () => {
  const claim = (storage: string): object => ({ resources: { requests: { storage } } })
  assert.equal(same(claim('1Gi'), claim('1073741824')), true)
  assert.equal(same(claim('1Gi'), claim('1G')), false)
  assert.equal(same({ requests: { cpu: '1' } }, { requests: { cpu: '1', memory: '1' } }), false)
})

test('other texts are equal as they are written', () => {
  assert.equal(same({ data: { size: '1Gi' } }, { data: { size: '1073741824' } }), false)
  assert.equal(same({ limits: { note: 'x' } }, { limits: { note: 'y' } }), false)
})
