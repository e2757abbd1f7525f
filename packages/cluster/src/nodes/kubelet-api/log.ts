import type { LogOptions } from './pod-access.ts'

/** What a container wrote at once: a line with its end, or the part of one that was all there was when it was read. */
export interface LogRecord {
  /** Milliseconds since the epoch; fractions count. */
  readonly at: number
  readonly stream: 'stdout' | 'stderr'
  readonly bytes: Uint8Array
}

/** How much of a log is kept, in bytes (KubeletConfiguration containerLogMaxSize). */
const KEPT = 10 * 1024 * 1024

/** What one run of a container has written, as far as it is kept, and what it still writes. */
export class ContainerLog {
  readonly #kept: number
  #records: LogRecord[] = []
  #size = 0
  /** How many records have been dropped from the front. */
  #dropped = 0
  #ended = false
  #waiting: (() => void)[] = []

  /** `kept` is how many bytes are kept; older records go first. Default 10 MiB. */
  constructor(kept: number = KEPT) {
    this.#kept = kept
  }

  append(record: LogRecord): void {
    if (this.#ended || record.bytes.length === 0) return
    this.#records.push(record)
    this.#size += record.bytes.length
    let gone = 0
    while (this.#size > this.#kept && gone < this.#records.length - 1)
      this.#size -= this.#records[gone++]!.bytes.length
    if (gone > 0) this.#records.splice(0, gone)
    this.#dropped += gone
    this.#wake()
  }

  /** Nothing more will be written: whoever follows comes to an end. */
  end(): void {
    this.#ended = true
    this.#wake()
  }

  /** What `kubectl logs` shows of it. */
  read(options: LogOptions, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const there = [...this.#records]
    const next = this.#dropped + there.length
    return selectLog(there, options.follow ? this.#from(next, signal) : undefined, options)
  }

  async *#from(start: number, signal: AbortSignal): AsyncGenerator<LogRecord> {
    const wake = (): void => this.#wake()
    signal.addEventListener('abort', wake, { once: true })
    try {
      for (let next = start; !signal.aborted;) {
        const index = Math.max(0, next - this.#dropped)
        const record = this.#records[index]
        if (record) {
          next = this.#dropped + index + 1
          yield record
        } else if (this.#ended) return
        else await new Promise<void>((resolve) => void this.#waiting.push(resolve))
      }
    } finally {
      signal.removeEventListener('abort', wake)
    }
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const it of waiting) it()
  }
}

/**
 * What `kubectl logs` shows of records: the last lines of those that are `there`, then those that are `coming`; of all of them what is
 * not too old, with times where they are wanted, up to the limit (kubernetes/cri-client/pkg/logs).
 */
export async function* selectLog(
  there: readonly LogRecord[],
  coming: AsyncIterable<LogRecord> | undefined,
  options: LogOptions,
): AsyncGenerator<Uint8Array> {
  const write = logWriter(options)
  for (const record of lastLines(there, options.tailLines)) {
    const bytes = write(record)
    if (bytes === undefined) return
    if (bytes.length > 0) yield bytes
  }
  for await (const record of coming ?? []) {
    const bytes = write(record)
    if (bytes === undefined) return
    if (bytes.length > 0) yield bytes
  }
}

const NEWLINE = 10

const endsLine = ({ bytes }: LogRecord): boolean => bytes.at(-1) === NEWLINE

/** The records of the last `count` lines: a part of a line belongs to the record that ends it. */
export function lastLines(
  records: readonly LogRecord[],
  count: number | undefined,
): readonly LogRecord[] {
  if (count === undefined) return records
  if (count === 0) return []
  let lines = 0
  for (let i = records.length - 1; i >= 0; i--) {
    const isLast = i === records.length - 1
    if ((isLast || endsLine(records[i]!)) && ++lines > count) return records.slice(i + 1)
  }
  return records
}

/** Turns records into the bytes to show, in their order: none for what is too old, undefined once the limit is reached. */
function logWriter(options: LogOptions): (record: LogRecord) => Uint8Array | undefined {
  let left = options.limitBytes ?? Infinity
  let atStart = true
  return (record) => {
    if (left <= 0) return undefined
    if (options.since !== undefined && record.at < options.since) return new Uint8Array()
    const stamp = options.timestamps && atStart ? `${logTime(record.at)} ` : ''
    atStart = endsLine(record)
    const all = stamp === '' ? record.bytes : Buffer.concat([Buffer.from(stamp), record.bytes])
    const shown = all.length > left ? all.subarray(0, left) : all
    left -= shown.length
    return shown
  }
}

/** A moment as logs show it: RFC 3339 with nine digits of a second, in UTC. */
export function logTime(at: number): string {
  const whole = Math.floor(at)
  const rest = Math.round((at - whole) * 1e6)
  return new Date(whole).toISOString().replace('Z', `${String(rest).padStart(6, '0')}Z`)
}
