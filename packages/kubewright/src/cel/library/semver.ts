/** Kubernetes' semantic versions, version 1 of the library (pkg/cel/library/semverlib.go over blang/semver). */
import { goQuote } from '../go-quote.ts'
import type { ObjectType } from '../cel-type.ts'
import { abstractType } from '../cel-type.ts'
import type { Library } from '../declaration.ts'
import { fn, signatures } from '../declaration.ts'
import type { OpaqueValue, Value } from '../value.ts'
import { EvalError } from '../value.ts'

/** The type of versions. */
export const SEMVER_TYPE: ObjectType = abstractType('kubernetes.Semver')

interface Version {
  /** Major, minor, patch. */
  readonly numbers: readonly [bigint, bigint, bigint]
  readonly prerelease: readonly (string | bigint)[]
  readonly build: readonly string[]
}

class SemverValue implements OpaqueValue {
  readonly tag = 'opaque'
  readonly type = SEMVER_TYPE
  readonly version: Version

  constructor(version: Version) {
    this.version = version
  }

  equals(other: Value): boolean {
    return other instanceof SemverValue && compareVersions(this.version, other.version) === 0
  }

  toString(): string {
    const { numbers, prerelease, build } = this.version
    const tail = (mark: string, parts: readonly unknown[]): string =>
      parts.length === 0 ? '' : mark + parts.join('.')
    return numbers.join('.') + tail('-', prerelease) + tail('+', build)
  }
}

/** Thrown inside; {@link parseVersion} gives it back as an error value. */
class VersionError extends Error {}

function parseVersion(text: string, normalize: boolean): Version | EvalError {
  try {
    return readVersion(normalize ? normalized(text) : text)
  } catch (error) {
    if (error instanceof VersionError) return new EvalError(error.message)
    throw error
  }
}

/** `v1.02` as `1.2.0`. */
function normalized(text: string): string {
  const parts = splitInThree(text.replace(/^v/, '')).map((part) => {
    if (part.length <= 1) return part
    const stripped = part.replace(/^0+/, '')
    return /^\d/.test(stripped) ? stripped : `0${stripped}`
  })
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    throw new VersionError('short version cannot contain PreRelease/Build meta data')
  }
  while (parts.length < 3) parts.push('0')
  return parts.join('.')
}

function splitInThree(text: string): string[] {
  const [major = '', minor, ...rest] = text.split('.')
  if (minor === undefined) return [major]
  return rest.length === 0 ? [major, minor] : [major, minor, rest.join('.')]
}

function readVersion(text: string): Version {
  if (text === '') throw new VersionError('Version string empty')
  const [major, minor, rest] = splitInThree(text)
  if (major === undefined || minor === undefined || rest === undefined) {
    throw new VersionError('No Major.Minor.Patch elements found')
  }
  const [beforeBuild, build] = cut(rest, '+')
  const [patch, prerelease] = cut(beforeBuild, '-')
  return {
    numbers: [readNumber(major, 'major'), readNumber(minor, 'minor'), readNumber(patch, 'patch')],
    prerelease: (prerelease?.split('.') ?? []).map(readPrerelease),
    build: (build?.split('.') ?? []).map(readBuild),
  }
}

function cut(text: string, mark: string): readonly [string, string | undefined] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

function readNumber(text: string, name: string): bigint {
  const quoted = goQuote(text)
  if (!/^\d*$/.test(text))
    throw new VersionError(`Invalid character(s) found in ${name} number ${quoted}`)
  if (hasLeadingZero(text)) {
    const title = name.charAt(0).toUpperCase() + name.slice(1)
    throw new VersionError(`${title} number must not contain leading zeroes ${quoted}`)
  }
  return readUint(text)
}

function hasLeadingZero(text: string): boolean {
  return text.length > 1 && text.startsWith('0')
}

function readUint(text: string): bigint {
  if (text === '') throw new VersionError('strconv.ParseUint: parsing "": invalid syntax')
  const value = BigInt(text)
  if (BigInt.asUintN(64, value) === value) return value
  throw new VersionError(`strconv.ParseUint: parsing ${goQuote(text)}: value out of range`)
}

function readPrerelease(text: string): string | bigint {
  if (text === '') throw new VersionError('Prerelease is empty')
  const quoted = goQuote(text)
  if (/^\d+$/.test(text)) {
    if (hasLeadingZero(text)) {
      throw new VersionError(`Numeric PreRelease version must not contain leading zeroes ${quoted}`)
    }
    return readUint(text)
  }
  if (/^[0-9A-Za-z-]+$/.test(text)) return text
  throw new VersionError(`Invalid character(s) found in prerelease ${quoted}`)
}

function readBuild(text: string): string {
  if (text === '') throw new VersionError('Build meta data is empty')
  if (/^[0-9A-Za-z-]+$/.test(text)) return text
  throw new VersionError(`Invalid character(s) found in build meta data ${goQuote(text)}`)
}

function compareVersions(a: Version, b: Version): number {
  for (const [i, number] of a.numbers.entries()) {
    const other = b.numbers[i] as bigint
    if (number !== other) return number < other ? -1 : 1
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return Number(a.prerelease.length === 0) - Number(b.prerelease.length === 0)
  }
  for (const [i, part] of a.prerelease.entries()) {
    const other = b.prerelease[i]
    if (other === undefined) return 1
    const order = comparePrerelease(part, other)
    if (order !== 0) return order
  }
  return a.prerelease.length < b.prerelease.length ? -1 : 0
}

/** Numbers come before words. */
function comparePrerelease(a: string | bigint, b: string | bigint): number {
  if (typeof a !== typeof b) return typeof a === 'bigint' ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

function toSemver(text: string, normalize = false): Value {
  const version = parseVersion(text, normalize)
  return version instanceof EvalError ? version : new SemverValue(version)
}

function isSemver(text: string, normalize = false): Value {
  return !(parseVersion(text, normalize) instanceof EvalError)
}

const overload = signatures({ Semver: SEMVER_TYPE })

const ordered =
  (read: (order: number) => Value) =>
  (a: SemverValue, b: SemverValue): Value =>
    read(compareVersions(a.version, b.version))

/** See the file. */
export const SEMVER: Library = {
  name: 'kubernetes.Semver',
  functions: [
    fn(
      'semver',
      overload('string_to_semver', '(string): Semver', toSemver),
      overload('string_bool_to_semver', '(string, bool): Semver', toSemver),
    ),
    fn(
      'isSemver',
      overload('is_semver_string', '(string): bool', isSemver),
      overload('is_semver_string_bool', '(string, bool): bool', isSemver),
    ),
    fn(
      'isGreaterThan',
      overload(
        'semver_is_greater_than',
        'Semver.(Semver): bool',
        ordered((order) => order > 0),
      ),
    ),
    fn(
      'isLessThan',
      overload(
        'semver_is_less_than',
        'Semver.(Semver): bool',
        ordered((order) => order < 0),
      ),
    ),
    fn(
      'compareTo',
      overload(
        'semver_compare_to',
        'Semver.(Semver): int',
        ordered((order) => BigInt(order)),
      ),
    ),
    ...(['major', 'minor', 'patch'] as const).map((name, i) =>
      fn(
        name,
        overload(
          `semver_${name}`,
          'Semver.(): int',
          ({ version }: SemverValue) => version.numbers[i] as bigint,
        ),
      ),
    ),
  ],
}
