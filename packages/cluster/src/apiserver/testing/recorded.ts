import { readFileSync } from 'node:fs'
import { type ApiServer, type ApiServerOptions, createApiServer } from '../index.ts'

/** An answer with what tests look at. */
export interface Answered {
  readonly status: number
  readonly warnings: readonly string[]
  readonly body: Readonly<Record<string, unknown>> & {
    readonly metadata?: Readonly<Record<string, unknown>>
    readonly message?: string
    readonly reason?: string
  }
}

/** Sends a request to a server in this process, as JSON. */
export type Send = (
  method: string,
  path: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answered>

/** How to ask a server. */
export const sendTo =
  (server: ApiServer): Send =>
  async (method, path, body, headers = {}) => {
    const type = { 'content-type': 'application/json' }
    const init = body
      ? { body: JSON.stringify(body), headers: { ...type, ...headers } }
      : { headers }
    const response = await server.fetch(new Request(`http://server${path}`, { method, ...init }))
    const warning = response.headers.get('warning')
    const warnings = warning ? warning.split(/, (?=299 - ")/) : []
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const answer: unknown = isJson ? JSON.parse(text) : {}
    return { status: response.status, warnings, body: answer as never }
  }

/** A server of its own, and how to ask it. */
export function fresh(options: ApiServerOptions = {}): {
  readonly server: ApiServer
  readonly send: Send
} {
  const server = createApiServer(options)
  return { server, send: sendTo(server) }
}

/** Rows that kube-apiserver v1.36 answered, from a file beside the test. */
export const recorded = <Row>(url: URL): readonly Row[] =>
  JSON.parse(readFileSync(url, 'utf8')) as readonly Row[]

/** Where policies and webhooks are registered. */
export const REGISTRATION = '/apis/admissionregistration.k8s.io/v1'
