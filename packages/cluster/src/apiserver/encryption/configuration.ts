import { duplicate, type FieldError, invalidValue, required } from 'kubewright/machinery'
import { aesCbc, aesGcm, identity, type NamedKey, type Transformer } from './transformer.ts'

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

function transformerOf({ aescbc, aesgcm }: Provider): Transformer {
  if (aesgcm) return aesGcm(keysOf(aesgcm))
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
    names.forEach((name, j) => checkName(errors, name, names, j, `${at}.resources[${j}]`))
    if (providers.length === 0)
      errors.push(required(`${at}.providers`, `at least one ${at}.providers is required`))
    providers.forEach((it, j) => checkProvider(errors, it, `${at}.providers[${j}]`))
  })
  return errors
}

function checkName(
  errors: Errors,
  name: string,
  names: readonly string[],
  index: number,
  at: string,
): void {
  if (name === '*') {
    const why =
      "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources"
    errors.push(invalidValue(at, name, why))
  } else if (/[A-Z]/.test(name)) {
    errors.push(invalidValue(at, name, 'resource name should not contain capital letters'))
  } else if (names.indexOf(name) < index) {
    errors.push(invalidValue(at, name, 'the same resource cannot be specified multiple times'))
  }
}

const LENGTHS: Readonly<Record<string, readonly number[]>> = {
  aescbc: [32, 24, 16],
  aesgcm: [32, 24, 16],
}

function checkProvider(errors: Errors, provider: Provider, at: string): void {
  const given = Object.keys(provider) as (keyof Provider)[]
  const [kind] = given
  if (kind === undefined) {
    const why =
      'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity'
    return void errors.push(required(at, why))
  }
  if (given.length > 1) {
    const why =
      'more than one provider specified in a single element, should split into different list elements'
    return void errors.push(invalidValue(at, '{...}', why))
  }
  if (kind === 'identity') return
  const own = `${at}.${kind}`
  if (kind === 'kms' || kind === 'secretbox') {
    const why = `${kind} is not built into this server: use aesgcm or aescbc`
    return void errors.push(invalidValue(own, 'REDACTED', why))
  }
  const { keys = [] } = provider[kind] as Keys
  if (keys.length === 0) errors.push(required(`${own}.keys`, 'at least one keys is required'))
  keys.forEach((key, i) => checkKey(errors, key, LENGTHS[kind]!, `${own}.keys[${i}]`))
  keys.forEach(({ name }, i) => {
    if (name && keys.findIndex((it) => it.name === name) < i)
      errors.push(duplicate(`${own}.keys[${i}].name`, name))
  })
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
