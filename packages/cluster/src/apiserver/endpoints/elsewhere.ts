import type { Answer } from '../http/message.ts'
import { type Offer, OFFERS } from '../codec/negotiate.ts'
import { jsonAnswer, outputOf, pageNotFound } from './answers.ts'
import { discovery, type DiscoverySource } from './discovery-routes.ts'
import type { Exchange, Handler } from './exchange.ts'
import { type ZpagesSource, zpages } from './debug-routes.ts'
import { fairnessDump } from './fairness-routes.ts'
import { type Health, health, type HealthRecord } from './health.ts'
import type { Fairness } from '../fairness/fairness.ts'
import type { OpenApiPublisher } from '../openapi/publisher.ts'
import { openApi } from './openapi-routes.ts'
import { profiles } from './profile-routes.ts'
import { noSuchResource, notAllowed } from './router.ts'
import { versionInfo } from './version.ts'

/** What the paths that are no resources show. */
export interface ElsewhereSource {
  readonly discovery: () => DiscoverySource
  readonly openApi: OpenApiPublisher
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly health: Health
  /** How the checks went. */
  readonly healthRecord: HealthRecord
  readonly metrics: () => Promise<string>
  readonly zpages: ZpagesSource
  readonly fairness: () => Fairness | undefined
  /** Whether profiles may be taken. */
  readonly profiling: boolean
  readonly publicKeys: () => Promise<{
    readonly keys: readonly object[]
    readonly algorithms: readonly string[]
  }>
  readonly issuer: string
  readonly jwksUri: () => string
  /** The text of everything that is stored; undefined where nobody may have it. Not of Kubernetes. */
  readonly snapshot: (() => Uint8Array) | undefined
}

type Route = (
  exchange: Exchange,
  source: ElsewhereSource,
) => Answer | undefined | Promise<Answer | undefined>

/** The first that answers, answers. */
const ROUTES: readonly Route[] = [
  (exchange, source) => health(exchange, source.health),
  (exchange, source) => discovery(exchange, source.discovery()),
  (exchange, source) => openApi(exchange, source.openApi, source.now()),
  (exchange, source) => zpages(exchange, source.zpages),
  (exchange, source) => fairnessDump(exchange, source.fairness()),
  (exchange, source) => (source.profiling ? profiles(exchange) : undefined),
  version,
  metrics,
  openId,
  snapshot,
  index,
]

/** Answers whatever is no resource. */
export const elsewhere =
  (source: ElsewhereSource): Handler =>
  async (exchange) => {
    for (const route of ROUTES) {
      const answer = await route(exchange, source)
      if (answer) return answer
    }
    if (isRouted(exchange.info.path, source.discovery())) throw noSuchResource()
    return pageNotFound
  }

/** Whether a path lies under routes, which answer for whatever lies there: the APIs of built-in groups, and `/version`. */
function isRouted(path: string, { isBuiltinGroup }: DiscoverySource): boolean {
  const [root, group = '', ...rest] = path.split('/').slice(1)
  if (root === 'apis') return group !== '' && rest.length > 0 && isBuiltinGroup(group)
  return (root === 'api' || root === 'version') && path.length > root.length + 1
}

const VERSION: Offer = { ...OFFERS.document, produces: ['application/json'] }

function version(exchange: Exchange): Answer | undefined {
  if (exchange.info.path.replace(/\/$/, '') !== '/version') return undefined
  if (exchange.request.method !== 'GET') throw notAllowed()
  outputOf(exchange, VERSION)
  const json = JSON.stringify(versionInfo)
  return jsonAnswer(200, { mediaType: 'application/json', pretty: true, as: undefined }, json)
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores'

async function metrics({ info }: Exchange, source: ElsewhereSource): Promise<Answer | undefined> {
  if (info.path !== '/metrics' && info.path !== '/metrics/slis') return undefined
  const body =
    info.path === '/metrics'
      ? await source.metrics()
      : source.healthRecord.text(source.zpages.started)
  return { status: 200, headers: { 'content-type': METRICS_TYPE }, body }
}

/** Where a server that serves its snapshot does so. */
export const SNAPSHOT_PATH = '/kubewright/snapshot'

function snapshot({ info, request }: Exchange, source: ElsewhereSource): Answer | undefined {
  if (info.path !== SNAPSHOT_PATH || !source.snapshot) return undefined
  if (request.method !== 'GET') throw notAllowed()
  return { status: 200, headers: { 'content-type': 'application/jsonl' }, body: source.snapshot() }
}

/** How services elsewhere learn to check the tokens of service accounts (kubernetes/pkg/routes/openidmetadata.go). */
async function openId({ info }: Exchange, source: ElsewhereSource): Promise<Answer | undefined> {
  // Only an issuer that can be asked is told about.
  if (!source.issuer.startsWith('https://')) return undefined
  if (info.path === '/openid/v1/jwks') {
    const { keys } = await source.publicKeys()
    return forAnHour('application/jwk-set+json', { keys })
  }
  if (info.path !== '/.well-known/openid-configuration') return undefined
  const { algorithms } = await source.publicKeys()
  return forAnHour('application/json', {
    issuer: source.issuer,
    jwks_uri: source.jwksUri(),
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: algorithms,
  })
}

const forAnHour = (type: string, body: object): Answer => ({
  status: 200,
  headers: { 'content-type': type, 'cache-control': 'public, max-age=3600' },
  body: JSON.stringify(body),
})

/** `/`: every path that there is. */
function index(exchange: Exchange, source: ElsewhereSource): Answer | undefined {
  if (exchange.info.path !== '/') return undefined
  const { infos, registered } = source.discovery()
  const served = [...infos, ...registered]
  const groups = served.map((it) => (it.group === '' ? '/api' : `/apis/${it.group}`))
  const versions = served.map((it) =>
    it.group === '' ? `/api/${it.version}` : `/apis/${it.group}/${it.version}`,
  )
  const checks = (['healthz', 'livez', 'readyz'] as const).flatMap((root) => [
    `/${root}`,
    ...source.health[root].map((it) => `/${root}/${it.name}`),
  ])
  const paths = [
    ...new Set(['/.well-known/openid-configuration', '/apis', ...groups, ...versions, ...checks]),
    '/apis/',
    '/flagz',
    '/metrics',
    '/metrics/slis',
    '/openapi/v2',
    '/openapi/v3',
    '/openapi/v3/',
    '/openid/v1/jwks',
    '/statusz',
    '/version',
  ].sort()
  const output = { mediaType: 'application/json', pretty: true, as: undefined } as const
  return jsonAnswer(200, output, JSON.stringify({ paths }))
}
