import { ApiError, type Status, unauthorized } from 'kubewright/machinery'
import { RequestEntry } from '../audit/entry.ts'
import { type AuditConfig, type AuditStage } from '../audit/policy.ts'
import type { AuditSink } from '../audit/sink.ts'
import { openEnvelope, PROTOBUF, readEnvelope } from '../codec/protobuf.ts'
import { textAnswer } from '../endpoints/answers.ts'
import type { Attributes } from '../endpoints/authorizer.ts'
import type { Exchange, Filter } from '../endpoints/exchange.ts'
import type { Answer, Chunk } from '../http/message.ts'
import { attributesOf } from './authorization.ts'

/** What is to be written down, and where it goes. */
export interface AuditOptions {
  readonly configOf: (attributes: Attributes) => AuditConfig
  readonly sink: AuditSink
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Writes down what is asked and answered, where the policy says so (apiserver/pkg/endpoints/filters/audit.go). */
export const audit =
  (options: AuditOptions): Filter =>
  (next) =>
  async (exchange) => {
    const config = options.configOf(attributesOf(exchange))
    if (config.level === 'None') return next(exchange)
    const entry = new RequestEntry(config, exchange, options.now())
    const tell = (stage: AuditStage): void | Promise<boolean> => {
      if (entry.tells(stage)) return options.sink.write(entry.event(stage, options.now()))
    }
    const received = tell('RequestReceived')
    if (received && !(await received) && options.sink.isStrict) return unwritten(exchange)
    try {
      const answer = await next({ ...exchange, audit: entry })
      return await noted(entry, answer, tell)
    } catch (error) {
      const status = statusOf(error)
      entry.answered(status.code ?? 500, status, status)
      await tell('ResponseComplete')
      throw error
    }
  }

/** What is answered to a request that cannot be written down (handlers/responsewriters InternalError). */
function unwritten({ request }: Exchange): Answer {
  const uri = JSON.stringify(request.path).replace(/[&<>]/g, '')
  return textAnswer(500, `Internal Server Error: ${uri}: failed to store audit event\n`)
}

/** Writes down a request of which nobody knows who sends it (filters/authn_audit.go). */
export function auditRefused(options: AuditOptions, exchange: Exchange): void {
  const nobody = { ...exchange, user: { name: '', groups: [] } }
  const config = options.configOf(attributesOf(nobody))
  const entry = new RequestEntry(config, nobody, options.now())
  const { status } = unauthorized()
  entry.answered(401, status, undefined)
  if (entry.tells('ResponseStarted'))
    void options.sink.write(entry.event('ResponseStarted', options.now()))
}

const statusOf = (error: unknown): Status =>
  error instanceof ApiError
    ? error.status
    : ({
        metadata: {},
        status: 'Failure',
        message: (error as Error).message,
        reason: 'InternalError',
        code: 500,
      } as Status)

type Tell = (stage: AuditStage) => void | Promise<boolean>

async function noted(entry: RequestEntry, answer: Answer, tell: Tell): Promise<Answer> {
  const { status: code, body } = answer
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    const object = objectOf(entry, answer)
    const isStatus = (object as { readonly kind?: string } | undefined)?.kind === 'Status'
    entry.answered(code, isStatus ? (object as Status) : undefined, object)
    await tell('ResponseComplete')
    return answer
  }
  entry.answered(code, undefined, undefined)
  await tell('ResponseStarted')
  return { ...answer, body: until(body, () => void tell('ResponseComplete')) }
}

/** What an answer holds, where that is to be written down, or may be a Status. */
function objectOf(entry: RequestEntry, { status, headers, body }: Answer): unknown {
  const type = String(headers['content-type'] ?? '')
  const mayBeStatus =
    status >= 400 || (typeof body === 'string' && /^\s*\{\s*"kind":\s*"Status"/.test(body))
  if (entry.level !== 'RequestResponse' && !mayBeStatus) return undefined
  if (type.startsWith(PROTOBUF) && body instanceof Uint8Array)
    return readEnvelope(openEnvelope(Buffer.from(body)))
  if (!type.startsWith('application/json')) return undefined
  try {
    return JSON.parse(typeof body === 'string' ? body : Buffer.from(body as Uint8Array).toString())
  } catch {
    return undefined
  }
}

/** A stream whose end is told, however it ends. */
async function* until(body: AsyncIterable<Chunk>, ended: () => void): AsyncGenerator<Chunk> {
  try {
    yield* body
  } finally {
    ended()
  }
}
