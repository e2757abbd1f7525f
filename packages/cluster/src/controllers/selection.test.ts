import assert from 'node:assert/strict'
import test from 'node:test'
import { selectControllers } from './selection.ts'
import { isSelected, stockControllers } from './stock.ts'

const ALL = [
  { name: 'a-controller', aliases: ['old-a'] },
  { name: 'b-controller' },
  { name: 'kube-c' },
]

const chosen = (...wanted: readonly string[]): string =>
  selectControllers(ALL, wanted)
    .map((it) => it.name)
    .join()

test('controllers are chosen as by the flag of kube-controller-manager', () => {
  assert.equal(chosen('*'), 'a-controller,b-controller,kube-c')
  assert.equal(chosen('*', '-b'), 'a-controller,kube-c')
  assert.equal(chosen('kube-c', 'old-a'), 'a-controller,kube-c')
  assert.equal(chosen('-a-controller'), '')
  assert.equal(chosen('-a', 'a', '*'), 'b-controller,kube-c', 'the first counts')
  assert.throws(() => chosen('*', '-d'), /"-d" names no controller: expected \*, or one of a-contr/)
})

test('every stock controller can be left out, and has a name of its own', () => {
  const count = (...wanted: readonly string[]): number =>
    stockControllers({ controllers: wanted }).length
  assert.equal(count('garbage-collector', 'namespace'), 3)
  assert.ok(count('*', '-deployment') === count('*') - 1)
  assert.ok(isSelected('serviceaccount-controller', ['*']))
  assert.ok(!isSelected('serviceaccount-controller', ['*', '-serviceaccount']))
  const names = stockControllers().map((it) => it.name)
  assert.equal(new Set(names).size, names.length)
})
