import {
  duplicate,
  invalidValue,
  isDns1035Label,
  isDns1123Subdomain,
  isQualifiedName,
  nameIsDnsSubdomain,
  type FieldError,
} from 'kubewright/machinery'
import { ensureObject, has, itemsAt, objectAt, textAt, textsAt, type Readable } from '../fields.ts'
import { checkName, requireText, type Errors } from '../generic/checks.ts'
import { statusOnly, whole } from '../generic/whole-and-status.ts'
import type { Draft, Strategy } from '../strategy.ts'

/** `group.resource`, as a StorageVersion is named. */
function nameProblems(name: string): readonly string[] {
  const dot = name.lastIndexOf('.')
  if (dot < 0) return ['name must be in the form of <group>.<resource>']
  return [
    ...isDns1123Subdomain(name.slice(0, dot)).map((it) => `the group segment ${it}`),
    ...isDns1035Label(name.slice(dot + 1)).map((it) => `the resource segment ${it}`),
  ]
}

const LABEL =
  "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"

/** What is wrong with a `group/version` (kubernetes/pkg/apis/apiserverinternal/validation isValidAPIVersion). */
function versionProblems(text: string): readonly string[] {
  const parts = text.split('/')
  const [group, version = ''] = parts.length === 1 ? [undefined, text] : parts
  if (parts.length > 2)
    return [
      `an apiVersion is ${LABEL} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`,
    ]
  return [
    ...(group === undefined ? [] : partProblems('group', group, isDns1123Subdomain)),
    ...partProblems('version', version, isDns1035Label),
  ]
}

const partProblems = (
  name: string,
  text: string,
  rule: (text: string) => readonly string[],
): readonly string[] =>
  (text === '' ? ['must be non-empty'] : rule(text)).map((it) => `${name} part: ${it}`)

function checkVersion(errors: Errors, field: string, version: string): void {
  const problems = versionProblems(version)
  if (problems.length > 0) errors.push(invalidValue(field, version, problems.join(',')))
}

/** Which versions one server can read, writes and serves. */
function checkServer(errors: Errors, field: string, server: Readable): void {
  const [id, encoding] = [textAt(server, 'apiServerID'), textAt(server, 'encodingVersion')]
  const decodable = textsAt(server, 'decodableVersions')
  checkName(errors, `${field}.apiServerID`, id, (it) => nameIsDnsSubdomain(it, false))
  checkVersion(errors, `${field}.encodingVersion`, encoding)
  decodable.forEach((it, i) => checkVersion(errors, `${field}.decodableVersions[${i}]`, it))
  if (!decodable.includes(encoding)) {
    const why = `decodableVersions must include encodingVersion ${encoding}`
    const value = server['decodableVersions'] ?? null
    errors.push(invalidValue(`${field}.decodableVersions`, value, why))
  }
  textsAt(server, 'servedVersions').forEach((it, i) => {
    const at = `${field}.servedVersions[${i}]`
    checkVersion(errors, at, it)
    if (decodable.includes(it)) return
    const why = `individual served version : ${it} must be included in decodableVersions : [${decodable.join(' ')}]`
    errors.push(invalidValue(at, it, why))
  })
}

function checkCommon(errors: Errors, status: Readable | undefined): void {
  const encodings = new Set(
    itemsAt(status, 'storageVersions').map((it) => textAt(it, 'encodingVersion')),
  )
  const [common] = encodings.size === 1 ? encodings : []
  const told = has(status, 'commonEncodingVersion')
    ? textAt(status, 'commonEncodingVersion')
    : undefined
  if (told === common) return
  const why =
    common === undefined
      ? 'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet'
      : told === undefined
        ? `the common encoding version is ${common}`
        : `the actual common encoding version is ${common}`
  errors.push(invalidValue('status.commonEncodingVersion', told ?? null, why))
}

// Kubernetes names the conditions as if they were the status itself.
function checkConditions(errors: Errors, conditions: readonly Readable[]): void {
  const seen = new Map<string, number>()
  conditions.forEach((it, i) => {
    const type = textAt(it, 'type')
    const before = seen.get(type)
    if (before !== undefined) {
      const why = `the type of the condition is not unique, it also appears in conditions[${before}]`
      errors.push(invalidValue(`status[${i}].type`, type, why))
    }
    seen.set(type, i)
    checkName(errors, `status[${i}].type`, type, isQualifiedName)
    checkName(errors, `status[${i}].status`, textAt(it, 'status'), isQualifiedName)
    requireText(errors, `status[${i}].reason`, textAt(it, 'reason'))
    requireText(errors, `status[${i}].message`, textAt(it, 'message'))
  })
}

function validateStatus(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const status = objectAt(object, 'status')
  const servers = itemsAt(status, 'storageVersions')
  const ids = servers.map((it) => textAt(it, 'apiServerID'))
  servers.forEach((it, i) => {
    const at = `status.storageVersions[${i}]`
    if (ids.indexOf(ids[i]!) < i) errors.push(duplicate(`${at}.apiServerID`, ids[i]))
    checkServer(errors, at, it)
  })
  checkCommon(errors, status)
  checkConditions(errors, itemsAt(status, 'conditions'))
  return errors
}

/** StorageVersion (kubernetes/pkg/registry/apiserverinternal/storageversion/strategy.go). */
export const STORAGE_VERSION: Strategy = Object.freeze({
  ...whole({ emptyStatus: {} }),
  applyDefaults: (object: Draft) => {
    ensureObject(object, 'spec')
    ensureObject(object, 'status')
  },
  validateName: nameProblems,
  validate: validateStatus,
  allowUnconditionalUpdate: false,
  subresources: {
    status: {
      ...statusOnly({ statusKeeps: 'metadata' }),
      validateUpdate: validateStatus,
      allowUnconditionalUpdate: false,
    },
  },
})
