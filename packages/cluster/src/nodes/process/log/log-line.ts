/** A line of a container's log as container runtimes write it (KEP-0014 CRI logging): time, stream, whole or part, text. */
export interface LogLine {
  /** RFC 3339 with fractions of a second. */
  readonly time: string
  readonly stream: 'stdout' | 'stderr'
  /** False for a part of a line that was too long. */
  readonly isWhole: boolean
  readonly text: Uint8Array
}

/** Longer lines are written in parts, in bytes. */
export const LONGEST_PART: number = 16 * 1024

const NEWLINE = 0x0a

/** A line as it stands in the file. */
export function formatLine({ time, stream, isWhole, text }: LogLine): Buffer {
  return Buffer.concat([
    Buffer.from(`${time} ${stream} ${isWhole ? 'F' : 'P'} `),
    text,
    Buffer.of(NEWLINE),
  ])
}

/** Reads one line of a file, without its newline. Undefined for what is none. */
export function parseLine(line: Buffer): LogLine | undefined {
  const head = /^(\S+) (stdout|stderr) ([FP]) /.exec(line.subarray(0, 80).toString('latin1'))
  const [all = '', time = '', stream, tag] = head ?? []
  if (stream === undefined) return undefined
  const text = line.subarray(all.length)
  return { time, stream: stream as LogLine['stream'], isWhole: tag === 'F', text }
}

/** A line, or a part of one. */
export interface LinePart {
  readonly text: Buffer
  readonly isWhole: boolean
}

/** Cuts what a process says into lines. Keeps the beginning of one until the rest is there. */
export class LineCutter {
  #rest: Buffer = Buffer.alloc(0)

  /** The lines that a chunk completes. */
  take(chunk: Buffer): readonly LinePart[] {
    const data = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    const lines: LinePart[] = []
    let start = 0
    for (let at = data.indexOf(NEWLINE); at >= 0; at = data.indexOf(NEWLINE, start)) {
      const line = cut(data.subarray(start, at))
      lines.push(...line.parts, { text: line.rest, isWhole: true })
      start = at + 1
    }
    const { parts, rest } = cut(data.subarray(start))
    this.#rest = Buffer.from(rest)
    return [...lines, ...parts]
  }

  /** What was said last, without a newline. */
  end(): readonly LinePart[] {
    const text = this.#rest
    this.#rest = Buffer.alloc(0)
    return text.length > 0 ? [{ text, isWhole: false }] : []
  }
}

/** As many whole parts as a line has, and what is left of it. */
function cut(line: Buffer): { readonly parts: readonly LinePart[]; readonly rest: Buffer } {
  const parts: LinePart[] = []
  let rest = line
  for (; rest.length > LONGEST_PART; rest = rest.subarray(LONGEST_PART))
    parts.push({ text: rest.subarray(0, LONGEST_PART), isWhole: false })
  return { parts, rest }
}
