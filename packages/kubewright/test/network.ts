import type { Random, Transport } from 'kubewright/base'

/** How bad a {@link Network} is: shares from 0 to 1. */
export interface Weather {
  /** Connections that break before the server has the request. */
  readonly reset?: number
  /** Answers of 500. */
  readonly failing?: number
  /** Answers of 429 with Retry-After: 1. */
  readonly busy?: number
  /** Watches that are answered with 410 Gone. */
  readonly gone?: number
  /** Requests without good credentials: 401. */
  readonly unauthorized?: number
}

/** A way to a server that a test can make worse. */
export interface Network {
  readonly through: (transport: Transport) => Transport
  weather: Weather
  /** Nothing gets through while it is cut. */
  cut: boolean
  /** Breaks every stream that is open. */
  breakStreams(): void
  /** Holds back what comes on streams until it is released. */
  hold(): void
  release(): void
  /** Requests so far, as `GET 200 /path`. */
  readonly seen: readonly string[]
}

/** Makes a {@link Network} that is good until it is told otherwise. */
export function network(random: Random): Network {
  /** How each open stream is broken. */
  const streams = new Set<() => void>()
  const seen: string[] = []
  let gate: PromiseWithResolvers<void> | undefined
  const chance = (share: number = 0): boolean => random.next() < share
  const refused = (request: Request): Response | undefined => {
    const { weather } = it
    const { searchParams } = new URL(request.url)
    // A watch from where one was; what begins with all there is does not expire.
    const watch = searchParams.has('watch') && !searchParams.has('sendInitialEvents')
    if (chance(weather.failing)) return status(500, 'InternalError')
    if (chance(weather.busy)) return status(429, 'TooManyRequests', { 'retry-after': '1' })
    if (chance(weather.unauthorized)) return status(401, 'Unauthorized')
    return watch && chance(weather.gone) ? status(410, 'Expired') : undefined
  }
  const it: Network = {
    weather: {},
    cut: false,
    seen,
    through: (transport) => async (request) => {
      if (it.cut || chance(it.weather.reset)) throw new Error('connection reset')
      const response = refused(request) ?? (await transport(request))
      const { pathname, searchParams } = new URL(request.url)
      seen.push(`${request.method} ${response.status} ${pathname}`)
      const stream = searchParams.has('watch') && response.ok && response.body
      if (!stream) return response
      return new Response(
        breakable(stream, streams, () => gate?.promise),
        response,
      )
    },
    breakStreams() {
      streams.forEach((fail) => fail())
    },
    hold: () => void (gate ??= Promise.withResolvers()),
    release() {
      gate?.resolve()
      gate = undefined
    },
  }
  return it
}

function status(code: number, reason: string, headers: Record<string, string> = {}): Response {
  const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason, code }
  return Response.json({ ...body, message: reason }, { status: code, headers })
}

function breakable(
  body: ReadableStream<Uint8Array>,
  streams: Set<() => void>,
  gate: () => Promise<void> | undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let over = (): void => {}
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const fail = (): void => {
        streams.delete(fail)
        controller.error(new Error('socket hang up'))
        // The server notices too.
        void reader.cancel()
      }
      over = () => void streams.delete(fail)
      streams.add(fail)
    },
    async pull(controller) {
      const { done, value } = await reader.read()
      await gate()
      if (done) {
        over()
        controller.close()
      } else controller.enqueue(value)
    },
    cancel: (reason) => {
      over()
      return reader.cancel(reason)
    },
  })
}
