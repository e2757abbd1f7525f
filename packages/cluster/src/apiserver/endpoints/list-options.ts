import { type FieldError, forbiddenField, invalid, notSupported } from 'kubewright/machinery'
import { readSelectors } from './selection.ts'
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

/**
 * Reads, defaults and checks them (meta/internalversion/validation). A path under `/watch/` that does not say `watch` as well is
 * checked as a list is. Throws an ApiError.
 */
export function listOptions(query: URLSearchParams): ListOptions {
  const watch = booleanOf(query, 'watch') ?? false
  const resourceVersion = query.get('resourceVersion') ?? ''
  const options = withInitialEvents({
    watch,
    resourceVersion,
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    limit: integerOf(query, 'limit') ?? 0,
    continue: query.get('continue') ?? '',
    timeoutSeconds: integerOf(query, 'timeoutSeconds'),
    allowWatchBookmarks: booleanOf(query, 'allowWatchBookmarks') ?? false,
    sendInitialEvents: booleanOf(query, 'sendInitialEvents'),
  })
  readSelectors(query)
  const errors = watch ? watchErrors(options) : listErrors(options)
  if (errors.length === 0) return options
  throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors)
}

/** A watch that names no version begins with what is there, and says where that ends (KEP-3157; meta/internalversion/defaults.go). */
function withInitialEvents(options: ListOptions): ListOptions {
  const { watch, resourceVersion, resourceVersionMatch, sendInitialEvents } = options
  const legacy = resourceVersion === '' || resourceVersion === '0'
  if (!watch || !legacy || sendInitialEvents !== undefined || resourceVersionMatch !== '')
    return options
  return { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
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
