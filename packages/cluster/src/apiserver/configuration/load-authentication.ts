import { dirname } from 'node:path'
import type { Clock } from 'kubewright/base'
import { parseKubeConfig } from 'kubewright/client'
import {
  type AuthenticationConfiguration,
  type JwtConfiguration,
  ofOidcFlags,
} from '../authentication/authentication-configuration.ts'
import type { TokenAuthenticator } from '../authentication/authenticator.ts'
import { certificatesOf } from '../authentication/client-certificate.ts'
import type { FrontProxyOptions } from '../authentication/front-proxy.ts'
import { jwtIssuer } from '../authentication/jwt-issuer.ts'
import type { AuthenticationOptions } from '../authentication/make-authentication.ts'
import type { ServiceAccountOptions } from '../authentication/service-account-tokens.ts'
import { privateKeyOf, publicKeysOf, signingKeys } from '../authentication/signing-keys.ts'
import { parseTokenFile } from '../authentication/token-file.ts'
import { authenticationErrors } from '../authentication/validate-jwt.ts'
import { webhookTokens } from '../authentication/webhook-tokens.ts'
import type { User } from '../http/message.ts'
import { remoteOf } from '../http/remote.ts'
import { parseConfig, refuseErrors, type Shape } from './config-file.ts'
import { FlagError } from './flag-error.ts'
import type {
  AuthenticationFlags,
  OidcFlags,
  RequestHeaderFlags,
  ServiceAccountFlags,
} from './options.ts'
import { parsed, textOf } from './read-file.ts'

/** The users of `--token-auth-file`, by their tokens. */
export async function loadTokens({
  tokenFile,
}: AuthenticationFlags): Promise<Readonly<Record<string, User>>> {
  if (tokenFile === undefined) return {}
  const users = await parsed(tokenFile, parseTokenFile, `error reading token file ${tokenFile}`)
  return Object.fromEntries(users)
}

/** Reads all files that tell who is believed. `now` is asked whenever a token is judged. */
export async function loadAuthentication(
  flags: AuthenticationFlags,
  clock: Clock,
): Promise<AuthenticationOptions> {
  const { clientCaFile, requestHeader, serviceAccounts } = flags
  const audiences = flags.apiAudiences.length > 0 ? { audiences: flags.apiAudiences } : {}
  const structured = await structuredOf(flags)
  const { anonymous, jwt = [] } = structured
  return {
    anonymous: anonymous ? anonymousOf(anonymous) : flags.anonymous,
    // Without a file no client certificate is believed.
    clientAuthorities:
      clientCaFile === undefined
        ? []
        : await parsed(
            clientCaFile,
            certificatesOf,
            `unable to load client CA file ${clientCaFile}`,
          ),
    ...(requestHeader ? { frontProxy: await loadFrontProxy(requestHeader) } : {}),
    serviceAccounts: { ...(await loadServiceAccounts(serviceAccounts)), ...audiences },
    bootstrapTokens: flags.bootstrapTokens,
    tokens: [
      ...jwt.map((it) => jwtIssuer(it, clock, flags.oidc?.signingAlgorithms)),
      ...(await loadWebhook(flags, clock)),
    ],
  }
}

const MAPPING = { claim: true, prefix: true, expression: true } as const

const SHAPE = {
  jwt: [
    {
      issuer: {
        url: true,
        discoveryURL: true,
        certificateAuthority: true,
        audiences: true,
        audienceMatchPolicy: true,
        egressSelectorType: true,
      },
      claimValidationRules: [{ claim: true, requiredValue: true, expression: true, message: true }],
      claimMappings: {
        username: MAPPING,
        groups: MAPPING,
        uid: { claim: true, expression: true },
        extra: [{ key: true, valueExpression: true }],
      },
      userValidationRules: [{ expression: true, message: true }],
    },
  ],
  anonymous: { enabled: true, conditions: [{ path: true }] },
} as const satisfies Shape

/** The configuration of the file, or what `--oidc-*` come to. Anonymity is told by one of the file and the flag alone. */
async function structuredOf(flags: AuthenticationFlags): Promise<AuthenticationConfiguration> {
  const { configFile, oidc } = flags
  if (configFile === undefined) return oidc ? { jwt: [await ofOidc(oidc)] } : {}
  const expected = {
    group: 'apiserver.config.k8s.io',
    versions: ['v1', 'v1beta1', 'v1alpha1'],
    kind: 'AuthenticationConfiguration',
    shape: SHAPE,
  }
  const configuration = await parsed(
    configFile,
    (text) => parseConfig<AuthenticationConfiguration>(text, expected),
    `failed to load authentication configuration from file ${JSON.stringify(configFile)}`,
  )
  if (configuration.anonymous && flags.anonymousGiven) {
    throw new FlagError(
      'invalid',
      'anonymous-auth flag and anonymous field in authentication configuration are mutually exclusive',
    )
  }
  const errors = authenticationErrors(configuration, flags.serviceAccounts.issuers)
  refuseErrors(errors, 'invalid authentication configuration: ')
  return configuration
}

const anonymousOf = ({
  enabled = false,
  conditions = [],
}: NonNullable<AuthenticationConfiguration['anonymous']>): boolean | readonly string[] =>
  enabled && conditions.length > 0 ? conditions.map((it) => it.path ?? '') : enabled

async function ofOidc({ caFile, ...flags }: OidcFlags): Promise<JwtConfiguration> {
  const certificateAuthority = caFile === undefined ? undefined : await textOf(caFile)
  return ofOidcFlags({ ...flags, ...(certificateAuthority ? { certificateAuthority } : {}) })
}

async function loadFrontProxy(flags: RequestHeaderFlags): Promise<FrontProxyOptions> {
  const lower = (names: readonly string[]): readonly string[] => names.map((it) => it.toLowerCase())
  const what = `unable to load request header CA file ${flags.caFile}`
  return {
    authorities: await parsed(flags.caFile, certificatesOf, what),
    allowedNames: flags.allowedNames,
    usernameHeaders: lower(flags.usernameHeaders),
    uidHeaders: lower(flags.uidHeaders),
    groupHeaders: lower(flags.groupHeaders),
    extraPrefixes: lower(flags.extraPrefixes),
  }
}

async function loadServiceAccounts(flags: ServiceAccountFlags): Promise<ServiceAccountOptions> {
  const { signingKeyFile, jwksUri } = flags
  const verifying = await Promise.all(
    flags.keyFiles.map((it) => parsed(it, publicKeysOf, `error reading public key file ${it}`)),
  )
  const signing = signingKeyFile
    ? await parsed(signingKeyFile, privateKeyOf, 'failed to parse service-account-issuer-key-file')
    : undefined
  return {
    issuers: flags.issuers,
    ...(signing ? { keys: signingKeys(signing, verifying.flat()) } : {}),
    ...(jwksUri === undefined ? {} : { jwksUri }),
    maxSeconds: flags.maxSeconds,
    extendExpiration: flags.extendExpiration,
  }
}

async function loadWebhook(
  { webhook, apiAudiences, serviceAccounts }: AuthenticationFlags,
  clock: Clock,
): Promise<readonly TokenAuthenticator[]> {
  if (!webhook) return []
  const { configFile, version, cacheMilliseconds } = webhook
  const text = await textOf(configFile)
  const remote = remoteOf(parseKubeConfig(text, dirname(configFile), configFile), clock)
  const audiences = apiAudiences.length > 0 ? apiAudiences : serviceAccounts.issuers
  return [webhookTokens({ remote, version, cacheMilliseconds, audiences, clock })]
}
