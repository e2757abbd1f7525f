import { pluralOf } from 'kubewright/schema'
import { Failure } from './failure.ts'

/** Everything that is named after one kind of a project. */
export interface ApiNames {
  /** `appotp.learn.com` */
  readonly group: string
  /** `appotp`, the part before the domain. */
  readonly shortGroup: string
  readonly version: string
  readonly kind: string
  /** `appotps` */
  readonly plural: string
  /** `app-otp`, for files. */
  readonly file: string
  /** `appOTP`, for variables; never a word that the language or a scaffold takes. */
  readonly variable: string
}

/**
 * Names that a scaffolded file cannot give to a variable: reserved words, and what the file itself imports or takes from the context.
 */
const TAKEN: ReadonlySet<string> = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally ' +
    'for function if implements import in instanceof interface let new null package private protected public return static super ' +
    'switch this throw true try typeof undefined var void while with yield ' +
    'app cluster condition controller generation kind log manager s status test'
  ).split(' '),
)

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/**
 * Derives the names of an API; `plural` only where the English one will not do. Throws a {@link Failure} on the first part that
 * Kubernetes would refuse.
 */
export function apiNames(
  domain: string,
  group: string,
  version: string,
  kind: string,
  plural: string = pluralOf(kind.toLowerCase()),
): ApiNames {
  check(
    '--group',
    group,
    group === '' || DNS_SUBDOMAIN.test(group),
    'lower case letters, digits, dashes and dots, such as `cache`',
  )
  check(
    '--version',
    version,
    /^v\d+((alpha|beta)\d+)?$/.test(version),
    'v, a number, and perhaps alpha or beta with a number, such as `v1` or `v1alpha1`',
  )
  check(
    '--kind',
    kind,
    /^[A-Z][A-Za-z0-9]*$/.test(kind) && kind.length <= 63,
    'a name in upper camel case, at most 63 letters and digits, such as `Memcached`',
  )
  check(
    '--plural',
    plural,
    DNS_LABEL.test(plural) && plural.length <= 63,
    'lower case letters, digits and dashes, at most 63, such as `memcacheds`',
  )
  return {
    group: group ? `${group}.${domain}` : domain,
    shortGroup: group,
    version,
    kind,
    plural,
    file: kebab(kind),
    variable: TAKEN.has(camel(kind)) ? `${camel(kind)}Object` : camel(kind),
  }
}

/** Throws a {@link Failure} unless `domain` can end a group's name. */
export function checkDomain(domain: string): string {
  check(
    '--domain',
    domain,
    DNS_SUBDOMAIN.test(domain) && domain.includes('.'),
    'a domain name with at least one dot, such as `example.com`',
  )
  return domain
}

/** Throws a {@link Failure} unless `name` can name a project, and with it a namespace and a Deployment. */
export function checkProjectName(name: string): string {
  check(
    '--project-name',
    name,
    DNS_LABEL.test(name) && name.length <= 50,
    'lower case letters, digits and dashes, at most 50, such as `memcached-operator`',
  )
  return name
}

function check(flag: string, given: string, holds: boolean, expected: string): void {
  if (!holds)
    throw new Failure(`${flag} ${JSON.stringify(given)} cannot be used: expected ${expected}`)
}

/** `AppOTP` → `app-otp`, `MyHTTPServer` → `my-http-server`. */
export function kebab(kind: string): string {
  return kind
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
}

/** `AppOTP` → `appOTP`, `HTTPServer` → `httpServer`. */
export function camel(kind: string): string {
  return kind.replace(/^([A-Z]+)(?=[A-Z][a-z]|$)|^[A-Z]/, (head) => head.toLowerCase())
}
