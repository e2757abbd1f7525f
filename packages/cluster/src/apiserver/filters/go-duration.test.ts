import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goDuration } from './go-duration.ts'

test('durations are read as Go reads them', () => {
  const read: readonly (readonly [text: string, milliseconds: number])[] = [
    ['32s', 32_000],
    ['1h30m', 5_400_000],
    ['.5s', 500],
    ['1.s', 1000],
    ['+5s', 5000],
    ['-1.5s', -1500],
    ['0', 0],
    ['1µs', 0.001],
    ['1.5h2us', 5_400_000.002],
  ]
  for (const [text, milliseconds] of read) assert.equal(goDuration(text), milliseconds, text)
})

test('what is none is said in the words of a real server', () => {
  const wrong: readonly (readonly [text: string, sentence: string])[] = [
    ['5', 'time: missing unit in duration "5"'],
    ['5s5', 'time: missing unit in duration "5s5"'],
    ['5x', 'time: unknown unit "x" in duration "5x"'],
    ['1h-2m', 'time: unknown unit "h-" in duration "1h-2m"'],
    ['1e3s', 'time: unknown unit "e" in duration "1e3s"'],
    ['abc', 'time: invalid duration "abc"'],
    [' 1s', 'time: invalid duration " 1s"'],
    ['.', 'time: invalid duration "."'],
    ['', 'time: invalid duration ""'],
    ['10000000h', 'time: invalid duration "10000000h"'],
  ]
  for (const [text, sentence] of wrong) assert.equal(goDuration(text), sentence)
})
