import {
  forbiddenField,
  invalidValue,
  isQualifiedName,
  nameIsDnsSubdomain,
  notSupported,
  required,
} from 'kubewright/machinery'
import { has, itemsAt, mapAt, numberAt, objectAt, textAt, type Readable } from '../fields.ts'
import { checkLabelSelector, requireText, type Errors } from '../generic/checks.ts'
import { internalForm } from '../generic/internal-form.ts'
import { checkAnnotationsSize } from '../generic/object-meta.ts'
import { checkSignerName, isKubernetesSigner } from '../generic/signer-name.ts'
import { VOLUME_FIELDS, checkFieldRef, checkResourceRef } from './env-validation.ts'
import { checkFileMode, checkLocalPath } from './path-checks.ts'

/** The files that a volume makes of a ConfigMap or a Secret. */
export function checkFiles(errors: Errors, field: string, source: Readable): void {
  checkFileMode(errors, `${field}.defaultMode`, numberAt(source, 'defaultMode'))
  itemsAt(source, 'items').forEach((it, i) => checkKeyToPath(errors, `${field}.items[${i}]`, it))
}

function checkKeyToPath(errors: Errors, field: string, item: Readable): void {
  requireText(errors, `${field}.key`, textAt(item, 'key'))
  requireText(errors, `${field}.path`, textAt(item, 'path'))
  checkLocalPath(errors, `${field}.path`, textAt(item, 'path'))
  checkFileMode(errors, `${field}.mode`, numberAt(item, 'mode'))
}

/** A file that shows the pod itself (validateDownwardAPIVolumeFile). */
export function checkDownwardFile(errors: Errors, field: string, file: Readable): void {
  requireText(errors, `${field}.path`, textAt(file, 'path'))
  checkLocalPath(errors, `${field}.path`, textAt(file, 'path'))
  const ref = objectAt(file, 'fieldRef')
  const resource = objectAt(file, 'resourceFieldRef')
  if (ref) {
    checkFieldRef(errors, `${field}.fieldRef`, ref, VOLUME_FIELDS)
    if (resource) {
      const why = 'fieldRef and resourceFieldRef can not be specified simultaneously'
      errors.push(invalidValue(field, 'resource', why))
    }
  } else if (resource) checkResourceRef(errors, `${field}.resourceFieldRef`, resource, true)
  else errors.push(required(field, 'one of fieldRef and resourceFieldRef is required'))
  checkFileMode(errors, `${field}.mode`, numberAt(file, 'mode'))
}

/** One source of a projected volume: `claim` takes a path, and finds fault under `named` when it is taken already. */
interface Projection {
  readonly at: string
  readonly field: string
  readonly claim: (path: string, named?: string) => void
}

type CheckProjection = (errors: Errors, source: Readable, about: Projection) => void

const files: CheckProjection = (errors, source, { at, claim }) => {
  const name = textAt(source, 'name')
  requireText(errors, `${at}.name`, name)
  itemsAt(source, 'items').forEach((it, i) => {
    checkKeyToPath(errors, `${at}.items[${i}]`, it)
    if (textAt(it, 'path') !== '') claim(textAt(it, 'path'), name)
  })
}

const downward: CheckProjection = (errors, source, { at, claim }) => {
  for (const file of itemsAt(source, 'items')) {
    checkDownwardFile(errors, at, file)
    if (textAt(file, 'path') !== '') claim(textAt(file, 'path'))
  }
}

const token: CheckProjection = (errors, source, { at, field }) => {
  const seconds = numberAt(source, 'expirationSeconds') ?? 0
  const named = `${at}.expirationSeconds`
  if (seconds < 600) {
    errors.push(invalidValue(named, seconds, 'may not specify a duration less than 10 minutes'))
  }
  if (seconds > 2 ** 32) {
    errors.push(invalidValue(named, seconds, 'may not specify a duration larger than 2^32 seconds'))
  }
  const path = textAt(source, 'path')
  if (path === '') errors.push(required(`${field}.path`))
  else checkLocalPath(errors, `${field}.path`, path)
}

const trustBundle: CheckProjection = (errors, source, { at, claim }) => {
  const byName = has(source, 'name')
  const bySigner = has(source, 'signerName')
  if (byName && bySigner) {
    const why = 'only one of name and signerName may be used'
    errors.push(invalidValue(at, internalForm('ClusterTrustBundleProjection', source), why))
  } else if (byName) checkNamedBundle(errors, at, source)
  else if (bySigner) checkSignedBundle(errors, at, source)
  else errors.push(required(at, 'either name or signerName must be specified'))
  const path = textAt(source, 'path')
  requireText(errors, `${at}.path`, path)
  checkLocalPath(errors, `${at}.path`, path)
  claim(path)
}

function checkNamedBundle(errors: Errors, at: string, source: Readable): void {
  const name = textAt(source, 'name')
  if (name === '') errors.push(required(`${at}.name`, 'must be a valid object name'))
  for (const problem of bundleNameProblems(name)) {
    const why = `not a valid clustertrustbundlename: ${problem}`
    errors.push(invalidValue(`${at}.name`, name, why))
  }
  const selector = objectAt(source, 'labelSelector')
  if (!selector) return
  const why = 'labelSelector must be unset if name is specified'
  errors.push(invalidValue(`${at}.labelSelector`, selector, why))
}

/** A bundle of a signer begins with its name, colons in the place of slashes (ValidateClusterTrustBundleName). */
function bundleNameProblems(name: string): readonly string[] {
  const colon = name.lastIndexOf(':')
  const signer = name.slice(0, Math.max(colon, 0)).replaceAll(':', '/')
  if (colon < 0) return nameIsDnsSubdomain(name, false)
  if (signer === '') return ['ClusterTrustBundle without signer name must not have ":" in its name']
  return nameIsDnsSubdomain(name.slice(colon + 1), false)
}

function checkSignedBundle(errors: Errors, at: string, source: Readable): void {
  const signer = textAt(source, 'signerName')
  if (signer === '') errors.push(required(`${at}.signerName`, 'must be a valid signer name'))
  checkSignerName(errors, `${at}.signerName`, signer)
  checkLabelSelector(errors, `${at}.labelSelector`, objectAt(source, 'labelSelector'))
}

const KEY_TYPES = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519']
const HOUR = 3600
const LONGEST = 91 * 24 * HOUR
const LONGEST_OF_KUBERNETES = 24 * HOUR
const CERTIFICATE_PATHS = ['credentialBundlePath', 'keyPath', 'certificateChainPath']

const podCertificate: CheckProjection = (errors, source, { at, claim }) => {
  const type = textAt(source, 'keyType')
  const signer = textAt(source, 'signerName')
  checkSignerName(errors, `${at}.signerName`, signer)
  checkUserAnnotations(errors, `${at}.userAnnotations`, mapAt(source, 'userAnnotations'))
  if (!KEY_TYPES.includes(type)) errors.push(notSupported(`${at}.keyType`, type, KEY_TYPES))
  const life = numberAt(source, 'maxExpirationSeconds')
  if (life !== undefined) checkLife(errors, `${at}.maxExpirationSeconds`, life, signer)
  const given = CERTIFICATE_PATHS.filter((it) => textAt(source, it) !== '')
  for (const name of given) {
    checkLocalPath(errors, `${at}.${name}`, textAt(source, name))
    claim(textAt(source, name))
  }
  if (given.length > 0) return
  const why = 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath'
  errors.push(required(at, why))
}

function checkUserAnnotations(
  errors: Errors,
  field: string,
  annotations: Readonly<Record<string, string>>,
): void {
  for (const key in annotations) {
    checkDomainKey(errors, field, key.toLowerCase())
  }
  checkAnnotationsSize(errors, field, annotations)
}

function checkDomainKey(errors: Errors, field: string, key: string): void {
  if (key === '') return void errors.push(required(field))
  const problems = isQualifiedName(key)
  for (const problem of problems) errors.push(invalidValue(field, key, problem))
  if (problems.length > 0 || key.includes('/')) return
  errors.push(invalidValue(field, key, 'must be a domain-prefixed key (such as "acme.io/foo")'))
}

function checkLife(errors: Errors, field: string, seconds: number, signer: string): void {
  const most = isKubernetesSigner(signer) ? LONGEST_OF_KUBERNETES : LONGEST
  if (seconds < HOUR) {
    errors.push(invalidValue(field, seconds, 'if provided, maxExpirationSeconds must be >= 3600'))
  }
  if (seconds > most) {
    const why = `if provided, maxExpirationSeconds must be <= ${most}`
    errors.push(invalidValue(field, seconds, why))
  }
}

const PROJECTIONS: Readonly<Record<string, CheckProjection>> = {
  secret: files,
  configMap: files,
  downwardAPI: downward,
  serviceAccountToken: token,
  clusterTrustBundle: trustBundle,
  podCertificate,
}

/** What a projected volume shows (validateProjectedVolumeSource). */
export function checkProjected(errors: Errors, field: string, projected: Readable): void {
  checkFileMode(errors, `${field}.defaultMode`, numberAt(projected, 'defaultMode'))
  const paths = new Set<string>()
  const claim = (path: string, named: string = path): void => {
    if (paths.has(path)) errors.push(invalidValue(field, named, 'conflicting duplicate paths'))
    paths.add(path)
  }
  itemsAt(projected, 'sources').forEach((source, i) => {
    const at = `${field}.sources[${i}]`
    const given = Object.keys(PROJECTIONS).filter((it) => has(source, it))
    for (const name of given) {
      PROJECTIONS[name]!(errors, objectAt(source, name)!, { at: `${at}.${name}`, field, claim })
    }
    if (given.length > 1) {
      errors.push(forbiddenField(at, 'may not specify more than 1 volume type per source'))
    }
  })
}
