import { goKindOf } from '../codec/go-json-error.ts'

const GROUP = 'admission.k8s.io'
const VERSIONS: ReadonlySet<string> = new Set(['v1', 'v1beta1'])

type Json = Readonly<Record<string, unknown>>

/** The Go types of an AdmissionResponse's fields. */
const FIELDS: Readonly<Record<string, { readonly json: string; readonly go: string }>> = {
  uid: { json: 'string', go: 'types.UID' },
  allowed: { json: 'bool', go: 'bool' },
  status: { json: 'object', go: 'v1.Status' },
  patch: { json: 'string', go: '[]uint8' },
  patchType: { json: 'string', go: 'v1.PatchType' },
  auditAnnotations: { json: 'object', go: 'map[string]string' },
  warnings: { json: 'array', go: '[]string' },
}

/**
 * Checks that an answer is the AdmissionReview of a version, as kube-apiserver's decoder for webhooks does; a missing kind or version is
 * what was asked for. Throws an Error with its sentence.
 */
export function checkReview(answer: Json, asked: 'v1' | 'v1beta1'): void {
  const { kind, version, group } = typeOf(answer, asked)
  if (group === '' && version === 'v1' && kind === 'Status') throw unconvertible('v1.Status', asked)
  if (group !== GROUP || !VERSIONS.has(version) || kind !== 'AdmissionReview') {
    const apiVersion = group === '' ? version : `${group}/${version}`
    throw new Error(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    )
  }
  checkFields(answer['response'])
  if (version === asked) return
  throw unconvertible(`${version}.AdmissionReview`, asked)
}

const unconvertible = (from: string, asked: string): Error =>
  new Error(`converting (${from}) to (${asked}.AdmissionReview): unknown conversion`)

function typeOf(
  { apiVersion, kind }: Json,
  asked: string,
): { readonly kind: string; readonly version: string; readonly group: string } {
  const text = typeof apiVersion === 'string' ? apiVersion : ''
  const own = typeof kind === 'string' && kind !== '' ? kind : 'AdmissionReview'
  if (text === '') return { kind: own, version: asked, group: GROUP }
  const [first = '', second] = text.split('/')
  return second === undefined
    ? { kind: own, group: '', version: first }
    : { kind: own, group: first, version: second }
}

function checkFields(response: unknown): void {
  if (response === undefined || response === null) return
  if (typeof response !== 'object' || Array.isArray(response)) {
    throw misfit(goKindOf(response), 'AdmissionReview.response', 'v1.AdmissionResponse')
  }
  for (const [name, { json, go }] of Object.entries(FIELDS)) {
    const value = (response as Json)[name]
    if (value === undefined || value === null) continue
    const found = goKindOf(value)
    if (found !== json) throw misfit(found, `AdmissionResponse.response.${name}`, go)
    if (name === 'patch') checkBase64(value as string)
  }
}

const misfit = (found: string, field: string, type: string): Error =>
  new Error(`json: cannot unmarshal ${found} into Go struct field ${field} of type ${type}`)

function checkBase64(text: string): void {
  const clean = text.replaceAll(/[\r\n]/g, '')
  const at = clean.search(/[^A-Za-z0-9+/]/)
  const padded = /^[A-Za-z0-9+/]*={0,2}$/.test(clean) && clean.length % 4 === 0
  if (padded) return
  throw new Error(`illegal base64 data at input byte ${at < 0 ? clean.length : at}`)
}
