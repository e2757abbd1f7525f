import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compareStrings, decodeUtf8, encodeUtf8, utf8Length } from './utf8.ts'
import { codePointCount } from './value.ts'

const text = fc.string({ unit: 'binary' })

test('lengths and conversion agree with the encoder', () => {
  fc.assert(
    fc.property(text, (value) => {
      assert.equal(utf8Length(value), encodeUtf8(value).length)
      assert.equal(codePointCount(value), Array.from(value).length)
      assert.equal(decodeUtf8(encodeUtf8(value)), value)
    }),
  )
})

test('strings sort as their bytes do', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      const byBytes = Buffer.compare(Buffer.from(a), Buffer.from(b))
      assert.equal(Math.sign(compareStrings(a, b)), byBytes)
    }),
  )
})

test('bytes that are no UTF-8 have no string', () => {
  assert.equal(decodeUtf8(Uint8Array.of(0xff)), undefined)
  assert.equal(decodeUtf8(Uint8Array.of(0xed, 0xa0, 0x80)), undefined)
})
