import {
  badRequest,
  type FieldError,
  forbiddenField,
  invalid,
  notSupported,
} from 'kubewright/machinery'
import { booleanOf, integerOf } from './write-options.ts'

/** The options of a list or watch, from its query (meta/internalversion ListOptions). */
export interface ListOptions {
  readonly watch: boolean
  readonly resourceVersion: string
  readonly resourceVersionMatch: string
  readonly limit: number
  readonly continue: string
  readonly timeoutSeconds: number | undefined
  readonly allowWatchBookmarks: boolean
  readonly sendInitialEvents: boolean | undefined
}

/** Reads and checks them (meta/internalversion/validation). Throws an ApiError. */
export function listOptions(query: URLSearchParams, legacyWatch: boolean): ListOptions {
  const watch = legacyWatch || (booleanOf(query, 'watch') ?? false)
  const resourceVersion = query.get('resourceVersion') ?? ''
  const options: ListOptions = {
    watch,
    resourceVersion,
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    limit: integerOf(query, 'limit') ?? 0,
    continue: query.get('continue') ?? '',
    timeoutSeconds: integerOf(query, 'timeoutSeconds'),
    allowWatchBookmarks: booleanOf(query, 'allowWatchBookmarks') ?? false,
    sendInitialEvents: booleanOf(query, 'sendInitialEvents'),
  }
  const errors = watch ? watchErrors(options) : listErrors(options)
  if (errors.length === 0) return options
  throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors)
}

function listErrors(options: ListOptions): readonly FieldError[] {
  const { resourceVersionMatch: match, resourceVersion } = options
  const errors: FieldError[] = []
  const forbid = (detail: string): void =>
    void errors.push(forbiddenField('resourceVersionMatch', detail))
  if (match !== '') {
    if (resourceVersion === '') {
      forbid('resourceVersionMatch is forbidden unless resourceVersion is provided')
    }
    if (options.continue !== '') {
      forbid('resourceVersionMatch is forbidden when continue is provided')
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(notSupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']))
    }
    if (match === 'Exact' && resourceVersion === '0') {
      forbid('resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  }
  return errors
}

function watchErrors(options: ListOptions): readonly FieldError[] {
  const { resourceVersionMatch: match, sendInitialEvents } = options
  const errors: FieldError[] = []
  const forbid = (detail: string): void =>
    void errors.push(forbiddenField('resourceVersionMatch', detail))
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    forbid('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')
  }
  if (match !== '') {
    if (sendInitialEvents === undefined) {
      forbid('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')
    }
    if (match !== 'NotOlderThan') {
      errors.push(notSupported('resourceVersionMatch', match, ['NotOlderThan']))
    }
    if (options.continue !== '') {
      forbid('resourceVersionMatch is forbidden when continue is provided')
    }
  }
  return errors
}

/** Where a page ends and the next begins: the revision of the first page, and the first key not yet shown, after the prefix. */
export interface Continue {
  /** -1 in the token that follows an expired one: it goes on at whatever stands now. */
  readonly revision: number
  readonly start: string
}

/** The token of a page, as etcd3's store writes it (storage/continue.go). */
export function encodeContinue({ revision, start }: Continue): string {
  const token = { v: 'meta.k8s.io/v1', rv: revision, start }
  return Buffer.from(JSON.stringify(token)).toString('base64url')
}

/** Reads a token. Throws the 400 of one that this server did not write. */
export function decodeContinue(text: string): Continue {
  const bad = (why: string): Error =>
    badRequest(`invalid continue token: continue key is not valid: ${why}`)
  const wrong = /[^A-Za-z0-9_-]/.exec(text)
  if (wrong || text.length % 4 === 1) {
    throw bad(`illegal base64 data at input byte ${wrong?.index ?? text.length - 1}`)
  }
  let token: { readonly v?: unknown; readonly rv?: unknown; readonly start?: unknown }
  try {
    token = JSON.parse(Buffer.from(text, 'base64url').toString()) as typeof token
  } catch {
    throw bad('invalid character in its text')
  }
  if (token?.v !== 'meta.k8s.io/v1') throw bad('server does not recognize this encoded version')
  if (typeof token.rv !== 'number' || token.rv === 0) {
    throw bad('incorrect encoded start resourceVersion (version meta.k8s.io/v1)')
  }
  if (typeof token.start !== 'string' || token.start === '') {
    throw bad('encoded start key empty (version meta.k8s.io/v1)')
  }
  return { revision: token.rv, start: token.start }
}
