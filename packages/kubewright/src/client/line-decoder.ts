/** Cuts a stream of bytes into lines. A line is complete only when its newline came: what is left at the end is not one. */
export interface LineDecoder {
  /** Takes the next bytes and answers with the lines that they complete, without newlines and without empty ones. */
  push(bytes: Uint8Array): readonly string[]
  /** The text after the last newline: empty unless the stream was cut in the middle of a line. */
  rest(): string
}

/** Makes a {@link LineDecoder} for UTF-8; characters may be split between chunks. */
export function createLineDecoder(): LineDecoder {
  const decoder = new TextDecoder()
  let carry = ''
  return {
    push(bytes) {
      const text = decoder.decode(bytes, { stream: true })
      if (!text.includes('\n')) {
        carry += text
        return []
      }
      const lines = (carry + text).split('\n')
      carry = lines.pop() ?? ''
      return lines.filter((it) => it !== '' && it !== '\r')
    },
    rest: () => carry,
  }
}
