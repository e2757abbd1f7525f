import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import type { Clock } from 'kubewright/base'
import { logTime } from '../../kubelet-api/log.ts'
import { formatLine, LineCutter, type LogLine } from './log-line.ts'

/** When a log begins a new file, and how many it keeps (KubeletConfiguration containerLogMaxSize, containerLogMaxFiles). */
export interface LogLimits {
  /** In bytes. Default 10 MiB. */
  readonly maxBytes: number
  /** With the present one. Default 5. */
  readonly maxFiles: number
}

export const DEFAULT_LOG_LIMITS: LogLimits = Object.freeze({
  maxBytes: 10 * 1024 * 1024,
  maxFiles: 5,
})

/** The log of one run of a container: a file that is begun anew when it is too long, and those who follow it. */
export class LogFile {
  readonly path: string
  readonly #clock: Clock
  readonly #limits: LogLimits
  readonly #followers = new Set<(line: LogLine | undefined) => void>()
  #file: number | undefined
  #size = 0
  #streams = 0
  #isOver = false

  constructor(path: string, clock: Clock, limits: LogLimits) {
    this.path = path
    this.#clock = clock
    this.#limits = limits
    mkdirSync(dirname(path), { recursive: true })
    this.#file = openSync(path, 'a')
  }

  /** Resolves when nothing comes any more. */
  readonly ended: Promise<void> = new Promise((resolve) => {
    this.follow((line) => {
      if (!line) resolve()
    })
  })

  /** Whether nothing comes any more. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** How long the present file is, in bytes. */
  get size(): number {
    return this.#size
  }

  /** Writes down what a stream says until it ends. The log is over with its last stream. */
  take(source: Readable, stream: LogLine['stream']): void {
    const cutter = new LineCutter()
    this.#streams++
    source.on('data', (chunk: Buffer) => {
      for (const part of cutter.take(chunk)) this.#write(stream, part.text, part.isWhole)
    })
    let ended = false
    const end = (): void => {
      if (ended) return
      ended = true
      for (const part of cutter.end()) this.#write(stream, part.text, part.isWhole)
      if (--this.#streams === 0) this.close()
    }
    source.once('end', end)
    source.once('close', end)
    source.once('error', end)
  }

  /** Tells of every line from now on; undefined when nothing comes any more. Answers with what ends it. */
  follow(tell: (line: LogLine | undefined) => void): () => void {
    this.#followers.add(tell)
    if (this.#isOver) tell(undefined)
    return () => void this.#followers.delete(tell)
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
    if (this.#isOver) return
    this.#isOver = true
    for (const tell of this.#followers) tell(undefined)
  }

  #write(stream: LogLine['stream'], text: Uint8Array, isWhole: boolean): void {
    if (this.#file === undefined) return
    const line: LogLine = { time: logTime(this.#clock.now()), stream, isWhole, text }
    const bytes = formatLine(line)
    writeSync(this.#file, bytes)
    this.#size += bytes.length
    for (const tell of this.#followers) tell(line)
    if (this.#size >= this.#limits.maxBytes) this.#rotate()
  }

  /** The present file becomes the first of the old ones; the oldest goes. */
  #rotate(): void {
    closeSync(this.#file!)
    const { maxFiles } = this.#limits
    rmSync(`${this.path}.${maxFiles - 1}`, { force: true })
    for (let n = maxFiles - 2; n >= 0; n--) {
      try {
        renameSync(n === 0 ? this.path : `${this.path}.${n}`, `${this.path}.${n + 1}`)
      } catch {
        // There are not as many yet.
      }
    }
    this.#file = openSync(this.path, 'a')
    this.#size = 0
  }
}
