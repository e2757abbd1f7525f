import { badRequest } from 'kubewright/machinery'
import { goKindOf, goSyntaxError } from '../codec/go-json-error.ts'

/** Where a page ends and the next begins: the revision of the first page, and the first key not yet shown, after the prefix. */
export interface Continue {
  /** -1 in the token that follows an expired one: it goes on at whatever stands now. */
  readonly revision: number
  readonly start: string
}

const VERSION = 'meta.k8s.io/v1'

/** The token of a page, as the watch cache writes it (apiserver/pkg/storage/continue.go): the key begins with a slash. */
export function encodeContinue({ revision, start }: Continue): string {
  const token = { v: VERSION, rv: revision, start: `/${start}` }
  return Buffer.from(JSON.stringify(token)).toString('base64url')
}

/** Reads a token. Throws the 400 of one that this server did not write. */
export function decodeContinue(text: string): Continue {
  const token = fieldsOf(parsed(bytesOf(text)))
  if (token.v !== VERSION)
    throw invalidKey(`server does not recognize this encoded version ${token.v}`)
  if (token.rv === 0)
    throw invalidKey(`incorrect encoded start resourceVersion (version ${VERSION})`)
  if (token.start === '') throw invalidKey(`encoded start key empty (version ${VERSION})`)
  const key = token.start.startsWith('/') ? token.start : `/${token.start}`
  if (!isClean(key)) throw invalidKey(token.start)
  return { revision: token.rv, start: key.slice(1) }
}

const invalidKey = (why: string): Error =>
  badRequest(`invalid continue token: continue key is not valid: ${why}`)

function bytesOf(token: string): Buffer {
  const wrong = /[^A-Za-z0-9_-]/.exec(token)
  if (wrong || token.length % 4 === 1)
    throw invalidKey(`illegal base64 data at input byte ${wrong?.index ?? token.length - 1}`)
  return Buffer.from(token, 'base64url')
}

function parsed(bytes: Buffer): unknown {
  const text = bytes.toString()
  try {
    return JSON.parse(text)
  } catch {
    throw invalidKey(beginningError(bytes[0] ?? 0) ?? goSyntaxError(text))
  }
}

/** Go complains of a byte, even of one that is not the beginning of any character. */
function beginningError(byte: number): string | undefined {
  if (byte < 0x80) return undefined
  const isPrinted = byte >= 0xa1 && byte !== 0xad
  const shown = isPrinted ? String.fromCharCode(byte) : `\\u00${byte.toString(16)}`
  return `invalid character '${shown}' looking for beginning of value`
}

/** The three fields as Go's decoder finds them: names in any case, `null` and absent as empty. */
function fieldsOf(value: unknown): {
  readonly v: string
  readonly rv: number
  readonly start: string
} {
  const found = { v: '', rv: 0, start: '' }
  if (value === null) return found
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalidKey(
      `json: cannot unmarshal ${goKindOf(value)} into Go value of type storage.continueToken`,
    )
  for (const [name, field] of Object.entries(value)) {
    const own = name.toLowerCase()
    if (field === null || !Object.hasOwn(found, own)) continue
    if (own === 'rv') found.rv = int64Of(field)
    else found[own as 'v' | 'start'] = stringOf(own, field)
  }
  return found
}

function stringOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  throw wrongType(goKindOf(value), name, 'string')
}

function int64Of(value: unknown): number {
  if (typeof value !== 'number') throw wrongType(goKindOf(value), 'rv', 'int64')
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return value
  const shown = Number.isInteger(value) ? String(BigInt(value)) : String(value)
  throw wrongType(`number ${shown}`, 'rv', 'int64')
}

const wrongType = (what: string, field: string, type: string): Error =>
  invalidKey(
    `json: cannot unmarshal ${what} into Go struct field continueToken.${field} of type ${type}`,
  )

/** Whether Go's path.Clean leaves a rooted path as it is. */
const isClean = (path: string): boolean =>
  path === '/' ||
  path
    .slice(1)
    .split('/')
    .every((it) => it !== '' && it !== '.' && it !== '..')
