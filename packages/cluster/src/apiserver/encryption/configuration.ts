import { type FieldError, invalidValue, required } from 'kubewright/machinery'
import {
  aesCbc,
  aesGcm,
  identity,
  type NamedKey,
  secretbox,
  type Transformer,
} from './transformer.ts'

/** The file of `--encryption-provider-config` (apiserver.config.k8s.io/v1 EncryptionConfiguration). */
export interface EncryptionConfiguration {
  readonly resources?: readonly ResourceEncryption[]
}

/** Which resources are encrypted, and how: the first provider writes, all of them read. */
export interface ResourceEncryption {
  /** `secrets`, `deployments.apps`, `*.apps`, `*.` for the core group, `*.*` for everything. */
  readonly resources?: readonly string[]
  readonly providers?: readonly Provider[]
}

interface Keys {
  readonly keys?: readonly { readonly name?: string; readonly secret?: string }[]
}

interface Provider {
  readonly aescbc?: Keys
  readonly aesgcm?: Keys
  readonly secretbox?: Keys
  readonly identity?: object
  readonly kms?: object
}

/** Whom a rule is about, and what it does. */
export interface EncryptionRule {
  readonly matches: (group: string, plural: string) => boolean
  readonly transformers: readonly Transformer[]
}

/** Makes rules of a configuration that has no errors; the first that is about a resource counts. */
export const encryptionRules = ({
  resources = [],
}: EncryptionConfiguration): readonly EncryptionRule[] =>
  resources.map((it) => ({
    matches: (group, plural) => (it.resources ?? []).some((name) => isAbout(name, group, plural)),
    transformers: (it.providers ?? []).map(transformerOf),
  }))

function isAbout(name: string, group: string, plural: string): boolean {
  const at = name.indexOf('.')
  const [wantedPlural, wantedGroup] = at < 0 ? [name, ''] : [name.slice(0, at), name.slice(at + 1)]
  return (
    (wantedPlural === '*' || wantedPlural === plural) &&
    (wantedGroup === '*' || wantedGroup === group)
  )
}

function transformerOf({ aescbc, aesgcm, secretbox: box }: Provider): Transformer {
  if (aesgcm) return aesGcm(keysOf(aesgcm))
  if (box) return secretbox(keysOf(box))
  return aescbc ? aesCbc(keysOf(aescbc)) : identity
}

const keysOf = ({ keys = [] }: Keys): readonly NamedKey[] =>
  keys.map(({ name = '', secret = '' }) => ({ name, secret: Buffer.from(secret, 'base64') }))

type Errors = FieldError[]

/** Everything that is wrong with a configuration (apiserver/pkg/apis/apiserver/validation/validation_encryption.go). */
export function encryptionErrors({
  resources = [],
}: EncryptionConfiguration): readonly FieldError[] {
  const errors: Errors = []
  if (resources.length === 0)
    errors.push(required('resources', 'at least one resources is required'))
  resources.forEach(({ resources: names = [], providers = [] }, i) => {
    const at = `resources[${i}]`
    if (names.length === 0)
      errors.push(required(`${at}.resources`, `at least one ${at}.resources is required`))
    checkOverlap(errors, `${at}.resources`, names)
    names.forEach((name, j) => checkName(errors, `${at}.resources[${j}]`, name))
    if (providers.length === 0)
      errors.push(required(`${at}.providers`, `at least one ${at}.providers is required`))
    providers.forEach((it, j) => checkProvider(errors, it, `${at}.providers[${j}]`))
  })
  return errors
}

interface Named {
  readonly resource: string
  readonly group: string
}

function named(name: string): Named {
  const at = name.indexOf('.')
  return at < 0
    ? { resource: name, group: '' }
    : { resource: name.slice(0, at), group: name.slice(at + 1) }
}

function checkOverlap(errors: Errors, at: string, names: readonly string[]): void {
  const all = names.map(named)
  const pairs = all.flatMap((one, i) => all.filter((_, j) => j !== i).map((it) => [one, it]))
  const isSame = ([one, it]: readonly Named[]): boolean =>
    one!.resource === it!.resource && one!.group === it!.group
  const isMasked = ([one, it]: readonly Named[]): boolean =>
    (one!.resource === '*' && one!.group === '*') ||
    (one!.group === it!.group && (one!.resource === '*' || it!.resource === '*'))
  if (pairs.some(isSame)) {
    const why = 'the same resource cannot be specified multiple times'
    errors.push(invalidValue(at, names, why))
  }
  if (pairs.some((it) => isMasked(it) && !isSame(it))) {
    const why =
      "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked"
    errors.push(invalidValue(at, names, why))
  }
}

const WITHOUT_API: ReadonlySet<string> = new Set([
  'apiserveripinfo',
  'serviceipallocations',
  'servicenodeportallocations',
])

/** The first thing that is wrong with a name; undefined where nothing is. */
function nameProblem(name: string): string | undefined {
  const { resource, group } = named(name)
  if (/[A-Z]/.test(name)) return 'resource name should not contain capital letters'
  if (name === '*')
    return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources"
  if (WITHOUT_API.has(name)) return 'resources which do not have REST API/s cannot be encrypted'
  if (group === 'events.k8s.io')
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file"
  if (group === 'extensions')
    return "'extensions' group has been removed and cannot be used for encryption"
  if (group === '*' && resource !== '*')
    return 'encrypting the same resource across groups is not supported'
  return undefined
}

function checkName(errors: Errors, at: string, name: string): void {
  const problem = nameProblem(name)
  if (problem !== undefined) errors.push(invalidValue(at, name, problem))
}

const LENGTHS: Readonly<Record<string, readonly number[]>> = {
  aescbc: [32, 24, 16],
  aesgcm: [32, 24, 16],
  secretbox: [32],
}

/** A provider as Go prints the whole of it, its keys too. */
function shown(provider: Provider): object {
  const keys = (it: Keys | undefined): object | null =>
    it
      ? {
          Keys: (it.keys ?? []).map(({ name = '', secret = '' }) => ({
            Name: name,
            Secret: secret,
          })),
        }
      : null
  const { aesgcm, aescbc, secretbox: box, identity: plain, kms } = provider
  return {
    AESGCM: keys(aesgcm),
    AESCBC: keys(aescbc),
    Secretbox: keys(box),
    Identity: plain ? {} : null,
    KMS: kms ?? null,
  }
}

function checkProvider(errors: Errors, provider: Provider, at: string): void {
  const given = Object.keys(provider) as (keyof Provider)[]
  const [kind] = given
  if (kind === undefined) {
    const why =
      'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity'
    return void errors.push(invalidValue(at, shown(provider), why))
  }
  if (given.length > 1) {
    const why =
      'more than one provider specified in a single element, should split into different list elements'
    errors.push(invalidValue(at, shown(provider), why))
  }
  if (kind === 'identity') return
  const own = `${at}.${kind}`
  if (kind === 'kms') {
    const why = 'kms is not built into this server: use secretbox, aesgcm or aescbc'
    return void errors.push(invalidValue(own, 'REDACTED', why))
  }
  const { keys = [] } = provider[kind] as Keys
  if (keys.length === 0) errors.push(required(`${own}.keys`, 'at least one keys is required'))
  keys.forEach((key, i) => checkKey(errors, key, LENGTHS[kind]!, `${own}.keys[${i}]`))
}

function checkKey(
  errors: Errors,
  { name = '', secret = '' }: { readonly name?: string; readonly secret?: string },
  lengths: readonly number[],
  at: string,
): void {
  if (name === '') errors.push(required(`${at}.name`, 'name is a mandatory field for a key'))
  if (secret === '') {
    errors.push(required(`${at}.secret`, 'secret is a mandatory field for a key'))
    return
  }
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(secret) || secret.length % 4 !== 0) {
    errors.push(invalidValue(`${at}.secret`, 'REDACTED', 'secrets must be base64 encoded'))
    return
  }
  const { length } = Buffer.from(secret, 'base64')
  if (!lengths.includes(length)) {
    const why = `secret is not of the expected length, got ${length}, expected one of [${lengths.toSorted((a, b) => a - b).join(' ')}]`
    errors.push(invalidValue(`${at}.secret`, 'REDACTED', why))
  }
}
