/**
 * An absolute URI, or an absolute path (net/url ParseRequestURI). The fragment is part of the path there, so `#` says nothing;
 * what counts are escapes, control characters, and a host that is one.
 */
export function isRequestUri(text: string): boolean {
  if (text === '' || /[\u0000-\u001f\u007f]/.test(text)) return false
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
  const bracketed = /^(?<name>.*?)\s*<(?<address>[^<>]*)>\s*(\([^()]*\))?$/s.exec(trimmed)
  if (!bracketed) return isAddress(trimmed.replace(/\s*\([^()]*\)$/, ''))
  const { name = '', address = '' } = bracketed.groups ?? {}
  return isPhrase(name) && isAddress(address)
}

const ATOM = "[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~\\u0080-\\u{10ffff}]+"
const DOT_ATOM = new RegExp(`^${ATOM}(\\.${ATOM})*$`, 'u')
const QUOTED = /^"([^"\\\u0000-\u0008\u000a-\u001f\u007f]|\\[\u0009\u0020-\u007e])*"$/

function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at <= 0) return false
  const local = text.slice(0, at)
  const domain = text.slice(at + 1)
  const literal = /^\[[^[\]\\]*\]$/.test(domain)
  return (DOT_ATOM.test(local) || QUOTED.test(local)) && (literal || DOT_ATOM.test(domain))
}

function isPhrase(text: string): boolean {
  if (text === '' || QUOTED.test(text)) return true
  const word = new RegExp(`^(${ATOM}|\\.)+$`, 'u')
  return text.split(/\s+/).every((it) => word.test(it) || QUOTED.test(it))
}
