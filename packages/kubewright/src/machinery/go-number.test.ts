import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goFloat, goNumber } from './go-number.ts'

const floats: readonly (readonly [number, string])[] = [
  [0, '0'],
  [1.5, '1.5'],
  [100000, '100000'],
  [1000000, '1e+06'],
  [1234567.25, '1.23456725e+06'],
  [0.0001, '0.0001'],
  [0.00001, '1e-05'],
  [-2.5e22, '-2.5e+22'],
]

for (const [value, text] of floats)
  test(`Go prints the float ${value} as ${text}`, () => {
    assert.equal(goFloat(value), text)
  })

test('whole numbers are printed plain as long as they are int64', () => {
  assert.equal(goNumber(1234567), '1234567')
  assert.equal(goNumber(1e20), '1e+20')
  assert.equal(goNumber(1234567.5), '1.2345675e+06')
})
