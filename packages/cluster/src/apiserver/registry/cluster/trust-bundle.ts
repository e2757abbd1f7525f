import { X509Certificate } from 'node:crypto'
import {
  invalidValue,
  nameIsDnsSubdomain,
  tooLong,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { objectAt, textAt, type Readable } from '../fields.ts'
import { checkName, type Errors } from '../generic/checks.ts'
import { checkSignerName } from '../generic/signer-name.ts'
import type { Draft, Strategy } from '../strategy.ts'
import { pemBlocks, type PemBlock } from './pem.ts'

const LARGEST_BUNDLE = 1024 * 1024
const BUNDLE = 'spec.trustBundle'

/** Bundles of a signer carry its name in front (core/validation ValidateClusterTrustBundleName). */
const nameRule =
  (signer: string) =>
  (name: string): readonly string[] => {
    if (signer === '')
      return name.includes(':')
        ? ['ClusterTrustBundle without signer name must not have ":" in its name']
        : nameIsDnsSubdomain(name, false)
    const prefix = `${signer.replaceAll('/', ':')}:`
    return name.startsWith(prefix)
      ? nameIsDnsSubdomain(name.slice(prefix.length), false)
      : [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`]
  }

function certificateOf(bytes: Uint8Array): X509Certificate | undefined {
  try {
    return new X509Certificate(bytes)
  } catch {
    return undefined
  }
}

/** What is wrong with one block of a bundle; undefined where it is the certificate of an authority. */
function blockProblem({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`
  if (hasHeaders) return 'has PEM block headers'
  const certificate = certificateOf(bytes)
  if (!certificate) return 'does not parse as X.509'
  return certificate.ca ? undefined : 'does not have the CA bit set'
}

function checkBundle(errors: Errors, bundle: string): void {
  if (Buffer.byteLength(bundle) > LARGEST_BUNDLE)
    return void errors.push(tooLong(BUNDLE, LARGEST_BUNDLE))
  const blocks = pemBlocks(Buffer.from(bundle).toString('base64'))
  const problems = blocks.flatMap((it, i) => {
    const problem = blockProblem(it)
    return problem === undefined ? [] : [`entry ${i} ${problem}`]
  })
  if (problems.length === 0) problems.push(...anchorProblems(blocks))
  for (const it of problems) errors.push(invalidValue(BUNDLE, '<value omitted>', it))
}

function anchorProblems(blocks: readonly PemBlock[]): readonly string[] {
  if (blocks.length === 0) return ['at least one trust anchor must be provided']
  const found = Map.groupBy(blocks.keys(), (i) => Buffer.from(blocks[i]!.bytes).toString('base64'))
  return [...found.values()]
    .filter((it) => it.length > 1)
    .map((it) => `duplicate trust anchor (indices [${it.join(' ')}])`)
}

const specOf = (object: Readable): Readable => objectAt(object, 'spec') ?? {}

function bundleErrors(object: Draft, parses: boolean): Errors {
  const errors: Errors = []
  const spec = specOf(object)
  const signer = textAt(spec, 'signerName')
  checkName(errors, 'metadata.name', object.metadata.name ?? '', nameRule(signer))
  if (signer !== '') checkSignerName(errors, 'spec.signerName', signer)
  if (parses) checkBundle(errors, textAt(spec, 'trustBundle'))
  return errors
}

function validateUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const [spec, before] = [specOf(object), specOf(old as Readable)]
  const errors = bundleErrors(object, spec['trustBundle'] !== before['trustBundle'])
  const signer = textAt(spec, 'signerName')
  if (signer !== textAt(before, 'signerName'))
    errors.push(invalidValue('spec.signerName', signer, 'field is immutable'))
  return errors
}

/** ClusterTrustBundle (kubernetes/pkg/registry/certificates/clustertrustbundle/strategy.go). */
export const CLUSTER_TRUST_BUNDLE: Strategy = Object.freeze({
  // How a bundle may be named depends on its signer.
  validateName: () => [],
  validate: (object: Draft) => bundleErrors(object, true),
  validateUpdate,
  allowUnconditionalUpdate: false,
  selectableFields: {
    'spec.signerName': (it: UnknownObject) => textAt(objectAt(it, 'spec'), 'signerName'),
  },
})
