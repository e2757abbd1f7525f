import { parseExact, stringifyExact } from '../base/exact-json.ts'
import type { Clock } from '../base/clock.ts'
import { noMetrics, type Metrics } from '../base/metrics.ts'
import { ApiError, failure } from '../machinery/status.ts'
import { CONVERT, type WebhookDefinition } from './webhooks.ts'

/** What a {@link webhookHandler} reports to. */
export interface WebhookHandlerOptions {
  readonly clock: Clock
  readonly metrics?: Metrics
}

/**
 * Serves webhooks by their paths: POST a review, get it answered. Several conversions share `/convert`. Throws when two webhooks
 * of another sort share a path.
 */
export function webhookHandler(
  webhooks: readonly WebhookDefinition[],
  options: WebhookHandlerOptions,
): (request: Request) => Promise<Response> {
  const { clock, metrics = noMetrics } = options
  const byPath = Map.groupBy(webhooks, (it) => it.path)
  for (const [path, sharing] of byPath)
    if (sharing.length > 1 && path !== CONVERT)
      throw new Error(`two webhooks are to be served at ${path}; give one of them another path`)
  const meter = webhookMetrics(metrics)
  return async (request) => {
    const { pathname } = new URL(request.url)
    const found = byPath.get(pathname)
    if (!found) return new Response('404 page not found\n', { status: 404 })
    if (request.method !== 'POST')
      return new Response('POST a review\n', { status: 405, headers: { allow: 'POST' } })
    const began = clock.now()
    meter.inFlight.add(1, { webhook: pathname })
    const response = await answer(found, request)
    meter.inFlight.add(-1, { webhook: pathname })
    meter.total.add({ webhook: pathname, code: String(response.status) })
    meter.latency.observe((clock.now() - began) / 1000, { webhook: pathname })
    return response
  }
}

async function answer(webhooks: readonly WebhookDefinition[], request: Request): Promise<Response> {
  try {
    const body = parseExact(await textOf(request))
    const text = stringifyExact(await answerFirst(webhooks, body))
    return new Response(text, { headers: { 'content-type': 'application/json' } })
  } catch (error) {
    if (error instanceof ApiError) return new Response(`${error.message}\n`, { status: error.code })
    const message = error instanceof Error ? error.message : String(error)
    return new Response(`the body is no review in JSON: ${message}\n`, { status: 400 })
  }
}

/** How large a review may be, bytes: two objects of the most that an API server takes, and some room (controller-runtime). */
const LIMIT = 7 * 1024 * 1024

/** The body as text. Throws an ApiError (413) as soon as it is too large: whoever reaches the port may send one. */
async function textOf(request: Request): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length
    if (size > LIMIT)
      throw new ApiError(
        failure(
          413,
          'RequestEntityTooLarge',
          `the review is larger than ${LIMIT} bytes, which is the most that is read`,
        ),
      )
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Of several conversions that share a path, the one for the kind at hand. */
function answerFirst(webhooks: readonly WebhookDefinition[], body: unknown): Promise<object> {
  const { request } = body as {
    request?: { objects?: readonly { readonly kind?: string; readonly apiVersion?: string }[] }
  }
  const first = request?.objects?.[0]
  const chosen = webhooks.find(
    ({ kind }) =>
      first?.kind === kind.kind && (first?.apiVersion ?? '').split('/')[0] === kind.group,
  )
  return (chosen ?? webhooks[0]!).answer(body)
}

function webhookMetrics(metrics: Metrics) {
  return {
    latency: metrics.histogram({
      name: 'controller_runtime_webhook_latency_seconds',
      help: 'Histogram of the latency of processing admission requests',
      labels: ['webhook'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    }),
    total: metrics.counter({
      name: 'controller_runtime_webhook_requests_total',
      help: 'Total number of admission requests by HTTP status code.',
      labels: ['webhook', 'code'],
    }),
    inFlight: metrics.gauge({
      name: 'controller_runtime_webhook_requests_in_flight',
      help: 'Current number of admission requests being served.',
      labels: ['webhook'],
    }),
  }
}
