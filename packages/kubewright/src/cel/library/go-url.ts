/** URLs read as Go's net/url reads them: neither WHATWG's repairs nor its refusals. */
import { goQuote } from '../go-quote.ts'
import { decodeUtf8, encodeUtf8 } from '../utf8.ts'

/** A parsed URL. */
export interface GoUrl {
  readonly scheme: string
  /** Host and port, with escapes resolved. */
  readonly host: string
  readonly user: string
  readonly escapedPath: string
  readonly rawQuery: string
  readonly fragment: string
}

/** Thrown inside; {@link parseRequestUri} gives its message back. */
class UrlError extends Error {}

/** A URL that is absolute or starts with a slash, or the reason why the text is none: `parse "x": invalid URI for request`. */
export function parseRequestUri(text: string): GoUrl | { readonly error: string } {
  try {
    // The first pass decides whether it is a request URI; a fragment is then taken off in a second one.
    parse(text, true)
    const hash = text.indexOf('#')
    const main = hash < 0 ? text : text.slice(0, hash)
    const fragment = hash < 0 ? '' : unescape(text.slice(hash + 1), 'fragment')
    return { ...parse(main, false), fragment }
  } catch (error) {
    if (error instanceof UrlError) return { error: `parse ${goQuote(text)}: ${error.message}` }
    throw error
  }
}

function parse(text: string, isRequest: boolean): GoUrl {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(text)) {
    throw new UrlError('net/url: invalid control character in URL')
  }
  if (text === '' && isRequest) throw new UrlError('empty url')
  const none = { scheme: '', host: '', user: '', rawQuery: '', fragment: '' }
  if (text === '*') return { ...none, escapedPath: '*' }
  const [scheme, afterScheme] = splitScheme(text)
  const [beforeQuery, rawQuery] = splitQuery(afterScheme)
  let rest = beforeQuery
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...none, scheme, escapedPath: '', rawQuery }
    if (isRequest) throw new UrlError('invalid URI for request')
    const [segment = ''] = rest.split('/')
    if (segment.includes(':')) throw new UrlError('first path segment in URL cannot contain colon')
  }
  let authority = { user: '', host: '' }
  if ((scheme !== '' || (!isRequest && !rest.startsWith('///'))) && rest.startsWith('//')) {
    const end = rest.indexOf('/', 2)
    authority = parseAuthority(end < 0 ? rest.slice(2) : rest.slice(2, end))
    rest = end < 0 ? '' : rest.slice(end)
  }
  return { ...none, ...authority, scheme, escapedPath: escapedPath(rest), rawQuery }
}

function splitScheme(text: string): readonly [string, string] {
  if (text.startsWith(':')) throw new UrlError('missing protocol scheme')
  const match = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)
  return match === null ? ['', text] : [(match[1] ?? '').toLowerCase(), text.slice(match[0].length)]
}

function splitQuery(text: string): readonly [string, string] {
  const mark = text.indexOf('?')
  return mark < 0 ? [text, ''] : [text.slice(0, mark), text.slice(mark + 1)]
}

function parseAuthority(text: string): { readonly user: string; readonly host: string } {
  const at = text.lastIndexOf('@')
  const host = parseHost(text.slice(at + 1))
  if (at < 0) return { user: '', host }
  const user = text.slice(0, at)
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) {
    throw new UrlError('net/url: invalid userinfo')
  }
  return { user: unescape(user, 'user'), host }
}

function parseHost(text: string): string {
  const bracket = text.startsWith('[') ? text.lastIndexOf(']') : undefined
  if (bracket === -1) throw new UrlError("missing ']' in host")
  const colon = bracket === undefined ? text.indexOf(':') : bracket + 1
  const port = colon < 0 ? '' : text.slice(colon)
  if (!/^(?::\d*)?$/.test(port)) {
    throw new UrlError(`invalid port ${goQuote(port)} after host`)
  }
  const zone = bracket === undefined ? -1 : text.indexOf('%25')
  if (zone >= 0 && bracket !== undefined && zone < bracket) {
    return (
      unescape(text.slice(0, zone), 'host') +
      unescape(text.slice(zone, bracket), 'zone') +
      text.slice(bracket)
    )
  }
  return unescape(text, 'host')
}

type Part = 'path' | 'query' | 'fragment' | 'user' | 'host' | 'zone'

/** Resolves escapes; in a host only bytes beyond ASCII may be escaped. */
function unescape(text: string, part: Part): string {
  const wrong = /%(?![0-9a-fA-F]{2})/.exec(text)
  if (wrong !== null) throw badEscape(text.slice(wrong.index, wrong.index + 3))
  if (part === 'host' || part === 'zone') refuseInHost(text, part)
  if (!text.includes('%') && !(part === 'query' && text.includes('+'))) return text
  const spaced = part === 'query' ? text.replaceAll('+', ' ') : text
  const bytes: number[] = []
  for (const piece of spaced.match(/%[0-9a-fA-F]{2}|[^%]+/g) ?? []) {
    if (piece.startsWith('%')) bytes.push(Number.parseInt(piece.slice(1), 16))
    else bytes.push(...encodeUtf8(piece))
  }
  const raw = Uint8Array.from(bytes)
  return decodeUtf8(raw) ?? new TextDecoder().decode(raw)
}

function badEscape(text: string): UrlError {
  return new UrlError(`invalid URL escape ${goQuote(text)}`)
}

function refuseInHost(text: string, part: 'host' | 'zone'): void {
  const escape = part === 'host' ? /%[0-7][0-9a-fA-F]/.exec(text) : null
  if (escape !== null && escape[0] !== '%25') throw badEscape(escape[0])
  const character = /[\u0020\\^`{|}/?#@]/.exec(text)
  if (character !== null) {
    throw new UrlError(`invalid character ${goQuote(character[0])} in host name`)
  }
}

/** The path as written if it needs no escaping, else escaped anew. */
function escapedPath(path: string): string {
  const plain = unescape(path, 'path')
  if (/^[A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]%]*$/.test(path)) return path
  return Array.from(encodeUtf8(plain), (byte) => {
    const character = String.fromCharCode(byte)
    if (/[A-Za-z0-9\-_.~$&+,/:;=@]/.test(character)) return character
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')
}

/** `a=1&b=2&a=3` by name; pairs that are not well formed are left out. */
export function parseQuery(query: string): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>()
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue
    const equals = pair.indexOf('=')
    const parts = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
    try {
      const [name = '', value = ''] = parts.map((part) => unescape(part, 'query'))
      values.set(name, [...(values.get(name) ?? []), value])
    } catch (error) {
      if (!(error instanceof UrlError)) throw error
    }
  }
  return values
}

/** The host without its port and without brackets. */
export function hostName(host: string): string {
  const name = host.replace(/:\d*$/, '')
  const unported = host.startsWith('[') && !host.includes(']:') ? host : name
  return unported.startsWith('[') && unported.endsWith(']') ? unported.slice(1, -1) : unported
}

/** The port without its colon, empty if there is none. */
export function portOf(host: string): string {
  const match = /(?:^[^[]*|\]):(\d*)$/.exec(host)
  return match?.[1] ?? ''
}

/** Any URL, absolute or not, as Go's url.Parse reads it; or its error. */
export function parseAnyUrl(text: string): GoUrl | { readonly error: string } {
  const hash = text.indexOf('#')
  const main = hash < 0 ? text : text.slice(0, hash)
  try {
    const fragment = hash < 0 ? '' : unescape(text.slice(hash + 1), 'fragment')
    return { ...parse(main, false), fragment }
  } catch (error) {
    if (error instanceof UrlError) return { error: `parse ${goQuote(text)}: ${error.message}` }
    throw error
  }
}
