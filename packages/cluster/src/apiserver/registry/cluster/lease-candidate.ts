import {
  invalidValue,
  isConfigMapKey,
  isQualifiedName,
  notSupported,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { ensureObject, objectAt, textAt, type Readable } from '../fields.ts'
import { checkName, requireText, type Errors } from '../generic/checks.ts'
import type { Draft, Strategy } from '../strategy.ts'

const NUMBER = '(0|[1-9]\\d*)'
const PART = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)'
const SEMVER = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${PART}(?:\\.${PART})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
)

/** A version of semver.org 2.0.0, without its build: that counts for nothing. */
interface Version {
  readonly numbers: readonly bigint[]
  readonly prerelease: readonly string[]
}

const ZERO: Version = Object.freeze({ numbers: [0n, 0n, 0n], prerelease: [] })

function versionOf(text: string): Version | undefined {
  const match = SEMVER.exec(text)
  if (!match) return undefined
  return { numbers: match.slice(1, 4).map(BigInt), prerelease: match[4]?.split('.') ?? [] }
}

/** Negative where `a` comes first, by semver.org's rule 11. */
function compare(a: Version, b: Version): number {
  const [more, than] = [a.numbers, b.numbers]
  const at = more.findIndex((it, i) => it !== than[i])
  if (at >= 0) return more[at]! < than[at]! ? -1 : 1
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return b.prerelease.length - a.prerelease.length
  for (const [i, part] of a.prerelease.entries()) {
    const other = b.prerelease[i]
    if (other === undefined) return 1
    if (part !== other) return comparePart(part, other)
  }
  return a.prerelease.length - b.prerelease.length
}

function comparePart(a: string, b: string): number {
  const [isNumber, isOther] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (isNumber && isOther) return BigInt(a) < BigInt(b) ? -1 : 1
  if (isNumber !== isOther) return isNumber ? -1 : 1
  return a < b ? -1 : 1
}

const STRATEGIES = ['OldestEmulationVersion']

function checkStrategy(errors: Errors, strategy: string, emulation: Version): void {
  if (strategy === '') return void errors.push(required('spec.strategy'))
  if (strategy === 'OldestEmulationVersion' && compare(emulation, ZERO) === 0) {
    const why = "must be specified when `strategy` is 'OldestEmulationVersion'"
    errors.push(required('spec.emulationVersion', why))
  }
  const at = 'spec.strategy.strategy'
  if (strategy.includes('/')) checkName(errors, at, strategy, isQualifiedName)
  else if (!STRATEGIES.includes(strategy)) errors.push(notSupported(at, strategy, STRATEGIES))
}

/** A version that may be empty; what cannot be read counts as 0.0.0. */
function readVersion(errors: Errors, field: string, text: string): Version {
  const version = text === '' ? ZERO : versionOf(text)
  if (!version) errors.push(invalidValue(field, text, 'must be a valid semantic version'))
  return version ?? ZERO
}

function specErrors(object: Draft): Errors {
  const errors: Errors = []
  const spec = objectAt(object, 'spec')
  const [binary, emulated] = [textAt(spec, 'binaryVersion'), textAt(spec, 'emulationVersion')]
  requireText(errors, 'spec.leaseName', textAt(spec, 'leaseName'))
  const emulation = readVersion(errors, 'spec.emulationVersion', emulated)
  requireText(errors, 'spec.binaryVersion', binary)
  const own = readVersion(errors, 'spec.binaryVersion', binary)
  if (binary !== '' && emulated !== '' && compare(own, emulation) < 0) {
    const why = 'must be greater than or equal to `emulationVersion`'
    errors.push(invalidValue('spec.binaryVersion', binary, why))
  }
  checkStrategy(errors, textAt(spec, 'strategy'), emulation)
  return errors
}

const leaseOf = (object: Readable): string => textAt(objectAt(object, 'spec'), 'leaseName')

function validateUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors = specErrors(object)
  if (leaseOf(object) !== leaseOf(old as Readable))
    errors.push(invalidValue('spec.leaseName', leaseOf(object), 'field is immutable'))
  return errors
}

/** LeaseCandidate (kubernetes/pkg/registry/coordination/leasecandidate/strategy.go). */
export const LEASE_CANDIDATE: Strategy = Object.freeze({
  applyDefaults: (object: Draft) => void ensureObject(object, 'spec'),
  validateName: (name: string) => isConfigMapKey(name),
  validate: specErrors,
  validateUpdate,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
})
