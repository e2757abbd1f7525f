/** Handlers of requests that come over HTTP, by path: sources add and take away, a manager's inbound port serves. */
export interface Inbound {
  /** Answers with what takes the handler back. Throws when the path is taken. */
  add(path: string, handler: (request: Request) => Promise<Response>): () => void
  readonly fetch: (request: Request) => Promise<Response>
}

/** Makes an empty {@link Inbound}. */
export function createInbound(): Inbound {
  const handlers = new Map<string, (request: Request) => Promise<Response>>()
  return {
    add(path, handler) {
      if (!path.startsWith('/'))
        throw new Error(`${JSON.stringify(path)} is no path: it must begin with a slash`)
      if (handlers.has(path))
        throw new Error(
          `two sources take requests at ${path}: give one of them another path, such as ${path}-2`,
        )
      handlers.set(path, handler)
      return () => void handlers.delete(path)
    },
    async fetch(request) {
      const handler = handlers.get(new URL(request.url).pathname)
      return handler ? handler(request) : new Response('404 page not found\n', { status: 404 })
    },
  }
}
