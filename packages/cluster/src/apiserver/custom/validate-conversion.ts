import { X509Certificate } from 'node:crypto'
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  isDns1035Label,
  isDns1123Subdomain,
  isPortNumber,
  notSupported,
  required,
} from 'kubewright/machinery'
import type { CrdConversion } from 'kubewright/schema'

type Errors = readonly FieldError[]
type ClientConfig = NonNullable<NonNullable<CrdConversion['webhook']>['clientConfig']>

/** What is wrong with a conversion. A bad CA bundle is let through until the definition is established (`allowBadBundle`). */
export function conversionErrors(
  conversion: CrdConversion | undefined,
  path: string,
  allowBadBundle: boolean,
): Errors {
  if (!conversion) return []
  const { strategy, webhook } = conversion
  const strategies = ['None', 'Webhook']
  const unknown = !strategy
    ? [required(`${path}.strategy`)]
    : strategies.includes(strategy)
      ? []
      : [notSupported(`${path}.strategy`, strategy, strategies)]
  return [
    ...unknown,
    ...(strategy === 'Webhook'
      ? webhookErrors(webhook, path, allowBadBundle)
      : strayErrors(webhook, path)),
  ]
}

function strayErrors(webhook: CrdConversion['webhook'], path: string): Errors {
  const sentence = 'should not be set when strategy is not set to Webhook'
  return [
    ...(webhook?.clientConfig ? [forbiddenField(`${path}.webhookClientConfig`, sentence)] : []),
    ...(webhook?.conversionReviewVersions?.length
      ? [forbiddenField(`${path}.conversionReviewVersions`, sentence)]
      : []),
  ]
}

function webhookErrors(
  webhook: CrdConversion['webhook'],
  path: string,
  allowBadBundle: boolean,
): Errors {
  const client = webhook?.clientConfig
  return [
    ...(client
      ? clientErrors(client, `${path}.webhookClientConfig`, allowBadBundle)
      : [required(`${path}.webhookClientConfig`, 'required when strategy is set to Webhook')]),
    ...reviewErrors(webhook?.conversionReviewVersions ?? [], `${path}.conversionReviewVersions`),
  ]
}

function clientErrors(client: ClientConfig, path: string, allowBadBundle: boolean): Errors {
  const { url, service, caBundle } = client
  const problem = caBundle && !allowBadBundle ? bundleProblem(caBundle) : undefined
  return [
    ...((url === undefined) === (service === undefined)
      ? [required(path, 'exactly one of url or service is required')]
      : url !== undefined
        ? urlErrors(url, `${path}.url`)
        : serviceErrors(service as NonNullable<typeof service>, `${path}.service`)),
    ...(problem ? [invalidValue(`${path}.caBundle`, caBundle, problem)] : []),
  ]
}

const FORM = '; desired format: https://host[/path]'

function urlErrors(text: string, path: string): Errors {
  const url = URL.parse(text)
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1]?.toLowerCase() ?? ''
  const host = url && /^[^:]+:\/\//.test(text) ? url.host : ''
  const user = url?.username ? `${url.username}${url.password ? `:${url.password}` : ''}` : ''
  return [
    ...(scheme === 'https'
      ? []
      : [invalidValue(path, scheme, `'https' is the only allowed URL scheme${FORM}`)]),
    ...(host ? [] : [invalidValue(path, host, `host must be specified${FORM}`)]),
    ...(user ? [invalidValue(path, user, 'user information is not permitted in the URL')] : []),
    ...(url?.hash
      ? [invalidValue(path, url.hash.slice(1), 'fragments are not permitted in the URL')]
      : []),
    ...(url?.search
      ? [invalidValue(path, url.search.slice(1), 'query parameters are not permitted in the URL')]
      : []),
  ]
}

function serviceErrors(service: NonNullable<ClientConfig['service']>, path: string): Errors {
  const { name, namespace, port = 443 } = service
  const problems = isPortNumber(port)
  // Kubernetes passes name and namespace in each other's place here, so the wrong one is asked for.
  return [
    ...(namespace ? [] : [required(`${path}.name`)]),
    ...(name ? [] : [required(`${path}.namespace`)]),
    ...(problems.length
      ? [invalidValue(`${path}.port`, port, `port is not valid: ${problems.join(', ')}`)]
      : []),
    ...pathErrors(service.path, `${path}.path`),
  ]
}

function pathErrors(text: string | undefined, path: string): Errors {
  if (!text || text === '/') return []
  if (text === '//') return [invalidValue(path, text, 'segment[0] may not be empty')]
  const steps = text.slice(1).replace(/\/$/, '').split('/')
  return [
    ...(text.startsWith('/') ? [] : [invalidValue(path, text, "must start with a '/'")]),
    ...steps.flatMap((step, i) =>
      step === ''
        ? [invalidValue(path, text, `segment[${i}] may not be empty`)]
        : isDns1123Subdomain(step).map((it) => invalidValue(path, text, `segment[${i}]: ${it}`)),
    ),
  ]
}

/** ConversionReview versions that this server speaks. */
const ACCEPTED = ['v1', 'v1beta1']

function reviewErrors(versions: readonly string[], path: string): Errors {
  if (versions.length === 0) return [required(path)]
  return [
    ...versions.flatMap((it, i) =>
      versions.indexOf(it) < i
        ? [invalidValue(`${path}[${i}]`, it, 'duplicate version')]
        : isDns1035Label(it).map((problem) => invalidValue(`${path}[${i}]`, it, problem)),
    ),
    ...(versions.some((it) => ACCEPTED.includes(it))
      ? []
      : [invalidValue(path, versions, `must include at least one of ${ACCEPTED.join(', ')}`)]),
  ]
}

/** Why a CA bundle (base64 of PEM) holds no certificates; undefined where it does, or where there is none. */
export function bundleProblem(bundle: string | undefined): string | undefined {
  if (!bundle) return undefined
  const pem = Buffer.from(bundle, 'base64').toString('latin1')
  const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(pem)?.[0]
  const cannot = 'unable to load root certificates:'
  if (!block) return `${cannot} unable to parse bytes as PEM block`
  try {
    return new X509Certificate(block).subject === undefined ? cannot : undefined
  } catch {
    return `${cannot} failed to parse certificate: x509: malformed certificate`
  }
}
