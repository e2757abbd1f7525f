import {
  forbiddenField,
  invalidValue,
  isConfigMapKey,
  required,
  tooLong,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { ensureObject, fillEmpty, flagAt, mapAt, sameDeepAt, textAt } from '../fields.ts'
import type { Draft, Strategy } from '../strategy.ts'
import { IMMUTABLE_WHEN_SET, MAX_DATA_BYTES, base64Bytes, fromBase64, toBase64 } from './data.ts'

const SERVICE_ACCOUNT_NAME = 'kubernetes.io/service-account.name'

/** `stringData` is written into `data` and never kept (Convert_v1_Secret_To_core_Secret). */
function defaultSecret(object: Draft): void {
  fillEmpty(object, { type: 'Opaque' })
  const texts = mapAt(object, 'stringData')
  if (Object.keys(texts).length > 0) {
    const data = ensureObject(object, 'data')
    for (const key in texts) data[key] = toBase64(texts[key] ?? '')
  }
  delete object['stringData']
}

type Data = Readonly<Record<string, string>>

/** What a type of secret needs in it. */
const TYPES: Readonly<Record<string, (data: Data, object: Draft) => readonly FieldError[]>> = {
  'kubernetes.io/service-account-token': (_, object) =>
    object.metadata.annotations?.[SERVICE_ACCOUNT_NAME]
      ? []
      : [required(`metadata.annotations[${SERVICE_ACCOUNT_NAME}]`)],
  'kubernetes.io/dockercfg': (data) => jsonErrors(data, '.dockercfg'),
  'kubernetes.io/dockerconfigjson': (data) => jsonErrors(data, '.dockerconfigjson'),
  'kubernetes.io/basic-auth': (data) =>
    'username' in data || 'password' in data
      ? []
      : // Kubernetes asks for the username twice.
        [required('data[username]'), required('data[password]')],
  'kubernetes.io/ssh-auth': (data) =>
    data['ssh-privatekey'] ? [] : [required('data[ssh-privatekey]')],
  'kubernetes.io/tls': (data) =>
    ['tls.crt', 'tls.key'].filter((it) => !(it in data)).map((it) => required(`data[${it}]`)),
}

function jsonErrors(data: Data, key: string): readonly FieldError[] {
  const value = data[key]
  if (value === undefined) return [required(`data[${key}]`)]
  const problem = goJsonProblem(Buffer.from(value, 'base64').toString('latin1'))
  return problem === undefined
    ? []
    : [invalidValue(`data[${key}]`, '<secret contents redacted>', problem)]
}

/** What encoding/json says of a text that is not a JSON object; it looks at bytes, which the text has for letters. */
function goJsonProblem(text: string): string | undefined {
  if (text === '') return 'unexpected end of JSON input'
  try {
    const value: unknown = JSON.parse(text)
    if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined
    const found = Array.isArray(value)
      ? 'array'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value
    return `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`
  } catch {
    const first = text.trimStart()[0] ?? ''
    return '{["'.includes(first)
      ? 'unexpected end of JSON input'
      : `invalid character '${first}' looking for beginning of value`
  }
}

function validate(object: Draft): readonly FieldError[] {
  const errors: FieldError[] = []
  const data = mapAt(object, 'data')
  let size = 0
  for (const key in data) {
    for (const it of isConfigMapKey(key)) errors.push(invalidValue(`data[${key}]`, key, it))
    size += base64Bytes(data[key] ?? '')
  }
  if (size > MAX_DATA_BYTES) errors.push(tooLong('data', MAX_DATA_BYTES))
  const ofType = TYPES[textAt(object, 'type')]
  return ofType ? [...errors, ...ofType(data, object)] : errors
}

function validateUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: FieldError[] = []
  if (textAt(object, 'type') !== textAt(old, 'type')) {
    errors.push(invalidValue('type', textAt(object, 'type'), 'field is immutable'))
  }
  if (flagAt(old, 'immutable')) {
    if (!flagAt(object, 'immutable')) errors.push(forbiddenField('immutable', IMMUTABLE_WHEN_SET))
    if (!sameDeepAt(object, old, 'data')) {
      errors.push(forbiddenField('data', IMMUTABLE_WHEN_SET))
    }
  }
  return [...errors, ...validate(object)]
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/
const PRIVATE_KEY = /-----BEGIN ([^-\n]* )?PRIVATE KEY-----[^-]*-----END/
const ANY_BLOCK = /-----BEGIN [^-]+-----[^-]*-----END [^-]+-----/

/** What crypto/tls says of a pair that it cannot find in the texts; whether a key fits its certificate is not looked at. */
function warnings(object: Draft): readonly string[] {
  if (textAt(object, 'type') !== 'kubernetes.io/tls') return []
  const data = mapAt(object, 'data')
  const certificate = fromBase64(data['tls.crt'] ?? '')
  const key = fromBase64(data['tls.key'] ?? '')
  if (!CERTIFICATE.test(certificate)) {
    if (PRIVATE_KEY.test(certificate)) {
      return [
        'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
      ]
    }
    if (ANY_BLOCK.test(certificate)) return []
    return ['tls: failed to find any PEM data in certificate input']
  }
  if (PRIVATE_KEY.test(key)) return []
  if (CERTIFICATE.test(key)) {
    return ['tls: found a certificate rather than a key in the PEM for the private key']
  }
  return ANY_BLOCK.test(key) ? [] : ['tls: failed to find any PEM data in key input']
}

/** Secret (kubernetes/pkg/registry/core/secret/strategy.go). */
export const SECRET: Strategy = Object.freeze({
  applyDefaults: defaultSecret,
  validate,
  prepareForUpdate: (object: Draft, old: UnknownObject) => {
    if (textAt(object, 'type') === '') object['type'] = old['type']
  },
  validateUpdate,
  warningsOnCreate: warnings,
  warningsOnUpdate: warnings,
  selectableFields: { type: (it: UnknownObject) => textAt(it, 'type') },
})
