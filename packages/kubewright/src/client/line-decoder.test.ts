import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createLineDecoder } from './line-decoder.ts'

test('lines come out whole, wherever the bytes were cut', () => {
  const line = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .filter((it) => !/[\r\n]/.test(it))
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 9 })), (lines, cuts) => {
      const bytes = new TextEncoder().encode(lines.map((it) => `${it}\n`).join(''))
      const decoder = createLineDecoder()
      const out: string[] = []
      let at = 0
      for (let n = 0; at < bytes.length; n++) {
        const size = cuts.length > 0 ? cuts[n % cuts.length]! : bytes.length
        out.push(...decoder.push(bytes.subarray(at, at + size)))
        at += size
      }
      assert.deepEqual(out, lines)
      assert.equal(decoder.rest(), '')
    }),
  )
})

test('a line without its newline is no line', () => {
  const decoder = createLineDecoder()
  assert.deepEqual(decoder.push(new TextEncoder().encode('{"a":1}\n{"b"')), ['{"a":1}'])
  assert.equal(decoder.rest(), '{"b"')
})
