import { healthHandler, type HealthChecks } from './health.ts'
import { groupResourceText } from '../machinery/kind.ts'
import type { Process } from './stages.ts'
import { authorized } from './authorized.ts'
import { serve, type Served } from '../webhook/serve.ts'
import { selfSigned } from '../webhook/self-signed.ts'
import { readCertificate, watchCertificate } from '../webhook/certificate-files.ts'
import { webhookHandler } from '../webhook/webhook-handler.ts'

/** Opens the ports that were asked for; answers with a function that closes them. */
export async function startServers(process: Process): Promise<() => Promise<void>> {
  const { ports = {} } = process.options
  const open: Served[] = []
  const close = async (): Promise<void> => {
    await Promise.all(open.map((it) => it.close()))
  }
  try {
    if (typeof ports.health === 'number') {
      const served = await serve(healthHandler(checksOf(process)), { port: ports.health })
      open.push(served)
      process.ports.health = served.port
    }
    if (typeof ports.metrics === 'number') {
      const served = await serveMetrics(process, ports.metrics)
      open.push(served)
      process.ports.metrics = served.port
    }
    if (typeof ports.webhook === 'number' && process.definition.webhooks.length > 0) {
      const served = await serveWebhooks(process, ports.webhook)
      open.push(served)
      process.ports.webhook = served.port
    }
    if (typeof ports.inbound === 'number') {
      const served = await serve(process.inbound.fetch, { port: ports.inbound })
      open.push(served)
      process.ports.inbound = served.port
    }
  } catch (error) {
    await close()
    throw error
  }
  return close
}

async function serveMetrics(process: Process, port: number): Promise<Served> {
  const { secure = true, authorize = secure } = process.options.metrics ?? {}
  const scrape = async (request: Request): Promise<Response> => {
    const { scrape: metrics, debug } = process
    if (debug && /^\/debug(\/|$)/.test(new URL(request.url).pathname)) return debug.fetch(request)
    if (!metrics || new URL(request.url).pathname !== '/metrics')
      return new Response('404 page not found\n', { status: 404 })
    return new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } })
  }
  const handler = authorize ? authorized(scrape, process.client, process.clock) : scrape
  return serve(handler, {
    port,
    ...(secure ? { tls: () => selfSigned(`${process.instance}`, process.clock.now()) } : {}),
  })
}

/** Webhooks are served over HTTPS alone, with a certificate from files that may be renewed at any time. */
async function serveWebhooks(process: Process, port: number): Promise<Served> {
  const { clock, log, metrics, stopping, options, definition } = process
  const files = options.webhook?.certificate ?? {}
  const first = await readCertificate(files)
  const handler = webhookHandler(definition.webhooks, { clock, metrics })
  const served = await serve(handler, { port, tls: () => first })
  const watching = { clock, log, signal: stopping.signal }
  void watchCertificate(files, first, watching, (it) => served.replaceCertificate(it))
  return served
}

/** `readyz` passes when every cache is full and can be trusted; `healthz` as long as the process answers. */
function checksOf(process: Process): Record<'healthz' | 'readyz', HealthChecks> {
  const own = (of: 'healthz' | 'readyz'): HealthChecks =>
    Object.fromEntries(
      process.definition.checks
        .filter((it) => it.of === of || it.of === 'healthz')
        .map((it) => [it.name, it.check]),
    )
  return {
    healthz: { ping: () => {}, ...own('healthz') },
    readyz: { ping: () => {}, caches: () => checkCaches(process), ...own('readyz') },
  }
}

/** How long a watch may fail before the process is not ready, ms: an API server restarts faster. */
const PATIENCE = 60_000

function checkCaches({ cache, clock }: Process): void {
  const wrong = cache.informers.flatMap(({ kind, health, synced }) => {
    if (!synced) return [`${groupResourceText(kind)} is not listed yet`]
    const failing = health.state === 'failing' && clock.now() - health.since > PATIENCE
    return failing ? [`${groupResourceText(kind)} cannot be watched`] : []
  })
  if (wrong.length > 0) throw new Error(wrong.join('; '))
}
