import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Clock } from 'kubewright/base'

/** How a log file is kept from growing for ever (`--audit-log-max*`). */
export interface RotationOptions {
  /** In bytes; 0: it never ends. */
  readonly maxBytes: number
  /** How many old files are kept; 0: all. */
  readonly maxBackups: number
  /** How long old files are kept, in milliseconds; 0: for ever. */
  readonly maxAge: number
  readonly compress: boolean
}

/** A log file that is put aside when it is full, under its name and the time (natefinch/lumberjack). */
export class LogFile {
  readonly #path: string
  readonly #options: RotationOptions
  readonly #clock: Clock
  #file: number
  #size: number

  /** Opens the file, and its folder where there is none. Throws where that may not be. */
  constructor(path: string, options: RotationOptions, clock: Clock) {
    this.#path = path
    this.#options = options
    this.#clock = clock
    mkdirSync(dirname(path), { recursive: true })
    this.#file = openSync(path, 'a', 0o600)
    this.#size = fstatSync(this.#file).size
  }

  /** Writes a line, into a new file where it would not fit. */
  readonly write = (line: string): void => {
    const bytes = Buffer.byteLength(line)
    const { maxBytes } = this.#options
    if (maxBytes > 0 && this.#size > 0 && this.#size + bytes > maxBytes) this.#rotate()
    writeSync(this.#file, line)
    this.#size += bytes
  }

  readonly close = async (): Promise<void> => closeSync(this.#file)

  #rotate(): void {
    closeSync(this.#file)
    const extension = extname(this.#path)
    const stem = join(dirname(this.#path), basename(this.#path, extension))
    const time = new Date(this.#clock.now()).toISOString().replaceAll(':', '-').slice(0, 23)
    const backup = `${stem}-${time}${extension}`
    renameSync(this.#path, backup)
    if (this.#options.compress) {
      writeFileSync(`${backup}.gz`, gzipSync(readFileSync(backup)), { mode: 0o600 })
      rmSync(backup)
    }
    this.#file = openSync(this.#path, 'a', 0o600)
    this.#size = 0
    this.#forget(stem, extension)
  }

  /** Deletes old files that are too many or too old. */
  #forget(stem: string, extension: string): void {
    const folder = dirname(stem)
    if (!existsSync(folder)) return
    const prefix = `${basename(stem)}-`
    const { maxBackups, maxAge } = this.#options
    const old = readdirSync(folder)
      .filter((it) => it.startsWith(prefix) && it.replace(/\.gz$/, '').endsWith(extension))
      .sort()
      .toReversed()
    old.forEach((name, i) => {
      const time = name.slice(prefix.length, prefix.length + 23)
      const at = Date.parse(`${time.slice(0, 11)}${time.slice(11).replaceAll('-', ':')}Z`)
      const isOld = maxAge > 0 && this.#clock.now() - at > maxAge
      if ((maxBackups > 0 && i >= maxBackups) || isOld) rmSync(join(folder, name))
    })
  }
}
