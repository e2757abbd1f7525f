import type { X509Certificate } from 'node:crypto'
import type { Clock, Random } from 'kubewright/base'
import type { AdmissionPlugin } from '../admission/admission.ts'
import { podCertificateSigning } from '../admission/certificates.ts'
import type { AdmissionChain } from '../admission/chain.ts'
import { Matcher } from '../admission/matching/matcher.ts'
import { Versions } from '../admission/matching/versions.ts'
import type { AdmissionObserver } from '../admission/observer.ts'
import { admissionPlugins } from '../admission/plugins.ts'
import { paramAccess } from '../admission/policies/param-access.ts'
import type { Registrations } from '../admission/registrations.ts'
import {
  type Authentication,
  type AuthenticationOptions,
  makeAuthentication,
} from '../authentication/make-authentication.ts'
import { replaceable } from '../authentication/replaceable.ts'
import type { ServiceAccountTokens } from '../authentication/service-account-tokens.ts'
import { noEscalation } from '../authorization/escalation.ts'
import type { RbacAuthorizer } from '../authorization/rbac.ts'
import { replaceable as replaceableAuthorizer } from '../authorization/replaceable.ts'
import { allowAuthenticated, authorizerOf } from '../authorization/stock.ts'
import { DEFINITION_STRATEGY } from '../definitions/definition-strategy.ts'
import { DEFINITIONS } from '../definitions/definitions.ts'
import type { Authorizer } from '../endpoints/authorizer.ts'
import { Catalog } from '../endpoints/catalog.ts'
import type { ServerParts } from '../endpoints/server-parts.ts'
import { withStockSubresources } from '../endpoints/stock-subresources.ts'
import type { User } from '../http/message.ts'
import type { ResolveService } from '../http/webhook-call.ts'
import { withLoopbackEndpoints } from '../registry/loopback-endpoints.ts'
import { addressRange } from '../registry/core/address-range.ts'
import { DEFAULT_NETWORKS, type ServiceNetworks } from '../registry/core/service-addresses.ts'
import { strategyOf } from '../registry/strategies.ts'
import type { Strategy } from '../registry/strategy.ts'
import { everyBuiltinResource } from '../resources/builtins.ts'
import type { ResourceInfo } from '../resources/resource.ts'
import { servedBuiltins } from '../resources/served-builtins.ts'
import type { ApiServerOptions } from '../server-options.ts'
import type { Storage } from '../storage/storage.ts'
import { tableConvertor } from '../table/convertors.ts'
import { servedBy } from './served-resources.ts'

/** What the parts of a server are made of, beside its options. */
export interface Ground {
  readonly storage: Storage
  readonly clock: Clock
  readonly random: Random
  readonly accounts: ServiceAccountTokens
  readonly rbac: RbacAuthorizer
  readonly registrations: Registrations
  readonly resolveService: ResolveService
  /** Bearer tokens that are good for ever, and whose they are. */
  readonly tokens: ReadonlyMap<string, User>
  /** Whose client certificates are believed, once there is a listener. */
  readonly listenerAuthorities: () => readonly X509Certificate[]
  readonly makeNamespace: (name: string) => Promise<void>
  /** Is told what admission does. */
  readonly observe: AdmissionObserver
}

/** How long a watch lasts at least where nobody says (apiserver/pkg/server MinRequestTimeout). */
const MIN_REQUEST_TIMEOUT = 30 * 60_000

/** How a server that runs is told anew whom it believes and who may what. */
export interface Replacing {
  readonly authentication: (options: AuthenticationOptions) => void
  readonly authorization: (authorization: ApiServerOptions['authorization']) => void
}

/** Puts together what the endpoints share, and tells how parts of it are replaced. */
export function serverParts(
  options: ApiServerOptions,
  ground: Ground,
): { readonly parts: ServerParts; readonly replacing: Replacing } {
  const authentication = replaceable(authenticationOf(options.authentication ?? {}, ground))
  const authorizer = replaceableAuthorizer(deciderOf(options.authorization, ground))
  return {
    parts: joined(options, ground, authentication, authorizer.authorize),
    replacing: {
      authentication: (next) => authentication.replace(authenticationOf(next, ground)),
      authorization: (next) => authorizer.replace(deciderOf(next, ground)),
    },
  }
}

const authenticationOf = (
  options: AuthenticationOptions,
  { storage, clock, accounts, tokens, listenerAuthorities }: Ground,
): Authentication =>
  makeAuthentication(options, {
    clock,
    find: async (storageKey, namespace, name) =>
      (await storage.get(`${storageKey}/${namespace}/${name}`))?.object,
    accounts,
    users: tokens,
    listenerAuthorities,
  })

function joined(
  options: ApiServerOptions,
  ground: Ground,
  authentication: Authentication,
  authorizer: Authorizer,
): ServerParts {
  const { storage, clock, random, accounts, rbac } = ground
  const catalog = catalogOf(options, clock)
  return {
    storage,
    clock,
    random,
    catalog,
    admission: admissionOf(options, ground, catalog, authorizer),
    authorizer,
    rulesOf: (user, namespace) => rbac.rulesOf(user, namespace),
    authentication,
    tokens: {
      issuer: accounts.issuer,
      audiences: accounts.audiences,
      maxSeconds: accounts.options.maxSeconds ?? 0,
      extendExpiration: accounts.options.extendExpiration ?? true,
      sign: accounts.sign,
    },
    networks: networksOf(options),
    connecting: {
      findKubelet: options.findKubelet ?? (() => undefined),
      kubeletTls: options.kubeletTls ?? {},
      dial: options.dial,
      allowLoopback: options.allowLoopbackEndpoints ?? false,
      pick: (count) => Math.min(count - 1, Math.floor(random.next() * count)),
    },
    features: featuresOf(options),
    minRequestTimeout: options.minRequestTimeout ?? MIN_REQUEST_TIMEOUT,
  }
}

const catalogOf = (options: ApiServerOptions, clock: Clock): Catalog =>
  new Catalog(
    servedBuiltins(
      {
        strategyOf: builtinStrategies(options.allowLoopbackEndpoints),
        tableOf: tableConvertor,
        clock,
      },
      everyBuiltinResource().filter(servedBy(options)),
    ),
  )

function builtinStrategies(loopback = false): (info: ResourceInfo) => Strategy {
  if (!loopback) return builtinStrategy
  return (info) => withLoopbackEndpoints(info, builtinStrategy(info))
}

const builtinStrategy = (info: ResourceInfo): Strategy =>
  info.storageKey === DEFINITIONS
    ? DEFINITION_STRATEGY
    : withStockSubresources(info, strategyOf(info))

function deciderOf(
  authorization: ApiServerOptions['authorization'] = 'rbac',
  { storage, rbac }: Ground,
): Authorizer {
  if (authorization === 'authenticated') return allowAuthenticated
  const modes = authorization === 'rbac' ? (['Node', 'RBAC'] as const) : authorization
  return authorizerOf(modes, storage, rbac)
}

function admissionOf(
  { admission = {} }: ApiServerOptions,
  { registrations, clock, resolveService, makeNamespace, observe, rbac }: Ground,
  catalog: Catalog,
  authorizer: Authorizer,
): AdmissionChain {
  const current = (): Catalog => catalog
  const parts = {
    registrations,
    catalog: current,
    matcher: new Matcher(current),
    versions: new Versions(current),
    authorizer,
    clock,
    resolveService,
    makeNamespace,
    observe,
  }
  const plugins: readonly AdmissionPlugin[] = [
    paramAccess(parts),
    ...admissionPlugins(parts, admission),
    noEscalation({ rbac, authorizer }),
    podCertificateSigning({ authorizer }),
  ]
  return { plugins, observe }
}

/** The families of the ranges that services take addresses from, and the ports of nodes. */
function networksOf({
  serviceRange,
  secondServiceRange,
  nodePorts = DEFAULT_NETWORKS.nodePorts,
}: ApiServerOptions): ServiceNetworks {
  const families = [serviceRange, secondServiceRange].flatMap((it) =>
    it === undefined ? [] : (addressRange(it)?.family ?? []),
  )
  return { families: families.length > 0 ? families : DEFAULT_NETWORKS.families, nodePorts }
}

/** The gates that are on. */
const featuresOf = ({ featureGates = {} }: ApiServerOptions): ReadonlySet<string> =>
  new Set(Object.keys(featureGates).filter((it) => featureGates[it]))
