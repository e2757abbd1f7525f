import { createPublicKey, type KeyObject, verify, X509Certificate } from 'node:crypto'
import {
  invalidValue,
  isDns1123Subdomain,
  notSupported,
  required,
  tooLong,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  ensureObject,
  has,
  itemsAt,
  numberAt,
  objectAt,
  same,
  textAt,
  type Readable,
} from '../fields.ts'
import { checkName, type Errors } from '../generic/checks.ts'
import { checkConditions } from '../generic/conditions.ts'
import { internalForm } from '../generic/internal-form.ts'
import { checkSignerName, isKubernetesSigner } from '../generic/signer-name.ts'
import { statusOnly, whole } from '../generic/whole-and-status.ts'
import type { Draft, Strategy, StrategyContext } from '../strategy.ts'
import { pemBlocks } from './pem.ts'

const LONGEST_UID = 128
const LARGEST_KEY = 10 * 1024
const LARGEST_CHAIN = 100 * 1024
const HOUR = 60 * 60
const LONGEST_LIFE = 91 * 24 * HOUR
const LONGEST_OWN_LIFE = 24 * HOUR

/** Something wrong whose value Kubernetes does not show. */
const silent = (field: string, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  detail,
})

const bytesAt = (at: Readable | undefined, name: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(textAt(at, name), 'base64'))

function checkUid(errors: Errors, field: string, uid: string): void {
  if (uid === '') errors.push(invalidValue(field, uid, 'must not be empty'))
  if (uid.length > LONGEST_UID) errors.push(tooLong(field, LONGEST_UID))
}

/** Whom the certificate is for: names and uids of a pod, its account and its node. */
function checkSubject(errors: Errors, spec: Readable): void {
  for (const [name, uid] of [
    ['podName', 'podUID'],
    ['serviceAccountName', 'serviceAccountUID'],
    ['nodeName', 'nodeUID'],
  ] as const) {
    checkName(errors, `spec.${name}`, textAt(spec, name), isDns1123Subdomain)
    checkUid(errors, `spec.${uid}`, textAt(spec, uid))
  }
}

function checkLife(errors: Errors, spec: Readable): boolean {
  const at = 'spec.maxExpirationSeconds'
  const seconds = numberAt(spec, 'maxExpirationSeconds')
  if (seconds === undefined) return errors.push(required(at, 'must be set')) < 0
  const most = isKubernetesSigner(textAt(spec, 'signerName')) ? LONGEST_OWN_LIFE : LONGEST_LIFE
  if (seconds < HOUR || seconds > most)
    errors.push(invalidValue(at, seconds, `must be in the range [${HOUR}, ${most}]`))
  return true
}

const CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1'])
const GO_CURVES: Readonly<Record<string, string>> = { secp224r1: 'P-224' }

/** What is wrong with the kind of a key, and what is shown of it. */
function keyProblem(
  key: KeyObject,
  curves: string,
): { readonly value?: string; readonly detail: string } | undefined {
  const { namedCurve = '', modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
  switch (key.asymmetricKeyType) {
    case 'ed25519':
      return undefined
    case 'ec':
      if (CURVES.has(namedCurve)) return undefined
      return {
        value: `curve ${GO_CURVES[namedCurve] ?? namedCurve}`,
        detail: `elliptic public keys must use curve ${curves}`,
      }
    case 'rsa':
      if (modulusLength === 3072 || modulusLength === 4096) return undefined
      return {
        value: `${modulusLength}-bit modulus`,
        detail: 'RSA keys must have modulus size 3072 or 4096',
      }
    default:
      return { detail: 'unknown public key type; supported types are Ed25519, ECDSA, and RSA' }
  }
}

function publicKeyOf(der: Uint8Array): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
}

/** Whether the holder of a key signed the uid of his pod with it. */
function proves(key: KeyObject, uid: string, proof: Uint8Array): boolean {
  const data = Buffer.from(uid)
  if (key.asymmetricKeyType === 'ed25519') return verify(null, data, key, proof)
  if (key.asymmetricKeyType === 'ec') return verify('sha256', data, key, proof)
  // RSA_PKCS1_PSS_PADDING, with a salt of any length.
  return verify('sha256', data, { key, padding: 6, saltLength: -2 }, proof)
}

const PKIX = 'spec.pkixPublicKey'
const PROOF = 'spec.proofOfPossession'
const STUB = 'spec.stubPKCS10Request'

function checkKey(errors: Errors, spec: Readable): void {
  const [der, proof] = [bytesAt(spec, 'pkixPublicKey'), bytesAt(spec, 'proofOfPossession')]
  if (der.length > LARGEST_KEY) return void errors.push(tooLong(PKIX, LARGEST_KEY))
  if (proof.length > LARGEST_KEY) return void errors.push(tooLong(PROOF, LARGEST_KEY))
  const key = publicKeyOf(der)
  const shown = spec['pkixPublicKey']
  if (!key)
    return void errors.push(invalidValue(PKIX, shown, 'must be a valid PKIX-serialized public key'))
  const problem = keyProblem(key, 'P256 or P384')
  if (problem) errors.push(invalidValue(PKIX, problem.value ?? shown, problem.detail))
  else if (!proves(key, textAt(spec, 'podUID'), proof))
    errors.push(silent(PROOF, 'could not verify proof-of-possession signature'))
}

/** The key of a PKCS #10 request that its own key signed, or what is wrong with it. */
async function stubKey(der: Uint8Array<ArrayBuffer>): Promise<KeyObject | FieldError> {
  const { publicKeyIn, requestProblemOf } = await import('./certificate-request.ts')
  const spki = publicKeyIn(der)
  const key = spki && publicKeyOf(spki)
  if (!key) return silent(STUB, 'must be a valid PKCS#10 CSR')
  const problem = keyProblem(key, 'P256, P384, or P521')
  if (problem?.value !== undefined) return invalidValue(STUB, problem.value, problem.detail)
  if (problem) return silent(STUB, problem.detail)
  return (await requestProblemOf(der)) === undefined ? key : silent(STUB, 'invalid signature')
}

async function validateRequest(object: Draft): Promise<readonly FieldError[]> {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  checkSignerName(errors, 'spec.signerName', textAt(spec, 'signerName'))
  checkSubject(errors, spec)
  if (!checkLife(errors, spec)) return errors
  const [stub, key, proof] = ['stubPKCS10Request', 'pkixPublicKey', 'proofOfPossession'].map(
    (it) => textAt(spec, it) !== '',
  )
  if (stub && !key && !proof) {
    const der = bytesAt(spec, 'stubPKCS10Request')
    if (der.length > LARGEST_KEY) return [...errors, tooLong(STUB, LARGEST_KEY)]
    const found = await stubKey(der)
    return 'detail' in found ? [...errors, found] : errors
  }
  if (!stub && key && proof) checkKey(errors, spec)
  else {
    const why =
      'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set'
    errors.push(silent('spec', why))
  }
  return errors
}

const TYPES = ['Issued', 'Denied', 'Failed']

const conditionsOf = (object: Readable): readonly Readable[] =>
  itemsAt(objectAt(object, 'status'), 'conditions')

const isOver = (object: Readable, ...types: readonly string[]): boolean =>
  conditionsOf(object).some(
    (it) => types.includes(textAt(it, 'type')) && textAt(it, 'status') === 'True',
  )

function conditionErrors(object: Draft): Errors {
  const errors: Errors = []
  let known = 0
  conditionsOf(object).forEach((it, i) => {
    const at = `status.conditions.[${i}]`
    const [type, status] = [textAt(it, 'type'), textAt(it, 'status')]
    if (!TYPES.includes(type)) return void errors.push(notSupported(`${at}.type`, type, TYPES))
    known += 1
    if (known > 1) {
      const why = 'There may be at most one condition with type "Issued", "Denied", or "Failed"'
      errors.push(invalidValue(`${at}.type`, type, why))
    }
    if (status !== 'True') errors.push(notSupported(`${at}.status`, status, ['True']))
  })
  checkConditions(errors, 'status.conditions', conditionsOf(object))
  return errors
}

/** kubernetes/pkg/apis/certificates/validation ValidatePodCertificateRequestStatusUpdate. */
async function validateStatus(
  object: Draft,
  old: UnknownObject,
  { clock }: StrategyContext,
): Promise<readonly FieldError[]> {
  const errors = conditionErrors(object)
  if (errors.length > 0) return errors
  const [status, before] = [objectAt(object, 'status') ?? {}, objectAt(old, 'status') ?? {}]
  const unless = (holds: boolean, why: string): readonly FieldError[] =>
    holds ? [] : [silent('status', why)]
  if (isOver(old, ...TYPES))
    return unless(
      same(status, before),
      'immutable after PodCertificateRequest is issued, denied, or failed',
    )
  if (isOver(object, 'Denied', 'Failed'))
    return unless(
      Object.keys(status).every((it) => it === 'conditions' || !has(status, it)),
      'non-condition status fields must be empty when denying or failing the PodCertificateRequest',
    )
  if (isOver(object, 'Issued'))
    return issuedErrors(status, objectAt(object, 'spec') ?? {}, clock.now())
  return unless(
    same(status, before),
    'status is immutable unless transitioning to "Issued", "Denied", or "Failed"',
  )
}

const CHAIN = 'status.certificateChain'

function certificateOf(bytes: Uint8Array): X509Certificate | undefined {
  try {
    return new X509Certificate(bytes)
  } catch {
    return undefined
  }
}

/** What is wrong with what was issued; the first thing that is. */
async function issuedErrors(
  status: Readable,
  spec: Readable,
  now: number,
): Promise<readonly FieldError[]> {
  const chain = textAt(status, 'certificateChain')
  const shown = (why: string): readonly FieldError[] => [invalidValue(CHAIN, chain, why)]
  if (Buffer.byteLength(chain) > LARGEST_CHAIN) return [tooLong(CHAIN, LARGEST_CHAIN)]
  const [block, ...rest] = pemBlocks(Buffer.from(chain).toString('base64'))
  if (!block) return shown('issued certificate chain must contain at least one certificate')
  if (block.type !== 'CERTIFICATE')
    return shown('issued certificate chain must consist entirely of CERTIFICATE PEM blocks')
  const leaf = certificateOf(block.bytes)
  if (!leaf) return shown('leaf certificate does not parse as valid X.509')
  const wanted = await wantedKey(spec)
  if ('detail' in wanted) return [wanted]
  if (!wanted.equals(leaf.publicKey))
    return shown('leaf certificate was not issued to the requested public key')
  const timed = timeErrors(status, leaf, numberAt(spec, 'maxExpirationSeconds') ?? 0, now)
  if (timed.length > 0) return timed
  for (const it of rest) {
    if (it.type !== 'CERTIFICATE')
      return shown('issued certificate chain must consist entirely of CERTFICATE PEM blocks')
    if (!certificateOf(it.bytes))
      return shown('intermediate certificate does not parse as valid X.509')
  }
  return []
}

async function wantedKey(spec: Readable): Promise<KeyObject | FieldError> {
  const stub = bytesAt(spec, 'stubPKCS10Request')
  if (stub.length > 0) return stubKey(stub)
  return (
    publicKeyOf(bytesAt(spec, 'pkixPublicKey')) ??
    silent(PKIX, 'must be a valid PKIX-serialized public key')
  )
}

const MINUTE = 60_000
const TIMES: readonly (readonly [name: string, why: string])[] = [
  ['notBefore', 'must be present and consistent with the issued certificate'],
  ['notAfter', 'must be present and consistent with the issued certificate'],
  ['beginRefreshAt', 'must be present and in the range [notbefore+10min, notafter-10min]'],
]

/** The times of a status are those of the certificate, and the certificate lives neither too long nor too short. */
function timeErrors(
  status: Readable,
  leaf: X509Certificate,
  mostSeconds: number,
  now: number,
): readonly FieldError[] {
  const missing = TIMES.filter(([name]) => !has(status, name))
  if (missing.length > 0) return missing.map(([name, why]) => required(`status.${name}`, why))
  const [start, end] = [leaf.validFromDate.getTime(), leaf.validToDate.getTime()]
  const at = (name: string): number => Date.parse(textAt(status, name))
  const wrong = (name: string, why: string): readonly FieldError[] => [
    invalidValue(`status.${name}`, status[name], why),
  ]
  if (at('notBefore') !== start)
    return wrong('notBefore', 'must be set to the NotBefore time encoded in the leaf certificate')
  if (Math.abs(start - now) > 5 * MINUTE)
    return wrong('notBefore', "must be set to within 5 minutes of kube-apiserver's current time")
  if (at('notAfter') !== end)
    return wrong('notAfter', 'must be set to the NotAfter time encoded in the leaf certificate')
  const lifetime = (end - start) * 1e6
  if (end - start < 60 * MINUTE)
    return [invalidValue(CHAIN, lifetime, 'leaf certificate lifetime must be >= 1 hour')]
  if (end - start > mostSeconds * 1000) {
    const why = `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${mostSeconds})`
    return [invalidValue(CHAIN, lifetime, why)]
  }
  if (at('beginRefreshAt') < start + 10 * MINUTE)
    return wrong('beginRefreshAt', 'must be at least 10 minutes after status.notBefore')
  if (at('beginRefreshAt') > end - 10 * MINUTE)
    return wrong('beginRefreshAt', 'must be at least 10 minutes before status.notAfter')
  return []
}

const specText = (name: string) => (it: UnknownObject) => textAt(objectAt(it, 'spec'), name)

/** PodCertificateRequest (kubernetes/pkg/registry/certificates/podcertificaterequest/strategy.go). */
export const POD_CERTIFICATE_REQUEST: Strategy = Object.freeze({
  ...whole({ emptyStatus: {} }),
  applyDefaults: (object: Draft) => {
    const spec = ensureObject(object, 'spec')
    spec['maxExpirationSeconds'] ??= LONGEST_OWN_LIFE
    ensureObject(object, 'status')
  },
  resetFields: [],
  validate: validateRequest,
  validateUpdate: (object: Draft, old: UnknownObject) =>
    same(object['spec'], (old as Readable)['spec'])
      ? []
      : [
          invalidValue(
            'spec',
            internalForm('PodCertificateRequestSpec', objectAt(object, 'spec')),
            'field is immutable',
          ),
        ],
  allowUnconditionalUpdate: false,
  subresources: {
    status: {
      ...statusOnly({ statusKeeps: 'metadata' }),
      resetFields: [['f:spec']],
      validateUpdate: validateStatus,
      allowUnconditionalUpdate: false,
    },
  },
  selectableFields: {
    'spec.signerName': specText('signerName'),
    'spec.podName': specText('podName'),
    'spec.nodeName': specText('nodeName'),
  },
})
