import type { Readable } from 'node:stream'
import type { TerminalSize } from '../pod-access.ts'

/** The sizes that a client sends, one object of JSON after the other, however they are cut. What is no size is passed over. */
export async function* terminalSizes(stream: Readable | undefined): AsyncGenerator<TerminalSize> {
  let text = ''
  for await (const chunk of stream ?? []) {
    text += String(chunk)
    for (let end = text.indexOf('}'); end >= 0; end = text.indexOf('}')) {
      const size = sizeOf(text.slice(0, end + 1))
      text = text.slice(end + 1)
      if (size) yield size
    }
  }
}

function sizeOf(text: string): TerminalSize | undefined {
  const [, width] = /"width"\s*:\s*(\d{1,5})/i.exec(text) ?? []
  const [, height] = /"height"\s*:\s*(\d{1,5})/i.exec(text) ?? []
  return width === undefined || height === undefined
    ? undefined
    : { width: Number(width), height: Number(height) }
}
