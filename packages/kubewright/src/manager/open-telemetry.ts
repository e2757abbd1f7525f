import type { TracedRun, Tracing } from '../controller/tracing.ts'

/** `@opentelemetry/api`, as far as it is used here: an operator that traces brings it, one that does not need not have it. */
export interface OpenTelemetryApi {
  readonly trace: {
    getTracer(name: string, version?: string): OpenTelemetryTracer
    setSpan(context: unknown, span: OpenTelemetrySpan): unknown
  }
  readonly context: {
    active(): unknown
    with<T>(context: unknown, call: () => T): T
  }
  readonly propagation: {
    inject(
      context: unknown,
      carrier: Headers,
      setter: { set(carrier: Headers, key: string, value: string): void },
    ): void
  }
}

interface OpenTelemetryTracer {
  startSpan(name: string, options?: object, context?: unknown): OpenTelemetrySpan
}

interface OpenTelemetrySpan {
  setAttribute(name: string, value: string | number | boolean): unknown
  addEvent(name: string, attributes?: Readonly<Record<string, string>>): unknown
  setStatus(status: { readonly code: number; readonly message?: string }): unknown
  recordException(error: Error): void
  end(at?: number): void
}

/** SpanKind and SpanStatusCode of the specification, by number. */
const CLIENT = 2
const ERROR = 2

/**
 * Traces by OpenTelemetry: one span a run, from when its key became ready; below it the time in the queue, and each API call, which
 * hands its context on to the server (W3C Trace Context, by whatever propagator the SDK was given). Spans go where the SDK says.
 */
export function openTelemetry(api: OpenTelemetryApi): Tracing {
  const tracer = api.trace.getTracer('kubewright')
  return {
    run(run, work) {
      const span = tracer.startSpan(`reconcile ${run.controller}`, {
        startTime: run.queuedAt,
        attributes: attributesOf(run),
      })
      const context = api.trace.setSpan(api.context.active(), span)
      for (const cause of run.causes) span.addEvent('cause', { 'kubewright.cause': cause })
      tracer.startSpan('queue', { startTime: run.queuedAt }, context).end(run.takenAt)
      const working = api.context.with(context, () =>
        work(({ outcome, error }) => {
          span.setAttribute('kubewright.outcome', outcome)
          if (error) fail(span, error)
        }),
      )
      return working.finally(() => span.end())
    },
    transport: (transport) => async (request) => {
      const { pathname, host } = new URL(request.url)
      const attributes = {
        'http.request.method': request.method,
        'url.path': pathname,
        'server.address': host,
      }
      const name = `${request.method} ${pathname}`
      const span = tracer.startSpan(name, { kind: CLIENT, attributes }, api.context.active())
      api.propagation.inject(api.trace.setSpan(api.context.active(), span), request.headers, SETTER)
      try {
        const response = await transport(request)
        span.setAttribute('http.response.status_code', response.status)
        if (response.status >= 500) span.setStatus({ code: ERROR })
        return response
      } catch (error) {
        fail(span, error instanceof Error ? error : new Error(String(error)))
        throw error
      } finally {
        span.end()
      }
    },
  }
}

const SETTER = {
  set: (headers: Headers, key: string, value: string): void => headers.set(key, value),
}

function fail(span: OpenTelemetrySpan, error: Error): void {
  span.recordException(error)
  span.setStatus({ code: ERROR, message: error.message })
}

function attributesOf(run: TracedRun): Readonly<Record<string, string | number>> {
  return {
    'kubewright.controller': run.controller,
    'kubewright.object': run.key,
    'kubewright.reconcile_id': run.id,
    'kubewright.attempt': run.attempt,
  }
}

/** The tracing that the options ask for; finds the package by itself. Rejects with a sentence when it is not there. */
export async function tracingOf(
  wanted: Tracing | boolean | undefined,
): Promise<Tracing | undefined> {
  if (!wanted) return undefined
  if (wanted !== true) return wanted
  // Not a literal, so that nobody needs the package who does not trace.
  const name = '@opentelemetry/api'
  try {
    return openTelemetry((await import(name)) as OpenTelemetryApi)
  } catch (cause) {
    throw new Error(
      `tracing needs the package ${name}, and it is not installed: npm install ${name}, and start an SDK before the manager`,
      { cause },
    )
  }
}
