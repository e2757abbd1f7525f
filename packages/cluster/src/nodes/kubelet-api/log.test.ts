import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ContainerLog, lastLines, type LogRecord, logTime, selectLog } from './log.ts'
import type { LogOptions } from './pod-access.ts'

const ALL: LogOptions = { follow: false, previous: false, timestamps: false }

const record = (text: string, at: number = 0): LogRecord => ({
  at,
  stream: 'stdout',
  bytes: Buffer.from(text),
})

async function shown(records: readonly LogRecord[], options: Partial<LogOptions>): Promise<string> {
  let text = ''
  for await (const it of selectLog(records, undefined, { ...ALL, ...options }))
    text += Buffer.from(it).toString()
  return text
}

const LINES = [
  record('one\n', 1000),
  record('tw', 2000),
  record('o\n', 2001),
  record('three', 3000),
]

test('a log shows its last lines, the young ones, with times, and not too much', async () => {
  assert.equal(await shown(LINES, {}), 'one\ntwo\nthree')
  assert.equal(await shown(LINES, { tailLines: 0 }), '')
  assert.equal(await shown(LINES, { tailLines: 1 }), 'three')
  assert.equal(await shown(LINES, { tailLines: 2 }), 'two\nthree')
  assert.equal(await shown(LINES, { tailLines: 9 }), 'one\ntwo\nthree')
  assert.equal(await shown(LINES, { since: 2001 }), 'o\nthree')
  assert.equal(await shown(LINES, { limitBytes: 6 }), 'one\ntw')
  assert.equal(
    await shown(LINES, { timestamps: true, tailLines: 2 }),
    '1970-01-01T00:00:02.000000000Z two\n1970-01-01T00:00:03.000000000Z three',
  )
})

test('times have nine digits', () => {
  assert.equal(logTime(1.5), '1970-01-01T00:00:00.001500000Z')
  assert.equal(logTime(Date.UTC(2026, 0, 1)), '2026-01-01T00:00:00.000000000Z')
})

test('the last lines are those of the text', async () => {
  const texts = fc.array(fc.constantFrom('a', 'b\n', 'cc\n', '\n'), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(texts, fc.nat(8), async (parts, count) => {
      const whole = parts.join('')
      const lines = whole.match(/[^\n]*\n|[^\n]+$/g) ?? []
      const wanted = count === 0 ? '' : lines.slice(-count).join('')
      const got = lastLines(
        parts.map((it) => record(it)),
        count,
      )
      assert.equal(Buffer.concat(got.map((it) => it.bytes)).toString(), wanted)
    }),
  )
})

test('whoever follows sees what comes, until it ends', async () => {
  const log = new ContainerLog()
  log.append(record('old\n'))
  log.append(record('last\n'))
  const seen: string[] = []
  const reading = (async () => {
    const options = { ...ALL, follow: true, tailLines: 1 }
    for await (const it of log.read(options, new AbortController().signal))
      seen.push(Buffer.from(it).toString())
  })()
  await Promise.resolve()
  log.append(record('new\n'))
  await new Promise((resolve) => setImmediate(resolve))
  log.append(record('more\n'))
  log.end()
  await reading
  assert.deepEqual(seen, ['last\n', 'new\n', 'more\n'])
})

test('whoever follows is let go when he has gone', async () => {
  const log = new ContainerLog()
  const gone = new AbortController()
  const bytes = log.read({ ...ALL, follow: true }, gone.signal)
  const next = bytes.next()
  await new Promise((resolve) => setImmediate(resolve))
  gone.abort()
  assert.deepEqual(await next, { value: undefined, done: true })
})

test('a long log loses its beginning, and who is slow goes on where it begins now', async () => {
  const log = new ContainerLog(10)
  const gone = new AbortController()
  const bytes = log.read({ ...ALL, follow: true }, gone.signal)
  for (const text of ['aaaa\n', 'bbbb\n', 'cccc\n']) log.append(record(text))
  log.end()
  let text = ''
  for await (const it of bytes) text += Buffer.from(it).toString()
  assert.equal(text, 'bbbb\ncccc\n')
})
