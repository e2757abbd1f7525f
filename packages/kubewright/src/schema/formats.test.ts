import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasFormat, supportedFormat } from './formats.ts'

const yes: Readonly<Record<string, readonly string[]>> = {
  uri: ['http://a', '/x', 'a:b', 'mailto:x@y', 'http://[::1]'],
  email: ['a@b', 'A <a@b.c>', '"a b"@c'],
  hostname: ['a', 'a.bc', 'ä.de'],
  ipv4: ['1.2.3.4', '01.2.3.4'],
  ipv6: ['::1', '1:2:3:4:5:6:7:8', '::1.2.3.4'],
  cidr: ['1.2.3.0/24', '::/0'],
  mac: ['01:02:03:04:05:06', '0102.0304.0506'],
  uuid: ['6ba7b810-9dad-11d1-80b4-00c04fd430c8'],
  isbn: ['0321751043', '978-0321751041'],
  creditcard: ['4111 1111 1111 1111'],
  byte: ['YQ==', 'YWJj'],
  date: ['2020-02-29'],
  'date-time': ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.5+01:00'],
  duration: ['1h30m', '22 ns', '3 days', '0'],
  'k8s-short-name': ['a-b'],
  'k8s-long-name': ['a.b'],
}

const no: Readonly<Record<string, readonly string[]>> = {
  uri: ['a', '', 'http://%zz'],
  email: ['a', 'a@', 'a b@c'],
  hostname: ['-a', 'a.b', 'a_b', 'a..b'],
  ipv4: ['256.1.1.1', '::1', '1.2.3'],
  ipv6: ['1.2.3.4', ':::', 'fe80::1%eth0'],
  cidr: ['1.2.3.4', '1.2.3.4/33'],
  mac: ['01:02:03'],
  uuid: ['x'],
  isbn: ['123'],
  creditcard: ['4111111111111112'],
  byte: ['', 'YQ', 'Y!=='],
  date: ['2021-02-29', '2020-1-1'],
  'date-time': ['2020-01-01', '2020-01-01T24:00:00Z', '2020-01-01T00:00:60Z'],
  duration: ['', 'x', '5'],
  'k8s-short-name': ['A', 'a-'],
  'k8s-long-name': ['a..b'],
}

for (const [format, samples] of Object.entries(yes))
  test(`${format} takes ${samples.join(', ')}`, () => {
    for (const it of samples) assert.equal(hasFormat(it, format), true, it)
  })

for (const [format, samples] of Object.entries(no))
  test(`${format} refuses ${samples.map((it) => JSON.stringify(it)).join(', ')}`, () => {
    for (const it of samples) assert.equal(hasFormat(it, format), false, it)
  })

test('formats that the server does not check on a type are as if not there', () => {
  assert.equal(supportedFormat(['string'], 'date-time'), 'date-time')
  assert.equal(supportedFormat(['string'], 'unheard-of'), '')
  assert.equal(supportedFormat(['integer'], 'int32'), 'int32')
  assert.equal(supportedFormat(['integer'], 'date'), '')
  assert.equal(supportedFormat(['boolean'], 'date'), '')
  assert.equal(supportedFormat(['integer', 'string'], 'date'), 'date')
})

test('a long wrong text is refused at once, however it is made', () => {
  const long = 200_000
  for (const [text, format] of [
    ['1'.repeat(long), 'duration'],
    [`a${' '.repeat(long)}b`, 'email'],
    [`${'a'.repeat(long)}( <a@example.com>`, 'email'],
    [`1${' '.repeat(long)}1`, 'duration'],
  ] as const)
    assert.equal(hasFormat(text, format), false)
})
