import { dirname, isAbsolute } from 'node:path'
import type { Clock } from 'kubewright/base'
import { parseKubeConfig } from 'kubewright/client'
import {
  duplicate,
  type FieldError,
  invalidValue,
  isDns1123Subdomain,
  notSupported,
  required,
  tooMany,
} from 'kubewright/machinery'
import { parseDuration } from 'kubewright/cel'
import { abacAuthorizer, abacPolicies } from '../authorization/abac.ts'
import type { AuthorizationMode } from '../authorization/stock.ts'
import { compileCondition, webhookAuthorizer } from '../authorization/webhook.ts'
import { remoteOf } from '../http/remote.ts'
import { type ExpectedConfig, parseConfig, refuseErrors } from './config-file.ts'
import { FlagError } from './flag-error.ts'
import type { AuthorizationFlags } from './options.ts'
import { parsed, textOf } from './read-file.ts'
import { AUTHORIZATION_MODES } from './validate-flags.ts'

/** One authorizer of an AuthorizationConfiguration (apiserver.config.k8s.io). */
interface AuthorizerConfig {
  readonly type?: string
  readonly name?: string
  readonly webhook?: WebhookConfig
}

interface WebhookConfig {
  readonly timeout?: string
  readonly authorizedTTL?: string
  readonly unauthorizedTTL?: string
  readonly subjectAccessReviewVersion?: string
  readonly matchConditionSubjectAccessReviewVersion?: string
  readonly failurePolicy?: string
  readonly connectionInfo?: { readonly type?: string; readonly kubeConfigFile?: string }
  readonly matchConditions?: readonly { readonly expression?: string }[]
}

interface AuthorizationConfig {
  readonly authorizers?: readonly AuthorizerConfig[]
}

const EXPECTED = {
  group: 'apiserver.config.k8s.io',
  versions: ['v1', 'v1beta1', 'v1alpha1'],
  kind: 'AuthorizationConfiguration',
  shape: {
    authorizers: [
      {
        type: true,
        name: true,
        webhook: {
          timeout: true,
          authorizedTTL: true,
          cacheAuthorizedRequests: true,
          unauthorizedTTL: true,
          cacheUnauthorizedRequests: true,
          subjectAccessReviewVersion: true,
          matchConditionSubjectAccessReviewVersion: true,
          failurePolicy: true,
          connectionInfo: { type: true, kubeConfigFile: true },
          matchConditions: [{ expression: true }],
        },
      },
    ],
  },
} as const satisfies ExpectedConfig

/** How long a webhook may take that flags name, in milliseconds. */
const PATIENCE = 30_000

/** The chain of authorizers that flags, or the file that they name, tell. */
export async function loadAuthorization(
  flags: AuthorizationFlags,
  clock: Clock,
): Promise<readonly AuthorizationMode[]> {
  const { configFile } = flags
  if (configFile === undefined)
    return Promise.all(flags.modes.map((it) => ofMode(it, flags, clock)))
  const { authorizers = [] } = await parsed(
    configFile,
    (text) => parseConfig<AuthorizationConfig>(text, EXPECTED),
    'failed to load AuthorizationConfiguration from file',
  )
  refuseErrors(authorizerErrors(authorizers))
  const misnamed = authorizers.filter(
    ({ type = '', name }) => type !== 'Webhook' && name !== type.toLowerCase(),
  )
  if (misnamed.length > 0) {
    const sentences = misnamed.map(
      ({ type = '', name }) =>
        `expected name ${type.toLowerCase()} for authorizer ${type} instead of ${name}`,
    )
    throw new FlagError(
      'invalid',
      sentences.length === 1 ? sentences[0]! : `[${sentences.join(', ')}]`,
    )
  }
  return Promise.all(authorizers.map((it) => ofConfig(it, clock)))
}

async function ofMode(
  mode: string,
  { webhook, policyFile }: AuthorizationFlags,
  clock: Clock,
): Promise<AuthorizationMode> {
  if (mode === 'ABAC') return abacIn(policyFile ?? '')
  if (mode !== 'Webhook' || !webhook) return mode as AuthorizationMode
  return webhookAuthorizer({
    remote: await remoteIn(webhook.configFile, clock),
    version: webhook.version,
    authorizedMilliseconds: webhook.authorizedMilliseconds,
    unauthorizedMilliseconds: webhook.unauthorizedMilliseconds,
    timeoutMilliseconds: PATIENCE,
    failurePolicy: 'NoOpinion',
    matchConditions: [],
    clock,
  })
}

async function abacIn(file: string): Promise<AuthorizationMode> {
  try {
    return abacAuthorizer(abacPolicies(await textOf(file), file))
  } catch (error) {
    throw new FlagError('invalid', `invalid authorization config: ${(error as Error).message}`)
  }
}

async function remoteIn(file: string, clock: Clock): Promise<ReturnType<typeof remoteOf>> {
  return remoteOf(parseKubeConfig(await textOf(file), dirname(file), file), clock)
}

async function ofConfig(
  { type = '', webhook = {} }: AuthorizerConfig,
  clock: Clock,
): Promise<AuthorizationMode> {
  if (type !== 'Webhook') return ofMode(type, { modes: [] }, clock)
  const { connectionInfo, matchConditions = [] } = webhook
  if (connectionInfo?.type === 'InClusterConfig') {
    throw new FlagError(
      'invalid',
      'connectionInfo.type InClusterConfig is for API servers in pods: name a kubeConfigFile',
    )
  }
  return webhookAuthorizer({
    remote: await remoteIn(connectionInfo?.kubeConfigFile ?? '', clock),
    version: webhook.subjectAccessReviewVersion ?? 'v1',
    authorizedMilliseconds: milliseconds(webhook.authorizedTTL),
    unauthorizedMilliseconds: milliseconds(webhook.unauthorizedTTL),
    timeoutMilliseconds: milliseconds(webhook.timeout),
    failurePolicy: webhook.failurePolicy === 'Deny' ? 'Deny' : 'NoOpinion',
    matchConditions: matchConditions.map((it) => it.expression ?? ''),
    clock,
  })
}

const milliseconds = (text: string | undefined): number =>
  Number((parseDuration(text ?? '0') ?? 0n) / 1_000_000n)

type Errors = FieldError[]

/** Everything that is wrong with a chain (apiserver/pkg/apis/apiserver/validation ValidateAuthorizationConfiguration). */
export function authorizerErrors(authorizers: readonly AuthorizerConfig[]): readonly FieldError[] {
  const errors: Errors = []
  if (authorizers.length === 0)
    errors.push(required('authorizers', 'at least one authorization mode must be defined'))
  const [types, names] = [new Set<string>(), new Set<string>()]
  authorizers.forEach(({ type = '', name = '', webhook }, i) => {
    const at = `authorizers[${i}]`
    if (type === '') return errors.push(required(`${at}.type`, ''))
    if (!AUTHORIZATION_MODES.includes(type))
      return errors.push(notSupported(`${at}.type`, type, [...AUTHORIZATION_MODES].sort()))
    if (types.has(type) && type !== 'Webhook') return errors.push(duplicate(`${at}.type`, type))
    types.add(type)
    checkName(errors, `${at}.name`, name, names)
    names.add(name)
    if (type !== 'Webhook') {
      if (webhook)
        errors.push(
          invalidValue(`${at}.webhook`, 'non-null', 'may only be specified when type=Webhook'),
        )
      return undefined
    }
    if (!webhook) return errors.push(required(`${at}.webhook`, 'required when type=Webhook'))
    return checkWebhook(errors, at, webhook)
  })
  return errors
}

function checkName(errors: Errors, at: string, name: string, taken: ReadonlySet<string>): void {
  if (name === '') return void errors.push(required(at, ''))
  if (taken.has(name)) return void errors.push(duplicate(at, name))
  const problems = isDns1123Subdomain(name)
  if (problems.length > 0)
    errors.push(invalidValue(at, name, `authorizer name is invalid: ${problems.join(', ')}`))
}

function checkWebhook(errors: Errors, at: string, webhook: WebhookConfig): void {
  checkDuration(errors, `${at}.timeout`, webhook.timeout, 30_000)
  checkDuration(errors, `${at}.authorizedTTL`, webhook.authorizedTTL, Infinity)
  checkDuration(errors, `${at}.unauthorizedTTL`, webhook.unauthorizedTTL, Infinity)
  oneOf(errors, `${at}.subjectAccessReviewVersion`, webhook.subjectAccessReviewVersion, [
    'v1',
    'v1beta1',
  ])
  const { matchConditions = [], matchConditionSubjectAccessReviewVersion: version = '' } = webhook
  const own = `${at}.matchConditionSubjectAccessReviewVersion`
  if (version !== '') oneOf(errors, own, version, ['v1'])
  else if (matchConditions.length > 0)
    errors.push(required(own, 'required if match conditions are specified'))
  oneOf(errors, `${at}.failurePolicy`, webhook.failurePolicy, ['NoOpinion', 'Deny'])
  checkConnection(errors, `${at}.connectionInfo`, webhook.connectionInfo ?? {})
  checkConditions(errors, `${at}.matchConditions`, matchConditions)
}

function checkDuration(errors: Errors, at: string, text: string | undefined, most: number): void {
  const ms = milliseconds(text)
  if (ms === 0) errors.push(required(at, ''))
  else if (ms < 0 || ms > most)
    errors.push(
      invalidValue(at, text, most === Infinity ? 'must be > 0s' : 'must be > 0s and <= 30s'),
    )
}

function oneOf(
  errors: Errors,
  at: string,
  value: string | undefined,
  known: readonly string[],
): void {
  if (!value) errors.push(required(at, ''))
  else if (!known.includes(value)) errors.push(notSupported(at, value, known))
}

function checkConnection(
  errors: Errors,
  at: string,
  { type, kubeConfigFile: file }: NonNullable<WebhookConfig['connectionInfo']>,
): void {
  oneOf(errors, `${at}.type`, type, ['InClusterConfig', 'KubeConfigFile'])
  const own = `${at}.kubeConfigFile`
  if (type === 'InClusterConfig' && file !== undefined)
    errors.push(invalidValue(own, file, 'can only be set when type=KubeConfigFile'))
  if (type !== 'KubeConfigFile') return
  if (!file) errors.push(required(own, ''))
  else if (!isAbsolute(file)) errors.push(invalidValue(own, file, 'must be an absolute path'))
}

function checkConditions(
  errors: Errors,
  at: string,
  conditions: NonNullable<WebhookConfig['matchConditions']>,
): void {
  if (conditions.length > 64) return void errors.push(tooMany(at, conditions.length, 64))
  const seen = new Set<string>()
  conditions.forEach(({ expression = '' }, i) => {
    const own = `${at}[${i}].expression`
    if (expression.trim() === '') return errors.push(required(own, ''))
    if (seen.has(expression)) return errors.push(duplicate(own, expression))
    seen.add(expression)
    const compiled = compileCondition(expression)
    return typeof compiled === 'string' ? errors.push(invalidValue(own, expression, compiled)) : 0
  })
}
