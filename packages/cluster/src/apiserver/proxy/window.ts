import { promisify } from 'node:util'
import { gunzip, gzip, inflateRaw, deflateRaw } from 'node:zlib'
import type { Answer, Chunk } from '../http/message.ts'
import { rewriteLink, rewritePage, type Window } from './rewrite.ts'

/** Headers that would let pages of the upstream talk to others in the name of this server. */
const CORS = /^access-control-/

/**
 * An answer as it must look through a proxy: redirects and the links of HTML pages lead back through it, and what it says of other
 * origins does not count (apimachinery/pkg/util/proxy).
 */
export async function windowed(
  answer: Answer,
  prefix: string,
  upstream: string,
  asked: string,
): Promise<Answer> {
  const window: Window = { scheme: '', host: '', prefix, upstream, asked }
  const headers = Object.fromEntries(
    Object.entries(answer.headers).filter(([name]) => !CORS.test(name)),
  )
  const location = headers['location']
  if (typeof location === 'string')
    return { ...answer, headers: { ...headers, location: rewriteLink(location, window) } }
  const type = String(headers['content-type'] ?? '')
    .split(';')[0]!
    .trim()
  const codec = CODECS[String(headers['content-encoding'] ?? '')]
  if (type !== 'text/html' || !codec) return { ...answer, headers }
  const page = (await codec.open(await whole(answer.body))).toString()
  const { 'content-length': _, ...others } = headers
  return {
    ...answer,
    headers: others,
    body: await codec.close(Buffer.from(rewritePage(page, window))),
  }
}

interface Codec {
  readonly open: (bytes: Buffer) => Promise<Buffer> | Buffer
  readonly close: (bytes: Buffer) => Promise<Buffer> | Buffer
}

const CODECS: Readonly<Record<string, Codec>> = {
  '': { open: (bytes) => bytes, close: (bytes) => bytes },
  gzip: { open: promisify<Buffer, Buffer>(gunzip), close: promisify<Buffer, Buffer>(gzip) },
  deflate: {
    open: promisify<Buffer, Buffer>(inflateRaw),
    close: promisify<Buffer, Buffer>(deflateRaw),
  },
}

async function whole(body: Answer['body']): Promise<Buffer> {
  if (body === undefined) return Buffer.alloc(0)
  if (typeof body === 'string') return Buffer.from(body)
  if (body instanceof Uint8Array) return Buffer.from(body)
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(bytesOf(chunk))
  return Buffer.concat(chunks)
}

const bytesOf = (chunk: Chunk): Buffer =>
  typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk)
