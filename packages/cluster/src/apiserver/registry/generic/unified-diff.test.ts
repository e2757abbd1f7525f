import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { unifiedDiff } from './unified-diff.ts'

test('shows a change with three lines around it, as Go shows it', () => {
  const before = { a: 1, b: 2, c: 3, d: 4, e: { f: 5 }, g: 6, h: 7, i: 8, j: 9 }
  const after = { ...before, e: null, j: 10 }
  assert.equal(
    unifiedDiff(before, after),
    [
      '@@ -3,11 +3,9 @@',
      '  "b": 2,',
      '  "c": 3,',
      '  "d": 4,',
      '- "e": {',
      '-  "f": 5',
      '- },',
      '+ "e": null,',
      '  "g": 6,',
      '  "h": 7,',
      '  "i": 8,',
      '- "j": 9',
      '+ "j": 10',
      ' }',
      '',
    ].join('\n'),
  )
})

test('changes far apart stand apart', () => {
  const before = Array.from({ length: 20 }, (_, i) => i)
  const heads = unifiedDiff(before, before.with(0, 100).with(19, 119)).match(/^@@ .* @@$/gm)
  assert.deepEqual(heads, ['@@ -1,5 +1,5 @@', '@@ -18,5 +18,5 @@'])
})

test('what is the same has no difference', () => {
  assert.equal(unifiedDiff({ a: [1, 2] }, { a: [1, 2] }), '')
})

/** Does to lines what a diff says. */
function applied(lines: readonly string[], diff: string): readonly string[] {
  const out: string[] = []
  let at = 0
  for (const line of diff.split('\n').slice(0, -1)) {
    const head = /^@@ -(\d+)(?:,(\d+))? \+/.exec(line)
    if (head) {
      const start = head[2] === '0' ? Number(head[1]) : Number(head[1]) - 1
      out.push(...lines.slice(at, start))
      at = start
    } else if (line.startsWith('+')) out.push(line.slice(1))
    else {
      assert.equal(lines[at++], line.slice(1))
      if (line.startsWith(' ')) out.push(line.slice(1))
    }
  }
  return [...out, ...lines.slice(at)]
}

test('a difference leads from one value to the other, however long they are', () => {
  const values = fc.array(fc.nat(30), { maxLength: 300, size: 'max' })
  const lines = (it: unknown): readonly string[] => JSON.stringify(it, undefined, 1).split('\n')
  fc.assert(
    fc.property(values, values, (a, b) => {
      assert.deepEqual(applied(lines(a), unifiedDiff(a, b)), lines(b))
    }),
  )
})
