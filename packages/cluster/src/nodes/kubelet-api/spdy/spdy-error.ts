/** The other side does not speak SPDY/3.1: the connection is of no use any more. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError'
}
