const COMMA = 44
const BRACE = 123

/**
 * A list in UTF-8: `head`, the items with commas between them, `end`. `tails` are the objects without their opening braces. Made in one
 * piece, because a long list as one string would be copied at every turn.
 */
export function listBytes(head: string, tails: readonly string[], end: string): Buffer {
  const sizes = tails.map((it) => Buffer.byteLength(it))
  let size = Buffer.byteLength(head) + Buffer.byteLength(end) + 2 * tails.length
  for (const it of sizes) size += it
  const bytes = Buffer.allocUnsafe(size)
  let at = bytes.write(head)
  tails.forEach((it, i) => {
    if (i > 0) bytes[at++] = COMMA
    bytes[at++] = BRACE
    // Text that has a byte a character is ASCII, which need only be copied.
    at += sizes[i] === it.length ? bytes.write(it, at, 'latin1') : bytes.write(it, at)
  })
  at += bytes.write(end, at)
  return bytes.subarray(0, at)
}
