import { healthHandler, type HealthChecks } from './health.ts'
import { groupResourceText } from '../machinery/kind.ts'
import type { ManagerPorts } from './manager-options.ts'
import type { Process } from './stages.ts'
import { authorized } from './authorized.ts'
import { keepCertificate } from '../webhook/keep-certificate.ts'
import { serve, type Served, type ServingCertificate } from '../webhook/serve.ts'
import { selfSigned } from '../webhook/self-signed.ts'
import { readCertificate, watchCertificate } from '../webhook/certificate-files.ts'
import { webhookHandler } from '../webhook/webhook-handler.ts'

/** What is served, in the order in which it begins. */
const SERVERS: readonly (readonly [
  name: keyof ManagerPorts,
  open: (process: Process, port: number) => Promise<Served>,
])[] = [
  ['health', (process, port) => serve(healthHandler(checksOf(process)), { port })],
  ['metrics', serveMetrics],
  ['webhook', serveWebhooks],
  ['inbound', (process, port) => serve(process.inbound.fetch, { port })],
]

/** Opens the ports that were asked for; answers with a function that closes them. */
export async function startServers(process: Process): Promise<() => Promise<void>> {
  const { options, definition } = process
  const open: Served[] = []
  const close = async (): Promise<void> => {
    await Promise.all(open.map((it) => it.close()))
  }
  for (const [name, begin] of SERVERS) {
    const port = options.ports?.[name]
    const needless = name === 'webhook' && definition.webhooks.length === 0
    if (typeof port !== 'number' || needless) continue
    try {
      const served = await begin(process, port)
      open.push(served)
      process.ports[name] = served.port
    } catch (cause) {
      await close()
      throw new Error(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, {
        cause,
      })
    }
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

/** Webhooks are served over HTTPS alone, with a certificate that may be renewed at any time: from files, or of our own. */
async function serveWebhooks(process: Process, port: number): Promise<Served> {
  const { client, clock, log, metrics, stopping, options, definition } = process
  const certificate = options.webhook?.certificate ?? {}
  const watching = { client, clock, log, signal: stopping.signal }
  const replace = (it: ServingCertificate): void => served.replaceCertificate(it)
  const first =
    'service' in certificate
      ? await keepCertificate(watching, certificate, replace)
      : await readCertificate(certificate)
  const handler = webhookHandler(definition.webhooks, { clock, metrics })
  const served = await serve(handler, { port, tls: () => first })
  if (!('service' in certificate)) void watchCertificate(certificate, first, watching, replace)
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
