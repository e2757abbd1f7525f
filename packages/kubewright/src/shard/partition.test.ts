import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashHigh, hashMixed, partitionOf, rangesOf, shardSelectorOf } from './partition.ts'

/** FNV-1a, 64 bits, the plain way. */
function fnv64a(text: string): bigint {
  let hash = 0xcbf29ce484222325n
  for (const byte of Buffer.from(text))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return hash
}

test('the hash is FNV-1a, and the partition its highest bits', () => {
  assert.equal(fnv64a('a'), 0xaf63dc4c8601ec8cn)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 0, max: 12 }), (text, bits) => {
      assert.equal(BigInt(hashHigh(text)), fnv64a(text) >> 32n)
      assert.equal(BigInt(partitionOf(text, 2 ** bits)), fnv64a(text) >> BigInt(64 - bits))
    }),
  )
})

test('the selector of partitions selects exactly the ids in them', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 0, max: 15 })),
      fc.array(fc.uuid(), { maxLength: 20 }),
      (held, ids) => {
        const selector = shardSelectorOf(held, 16, 'uid')
        const ranges = [...(selector ?? '').matchAll(/'0x([0-9a-f]+)', '0x([0-9a-f]+)'/g)].map(
          ([, from, to]) => [BigInt(`0x${from}`), BigInt(`0x${to}`)] as const,
        )
        for (const id of ids) {
          const hash = fnv64a(id)
          const inRanges = ranges.some(([from, to]) => hash >= from && hash < to)
          assert.equal(selector === undefined || inRanges, held.includes(partitionOf(id, 16)))
        }
      },
    ),
  )
})

test('neighbours are one range, and the selector reads as KEP-5866 writes it', () => {
  assert.deepEqual(rangesOf([3, 1, 2, 7]), [
    [1, 4],
    [7, 8],
  ])
  assert.equal(shardSelectorOf([0, 1, 2, 3], 4, 'uid'), undefined)
  assert.equal(
    shardSelectorOf([0, 1, 3], 4, 'namespace'),
    "shardRange(object.metadata.namespace, '0x0000000000000000', '0x8000000000000000') || shardRange(object.metadata.namespace, '0xc000000000000000', '0x10000000000000000')",
  )
  assert.match(shardSelectorOf([], 4, 'uid')!, /'0x0000000000000000', '0x0000000000000001'/)
})

test('names that are much alike are spread all the same', () => {
  const counts = Array.from({ length: 16 }, () => 0)
  for (let n = 0; n < 1600; n++) counts[partitionOf(`tenant-${n}`, 16, hashMixed)]!++
  assert.ok(Math.max(...counts) < 160 && Math.min(...counts) > 50, counts.join())
})
