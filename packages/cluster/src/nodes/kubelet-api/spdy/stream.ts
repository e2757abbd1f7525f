import { MultiplexedStream, type StreamPort } from '../multiplexed-stream.ts'
import type { SpdyHeaders } from './header-block.ts'

/** One of the streams of a SPDY connection. */
export class SpdyStream extends MultiplexedStream {
  readonly id: number
  readonly headers: SpdyHeaders

  constructor(id: number, headers: SpdyHeaders, port: StreamPort) {
    super(port)
    this.id = id
    this.headers = headers
  }

  /** The first value of a header; names are lower-case. */
  header(name: string): string | undefined {
    return this.headers.get(name)?.[0]
  }
}
