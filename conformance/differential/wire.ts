import https from 'node:https'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

/** What a server said, before anything is made of it. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** A request, ready to go. */
export interface RawRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/** A stream that is being read. */
export interface Stream {
  /** How much has come, in characters. */
  length(): number
  /** Whether this text has come. */
  has(text: string): boolean
  /** True once the server has ended it. */
  ended(): boolean
  /** Ends it and tells what has come. */
  close(): RawAnswer
}

/** Someone who answers requests: a server behind a socket, or one in this process. */
export interface Wire {
  readonly name: string
  /** What it does in the background is done as soon as it gets its turn: nobody need wait for it. */
  readonly inProcess?: boolean
  readonly ask: (request: RawRequest) => Promise<RawAnswer>
  readonly open: (request: RawRequest) => Promise<Stream>
  readonly close: () => Promise<void> | void
}

/** Asks over HTTPS with a bearer token, on connections that are kept. The server's certificate is not checked. */
export function httpsWire(name: string, url: string, token: string): Wire {
  const { hostname, port } = new URL(url)
  const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: 128 })
  const begin = ({ method, target, headers, body }: RawRequest): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const all = {
        authorization: `Bearer ${token}`,
        'user-agent': 'differential/1',
        ...headers,
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      }
      const request = https.request({
        hostname,
        port,
        path: target,
        method,
        headers: all,
        agent,
      })
      request.on('response', resolve)
      request.on('error', reject)
      request.end(body)
    })
  return {
    name,
    ask: async (request) => {
      try {
        const response = await begin(request)
        const chunks: Buffer[] = []
        for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
        return answerOf(response, Buffer.concat(chunks).toString('utf8'))
      } catch (error) {
        return noAnswer(error)
      }
    },
    open: async (request) => streamOf(await begin(request)),
    close: () => agent.destroy(),
  }
}

/** A server that hangs up has said something too. */
const noAnswer = (error: unknown): RawAnswer => ({
  status: 0,
  headers: {},
  text: `no answer: ${(error as Error).message}`,
})

function streamOf(response: IncomingMessage): Stream {
  let text = ''
  let ended = false
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => (text += chunk))
  response.on('end', () => (ended = true))
  response.on('error', () => (ended = true))
  return {
    length: () => text.length,
    has: (it) => text.includes(it),
    ended: () => ended,
    close: () => {
      response.destroy()
      return answerOf(response, text)
    },
  }
}

const answerOf = ({ statusCode = 0, headers }: IncomingMessage, text: string): RawAnswer => ({
  status: statusCode,
  headers: flat(headers),
  text,
})

const flat = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  )

/** Asks a server in this process, as an administrator. */
export function fetchWire(
  name: string,
  fetch: (request: Request) => Promise<Response>,
  close: () => Promise<void>,
): Wire {
  const begin = ({ method, target, headers, body }: RawRequest): Promise<Response> =>
    fetch(
      new Request(`http://server${target}`, {
        method,
        headers: { 'user-agent': 'differential/1', ...headers },
        ...(body === undefined ? {} : { body }),
      }),
    )
  const headersOf = (response: Response): Record<string, string> =>
    Object.fromEntries(response.headers)
  return {
    name,
    inProcess: true,
    ask: async (request) => {
      const response = await begin(request)
      const text = await response.text()
      return { status: response.status, headers: headersOf(response), text }
    },
    open: async (request) => {
      const response = await begin(request)
      const reader = response.body?.getReader()
      const decoder = new TextDecoder()
      let text = ''
      let ended = reader === undefined
      const pump = async (): Promise<void> => {
        for (;;) {
          const { done, value } = await reader!.read()
          if (done) break
          text += decoder.decode(value, { stream: true })
        }
        ended = true
      }
      if (reader) pump().catch(() => (ended = true))
      return {
        length: () => text.length,
        has: (it) => text.includes(it),
        ended: () => ended,
        close: () => {
          void reader?.cancel()
          return { status: response.status, headers: headersOf(response), text }
        },
      }
    },
    close,
  }
}
