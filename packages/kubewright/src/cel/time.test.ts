import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  formatDuration,
  formatTimestamp,
  inZone,
  parseDuration,
  parseTimestamp,
  plainNumber,
} from './time.ts'
import { EvalError, Timestamp } from './value.ts'

const seconds = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 })
const nanos = fc.integer({ min: 0, max: 999_999_999 })

test('a timestamp is what its text says, at any offset', () => {
  fc.assert(
    fc.property(seconds, nanos, fc.integer({ min: -839, max: 839 }), (s, n, offset) => {
      const local = s + offset * 60
      if (local < -62_135_596_800 || local > 253_402_300_799) return
      const time = new Timestamp(BigInt(s), n, offset)
      assert.deepEqual(parseTimestamp(formatTimestamp(time)), time)
    }),
  )
})

test('fields in UTC and in zones agree with Date and Intl', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -2_000_000_000, max: 4_000_000_000 }),
      fc.constantFrom('UTC', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'),
      (s, zone) => {
        const fields = inZone(new Timestamp(BigInt(s), 0), zone)
        assert.ok(!(fields instanceof EvalError))
        const { year, month, day, hour, minute, second } = fields
        const two = (value: number): string => String(value).padStart(2, '0')
        const expected = new Date(s * 1000).toLocaleString('sv-SE', { timeZone: zone })
        assert.equal(
          `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}:${two(second)}`,
          expected,
        )
        const noon = new Date(Date.UTC(year, month - 1, day, 12))
        assert.equal(fields.weekday, noon.getUTCDay())
        assert.equal(
          fields.yearDay,
          Math.floor((noon.getTime() - Date.UTC(year, 0, 1)) / 86_400_000),
        )
      },
    ),
  )
})

test('zones that do not exist are errors', () => {
  const time = new Timestamp(0n, 0)
  assert.deepEqual(inZone(time, 'Nowhere/X'), new EvalError('unknown time zone Nowhere/X'))
  assert.deepEqual(inZone(time, 'x:1'), new EvalError('strconv.Atoi: parsing "x": invalid syntax'))
})

test('a duration is the sum of its parts', () => {
  const units = {
    h: 3600n * 10n ** 9n,
    m: 60n * 10n ** 9n,
    s: 10n ** 9n,
    ms: 10n ** 6n,
    us: 1000n,
    ns: 1n,
  }
  const part = fc.tuple(
    fc.integer({ min: 0, max: 999 }),
    fc.constantFrom(...(Object.keys(units) as (keyof typeof units)[])),
  )
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), fc.boolean(), (parts, negative) => {
      const text = (negative ? '-' : '') + parts.map(([count, unit]) => `${count}${unit}`).join('')
      const sum = parts.reduce((total, [count, unit]) => total + BigInt(count) * units[unit], 0n)
      assert.equal(parseDuration(text), negative ? -sum : sum)
    }),
  )
  assert.equal(parseDuration('1.5h'), 5400n * 10n ** 9n)
  assert.equal(parseDuration('1d'), undefined)
  assert.equal(parseDuration('2562047h47m16.854775808s'), undefined)
  assert.equal(formatDuration(1n), '0.000000001s')
  assert.equal(formatDuration(-1_500_000_000n), '-1.5s')
})

test('a plain number has no exponent and the same value', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = plainNumber(value)
      assert.doesNotMatch(text, /e/)
      assert.ok(Number(text) === value)
    }),
  )
})
