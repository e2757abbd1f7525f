import type { Metrics } from '../base/metrics.ts'
import type { Transport } from '../base/transport.ts'

/** A transport that counts its requests: `rest_client_requests_total{code,method,host}`; no answer counts as code `<error>`. */
export function measured(transport: Transport, metrics: Metrics, host: string): Transport {
  const total = metrics.counter({
    name: 'rest_client_requests_total',
    help: 'Number of HTTP requests, partitioned by status code, method, and host.',
    labels: ['code', 'method', 'host'],
  })
  return async (request) => {
    try {
      const response = await transport(request)
      total.add({ code: String(response.status), method: request.method, host })
      return response
    } catch (error) {
      total.add({ code: '<error>', method: request.method, host })
      throw error
    }
  }
}
