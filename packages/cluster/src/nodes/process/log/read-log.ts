import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { LogFile } from './log-file.ts'
import { type LogLine, parseLine } from './log-line.ts'

/** Which part of a log, and how (core/v1 PodLogOptions). */
export interface LogOptions {
  readonly follow?: boolean
  /** The last so many lines. */
  readonly tailLines?: number
  /** Lines from this moment on, in milliseconds since the epoch. */
  readonly since?: number
  /** Each line begins with its time. */
  readonly timestamps?: boolean
  /** No more than so many bytes. */
  readonly limitBytes?: number
  /** One stream alone. Default: both. */
  readonly stream?: LogLine['stream']
  readonly signal?: AbortSignal
}

/** The text of a log, in chunks. `live` is the log that the file belongs to, where it is still written: it may be followed. */
export async function* readLog(
  path: string,
  live: LogFile | undefined,
  options: LogOptions = {},
): AsyncGenerator<Uint8Array> {
  let left = options.limitBytes ?? Infinity
  for await (const line of selectedLines(path, live, options)) {
    const chunk = textOf(line, options)
    yield chunk.length > left ? chunk.subarray(0, left) : chunk
    left -= chunk.length
    if (left <= 0) return
  }
}

function textOf({ time, text, isWhole }: LogLine, { timestamps }: LogOptions): Buffer {
  const parts = [Buffer.from(timestamps ? `${time} ` : ''), text, Buffer.from(isWhole ? '\n' : '')]
  return Buffer.concat(parts)
}

async function* selectedLines(
  path: string,
  live: LogFile | undefined,
  options: LogOptions,
): AsyncGenerator<LogLine> {
  const { since, stream, tailLines, follow, signal } = options
  const isWanted = (it: LogLine): boolean =>
    (stream === undefined || it.stream === stream) &&
    (since === undefined || Date.parse(it.time) >= since)
  // What is written from here on is heard of, and not read as well.
  const size = live?.size ?? Infinity
  const coming = follow && live && !live.isOver ? new Coming(live, signal) : undefined
  try {
    const written = fileLines(path, size, isWanted)
    if (tailLines === undefined) yield* written
    else yield* await lastOf(written, tailLines)
    if (coming) for await (const it of coming) if (isWanted(it)) yield it
  } finally {
    coming?.stop()
  }
}

async function lastOf(lines: AsyncIterable<LogLine>, count: number): Promise<readonly LogLine[]> {
  const last: LogLine[] = []
  for await (const line of lines) {
    last.push(line)
    if (last.length > count) last.shift()
  }
  return last
}

async function* fileLines(
  path: string,
  size: number,
  isWanted: (it: LogLine) => boolean,
): AsyncGenerator<LogLine> {
  for (const file of await filesOf(path)) {
    if (file === path && size === 0) return
    const end = file === path ? size - 1 : Infinity
    let rest: Buffer = Buffer.alloc(0)
    for await (const chunk of createReadStream(file, { end }) as AsyncIterable<Buffer>) {
      let data: Buffer = Buffer.concat([rest, chunk])
      for (let at = data.indexOf(0x0a); at >= 0; at = data.indexOf(0x0a)) {
        const line = parseLine(data.subarray(0, at))
        if (line && isWanted(line)) yield line
        data = data.subarray(at + 1)
      }
      rest = data
    }
  }
}

/** The files of a log, the oldest first. */
async function filesOf(path: string): Promise<readonly string[]> {
  const name = basename(path)
  const all = await readdir(dirname(path)).catch(() => [])
  const ages = all
    .filter((it) => it === name || it.startsWith(`${name}.`))
    .map((it) => (it === name ? 0 : Number(it.slice(name.length + 1))))
  const sorted = ages.toSorted((a, b) => b - a)
  return sorted.map((age) => join(dirname(path), age === 0 ? name : `${name}.${age}`))
}

/** Lines that come while a log is followed. */
class Coming implements AsyncIterable<LogLine> {
  readonly #lines: LogLine[] = []
  readonly stop: () => void
  #isOver = false
  #wake: () => void = () => {}

  constructor(live: LogFile, signal: AbortSignal | undefined) {
    const unfollow = live.follow((line) => {
      if (line) this.#lines.push(line)
      else this.#isOver = true
      this.#wake()
    })
    const end = (): void => {
      this.#isOver = true
      this.#lines.length = 0
      this.#wake()
    }
    signal?.addEventListener('abort', end, { once: true })
    this.stop = () => {
      unfollow()
      signal?.removeEventListener('abort', end)
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LogLine> {
    for (;;) {
      const line = this.#lines.shift()
      if (line) yield line
      else if (this.#isOver) return
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}
