import { parseExact } from '../base/exact-json.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { WatchEvent } from '../machinery/watch-event.ts'
import { UnreachableError } from './answer.ts'
import { createLineDecoder } from './line-decoder.ts'

/**
 * The events of one watch. Ends when the server ends the stream, even in the middle of a line: the half line is dropped, and
 * whoever watches on starts after the last whole event. Leaving the loop early closes the connection.
 */
export async function* readWatch<T extends KubeObject>(
  server: string,
  open: () => Promise<Response>,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const response = await open()
  if (!response.body) return
  const lines = createLineDecoder()
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  let open_ = true
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        open_ = false
        throw error instanceof Error && error.name === 'AbortError'
          ? error
          : new UnreachableError(server, error)
      })
      if (done) {
        open_ = false
        return
      }
      for (const line of lines.push(value)) yield parseExact(line) as WatchEvent<T>
    }
  } finally {
    if (open_) await reader.cancel().catch(() => {})
  }
}
