import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { fakeClock } from 'kubewright/base'
import { DEFAULT_LOG_LIMITS, LogFile } from './log-file.ts'
import { LineCutter, LONGEST_PART } from './log-line.ts'
import { type LogOptions, readLog } from './read-log.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubewright-log-'))
})
after(() => rm(folder, { recursive: true }))

async function text(path: string, options: LogOptions = {}, live?: LogFile): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const it of readLog(path, live, options)) chunks.push(it)
  return Buffer.concat(chunks).toString()
}

const ended = (it: PassThrough): Promise<void> =>
  new Promise((resolve) => it.once('close', () => resolve()))

test('however a text comes, its lines come out of it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 30 }), { maxLength: 20 }),
      fc.array(fc.nat(40), { maxLength: 30 }),
      (lines, cuts) => {
        const whole = Buffer.from(lines.map((it) => it.replaceAll('\n', ' ')).join('\n'))
        const cutter = new LineCutter()
        const out: string[] = []
        let at = 0
        const put = (chunk: Buffer): void => {
          for (const it of cutter.take(chunk))
            out.push(`${it.text.toString('latin1')}${it.isWhole ? '\n' : ''}`)
        }
        for (const length of cuts) {
          put(whole.subarray(at, at + length))
          at += length
        }
        put(whole.subarray(at))
        for (const it of cutter.end()) out.push(it.text.toString('latin1'))
        assert.equal(out.join(''), whole.toString('latin1'))
      },
    ),
  )
})

test('a line that is too long is written in parts and read as one', async () => {
  const path = join(folder, 'long', '0.log')
  const log = new LogFile(path, fakeClock(), DEFAULT_LOG_LIMITS)
  const out = new PassThrough()
  log.take(out, 'stdout')
  const line = 'x'.repeat(2 * LONGEST_PART + 5)
  out.end(`${line}\nshort`)
  await ended(out)
  assert.equal(await text(path), `${line}\nshort`)
})

test('a log is read by stream, from a moment on, from its end, with times and a limit', async () => {
  const clock = fakeClock(Date.UTC(2026, 0, 1))
  const path = join(folder, 'parts', '0.log')
  const log = new LogFile(path, clock, DEFAULT_LOG_LIMITS)
  const [out, error] = [new PassThrough(), new PassThrough()]
  log.take(out, 'stdout')
  log.take(error, 'stderr')
  const say = async (stream: PassThrough, line: string): Promise<void> => {
    const written = new Promise<void>((resolve) => {
      const stop = log.follow(() => {
        stop()
        resolve()
      })
    })
    stream.write(`${line}\n`)
    await written
    await clock.advance(1000)
  }
  await say(out, 'one')
  await say(error, 'two')
  await say(out, 'three')
  assert.equal(await text(path), 'one\ntwo\nthree\n')
  assert.equal(await text(path, { stream: 'stderr' }), 'two\n')
  assert.equal(await text(path, { since: Date.UTC(2026, 0, 1, 0, 0, 1) }), 'two\nthree\n')
  assert.equal(await text(path, { tailLines: 1 }), 'three\n')
  assert.equal(await text(path, { tailLines: 0 }), '')
  assert.equal(await text(path, { limitBytes: 5 }), 'one\nt')
  assert.equal(
    await text(path, { tailLines: 1, timestamps: true }),
    '2026-01-01T00:00:02.000000000Z three\n',
  )
  const following = text(path, { tailLines: 1, follow: true }, log)
  await say(out, 'four')
  out.end()
  error.end()
  assert.equal(await following, 'three\nfour\n')
  assert.equal(
    await text(path, { follow: true }, log),
    'one\ntwo\nthree\nfour\n',
    'over: nothing to wait for',
  )
})

test('a reader that goes away ends', async () => {
  const path = join(folder, 'gone', '0.log')
  const log = new LogFile(path, fakeClock(), DEFAULT_LOG_LIMITS)
  const stop = new AbortController()
  const following = text(path, { follow: true, signal: stop.signal }, log)
  await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  assert.equal(await following, '')
  log.close()
})

test('a log that grows too long begins a new file and keeps a few', async () => {
  const path = join(folder, 'turning', '0.log')
  const log = new LogFile(path, fakeClock(), { maxBytes: 200, maxFiles: 3 })
  const out = new PassThrough()
  log.take(out, 'stdout')
  const lines = Array.from({ length: 40 }, (_, n) => `line ${n}`)
  out.end(`${lines.join('\n')}\n`)
  await ended(out)
  assert.deepEqual((await readdir(join(folder, 'turning'))).sort(), ['0.log', '0.log.1', '0.log.2'])
  const kept = (await text(path)).trim().split('\n')
  assert.ok(kept.length < 40)
  assert.deepEqual(kept, lines.slice(-kept.length))
})
