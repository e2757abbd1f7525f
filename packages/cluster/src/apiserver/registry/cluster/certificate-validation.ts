import {
  duplicate,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { itemsAt, numberAt, objectAt, same, textAt, textsAt, type Readable } from '../fields.ts'
import { requireOneOf, type Errors } from '../generic/checks.ts'
import { checkSignerName } from '../generic/signer-name.ts'
import { unifiedDiff } from '../generic/unified-diff.ts'
import type { Draft } from '../strategy.ts'
import { pemBlocks } from './pem.ts'

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
]

const SHORTEST_LIFE = 600
const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown'

/** A request to sign a certificate (kubernetes/pkg/apis/certificates/validation). */
export async function validateSigningRequest(object: Draft): Promise<readonly FieldError[]> {
  const errors: Errors = []
  await checkRequest(errors, objectAt(object, 'spec') ?? {})
  checkRest(errors, object, undefined)
  return errors
}

async function checkRequest(errors: Errors, spec: Readable): Promise<void> {
  const text = textAt(spec, 'request')
  const problem = await requestProblem(text)
  if (problem !== undefined) {
    errors.push(invalidValue('spec.request', spec['request'] ?? null, problem))
  }
}

async function requestProblem(request: string): Promise<string | undefined> {
  const [block] = pemBlocks(request)
  if (block?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST'
  const { requestProblemOf } = await import('./certificate-request.ts')
  return requestProblemOf(block.bytes)
}

/** All but the request itself, which cannot change. What an old object had wrong is borne in the new one. */
function checkRest(errors: Errors, object: Draft, old: UnknownObject | undefined): void {
  const spec = objectAt(object, 'spec') ?? {}
  const before = objectAt(old, 'spec')
  checkUsages(errors, textsAt(spec, 'usages'), textsAt(before, 'usages'))
  const signer = textAt(spec, 'signerName')
  if (signer === LEGACY_SIGNER && textAt(before, 'signerName') !== LEGACY_SIGNER) {
    const why = 'the legacy signerName is not allowed via this API version'
    errors.push(invalidValue('spec.signerName', signer, why))
  } else checkSignerName(errors, 'spec.signerName', signer)
  const seconds = numberAt(spec, 'expirationSeconds')
  if (seconds !== undefined && seconds < SHORTEST_LIFE) {
    const why = 'may not specify a duration less than 600 seconds (10 minutes)'
    errors.push(invalidValue('spec.expirationSeconds', seconds, why))
  }
  checkConditions(errors, conditionsOf(object), conditionsOf(old))
  const certificate = certificateOf(object)
  if (certificate !== '' && certificate !== certificateOf(old)) {
    const problem = certificateProblem(certificate)
    if (problem !== undefined) {
      errors.push(invalidValue('status.certificate', '<certificate data>', problem))
    }
  }
}

const conditionsOf = (object: Readable | undefined): readonly Readable[] =>
  itemsAt(objectAt(object, 'status'), 'conditions')

const certificateOf = (object: Readable | undefined): string =>
  textAt(objectAt(object, 'status'), 'certificate')

function checkUsages(errors: Errors, usages: readonly string[], old: readonly string[]): void {
  if (usages.length === 0) errors.push(required('spec.usages'))
  const bearsUnknown = old.some((it) => !USAGES.includes(it))
  const bearsDoubles = new Set(old).size < old.length
  usages.forEach((it, i) => {
    const at = `spec.usages[${i}]`
    if (!bearsUnknown && !USAGES.includes(it)) errors.push(notSupported(at, it, USAGES))
    if (!bearsDoubles && usages.indexOf(it) < i) errors.push(duplicate(at, it))
  })
}

/** Conditions that can only be true. */
const DECISIONS = ['Approved', 'Denied', 'Failed']
const ALWAYS_TRUE = ['True']
const ANY_STATUS = ['False', 'True', 'Unknown']

function checkConditions(
  errors: Errors,
  conditions: readonly Readable[],
  old: readonly Readable[],
): void {
  const at = 'status.conditions'
  const types = conditions.map((it) => textAt(it, 'type'))
  const oldTypes = old.map((it) => textAt(it, 'type'))
  const bearsBoth = oldTypes.includes('Approved') && oldTypes.includes('Denied')
  const bearsDoubles = new Set(oldTypes).size < oldTypes.length
  conditions.forEach((it, i) => {
    const type = types[i]!
    if (type === '' && !oldTypes.includes('')) errors.push(required(`${at}[${i}].type`))
    const allowed = DECISIONS.includes(type) ? ALWAYS_TRUE : ANY_STATUS
    requireOneOf(errors, `${at}[${i}].status`, textAt(it, 'status'), allowed)
    const other = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined
    if (!bearsBoth && other !== undefined && types.slice(0, i).includes(other)) {
      const why = 'Approved and Denied conditions are mutually exclusive'
      errors.push(invalidValue(at, type, why))
    }
    if (!bearsDoubles && types.indexOf(type) < i) errors.push(duplicate(`${at}[${i}].type`, type))
  })
}

function certificateProblem(certificate: string): string | undefined {
  const blocks = pemBlocks(certificate)
  for (const { type, hasHeaders } of blocks) {
    if (type !== 'CERTIFICATE') {
      return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`
    }
    if (hasHeaders) return 'no PEM block headers are permitted'
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined
}

/** What a way of writing a request may change of its status. */
export interface MayChange {
  readonly approval?: true
  readonly certificate?: true
}

/** The rules of an update by one of the ways (validateCertificateSigningRequestUpdate). */
export const validateRequestUpdate =
  (may: MayChange): ((object: Draft, old: UnknownObject) => readonly FieldError[]) =>
  (object, old) => {
    const errors: Errors = []
    checkRest(errors, object, old)
    const [after, before] = [conditionsOf(object), conditionsOf(old)]
    const at = 'status.conditions'
    for (const type of DECISIONS) {
      if (ofType(after, type).length < ofType(before, type).length) {
        const why = `updates may not remove a condition of type ${JSON.stringify(type)}`
        errors.push(forbiddenField(at, why))
      }
    }
    if (!may.approval) checkDecisions(errors, at, after, before)
    checkNewCertificate(errors, certificateOf(object), certificateOf(old), may)
    return errors
  }

const ofType = (conditions: readonly Readable[], type: string): readonly Readable[] =>
  conditions.filter((it) => textAt(it, 'type') === type)

function checkDecisions(
  errors: Errors,
  field: string,
  after: readonly Readable[],
  before: readonly Readable[],
): void {
  for (const type of ['Approved', 'Denied']) {
    const [now, was] = [ofType(after, type), ofType(before, type)]
    const named = JSON.stringify(type)
    if (now.length > was.length) {
      errors.push(forbiddenField(field, `updates may not add a condition of type ${named}`))
    } else if (now.length === was.length && !same(now, was)) {
      const why = `updates may not modify a condition of type ${named}`
      errors.push(forbiddenField(field, `${why}\n${unifiedDiff(was, now)}`))
    }
  }
}

function checkNewCertificate(errors: Errors, now: string, was: string, may: MayChange): void {
  if (now === was) return
  const at = 'status.certificate'
  if (!may.certificate) {
    errors.push(forbiddenField(at, 'updates may not set certificate content'))
  } else if (was !== '') {
    errors.push(forbiddenField(at, 'updates may not modify existing certificate content'))
  }
}
