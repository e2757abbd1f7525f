/**
 * An absolute URI, or an absolute path (net/url ParseRequestURI). The fragment is part of the path there, so `#` says nothing;
 * what counts are escapes, control characters, and a host that is one.
 */
export function isRequestUri(text: string): boolean {
  if (text === '' || hasControls(text)) return false
  if (text === '*') return true
  const scheme = schemeOf(text)
  if (scheme === undefined) return false
  const rest = (scheme === '' ? text : text.slice(scheme.length + 1)).replace(/\?.*$/s, '')
  if (!rest.startsWith('/')) return scheme !== ''
  const authority =
    scheme !== '' && rest.startsWith('//') ? (/^\/\/([^/]*)/.exec(rest)?.[1] ?? '') : undefined
  if (authority === undefined) return validEscapes(rest)
  return isAuthority(authority) && validEscapes(rest.slice(2 + authority.length))
}

const hasControls = (text: string): boolean => [...text].some((it) => it < ' ' || it === '\u007f')

/** The scheme before the first colon, empty without one; undefined where a colon comes first. */
function schemeOf(text: string): string | undefined {
  if (text.startsWith(':')) return undefined
  return /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1] ?? ''
}

const validEscapes = (text: string): boolean => !/%(?![0-9a-fA-F]{2})/.test(text)

function isAuthority(text: string): boolean {
  const at = text.lastIndexOf('@')
  const user = at < 0 ? '' : text.slice(0, at)
  const host = text.slice(at + 1)
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) || !validEscapes(user)) return false
  if (host.startsWith('[')) return /^\[[0-9a-fA-F:.%A-Za-z0-9_~-]*\](:\d*)?$/.test(host)
  const colon = host.lastIndexOf(':')
  const port = colon < 0 ? '' : host.slice(colon + 1)
  if (!/^\d*$/.test(port)) return false
  return !/[ "\\^`{|}]/.test(host) && !/%(?!25)/.test(host)
}

/** One address, perhaps with a display name before it in angle brackets (net/mail ParseAddress, RFC 5322). */
export function isEmail(text: string): boolean {
  const trimmed = text.trim()
  const bracketed = /^(?<name>|.*?\S)\s*<(?<address>[^<>]*)>\s*(\([^()]*\))?$/s.exec(trimmed)
  if (!bracketed) return isAddress(trimmed.replace(/(?<!\s)\s*\([^()]*\)$/, ''))
  const { name = '', address = '' } = bracketed.groups ?? {}
  return isPhrase(name) && isAddress(address)
}

const ATOM_CHARACTERS = "A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~\\u0080-\\u{10ffff}"
const ATOM = `[${ATOM_CHARACTERS}]+`
const DOT_ATOM = new RegExp(`^${ATOM}(\\.${ATOM})*$`, 'u')
const QUOTED = /^"([^"\\]|\\[\t -~])*"$/
const isQuoted = (text: string): boolean =>
  QUOTED.test(text) && !hasControls(text.replaceAll('\t', ''))

function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at <= 0) return false
  const local = text.slice(0, at)
  const domain = text.slice(at + 1)
  const literal = /^\[[^[\]\\]*\]$/.test(domain)
  return (DOT_ATOM.test(local) || isQuoted(local)) && (literal || DOT_ATOM.test(domain))
}

function isPhrase(text: string): boolean {
  if (text === '' || isQuoted(text)) return true
  const word = new RegExp(`^[${ATOM_CHARACTERS}.]+$`, 'u')
  return text.split(/\s+/).every((it) => word.test(it) || isQuoted(it))
}
