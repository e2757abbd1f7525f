/** Kubernetes' URLs (pkg/cel/library/urls.go). */
import type { ObjectType } from '../cel-type.ts'
import { abstractType } from '../cel-type.ts'
import type { Library } from '../declaration.ts'
import { fn, signatures } from '../declaration.ts'
import type { OpaqueValue, Value } from '../value.ts'
import { ArrayList, EntryMap, EvalError } from '../value.ts'
import type { GoUrl } from './go-url.ts'
import { hostName, parseQuery, parseRequestUri, portOf } from './go-url.ts'

/** The type of URLs. */
export const URL_TYPE: ObjectType = abstractType('kubernetes.URL')

class UrlValue implements OpaqueValue {
  readonly tag = 'opaque'
  readonly type = URL_TYPE
  readonly url: GoUrl

  constructor(url: GoUrl) {
    this.url = url
  }

  equals(other: Value): boolean {
    return other instanceof UrlValue && other.toString() === this.toString()
  }

  toString(): string {
    const { scheme, user, host, escapedPath, rawQuery, fragment } = this.url
    const authority = host === '' && user === '' ? '' : `//${user === '' ? '' : `${user}@`}${host}`
    const tail = (mark: string, text: string): string => (text === '' ? '' : mark + text)
    return `${scheme === '' ? '' : `${scheme}:`}${authority}${escapedPath}${tail('?', rawQuery)}${tail('#', fragment)}`
  }
}

function toUrl(text: string): Value {
  const url = parseRequestUri(text)
  if ('error' in url) {
    return new EvalError(`URL parse error during conversion from string: ${url.error}`)
  }
  return new UrlValue(url)
}

function query({ url }: UrlValue): Value {
  const map = new EntryMap()
  for (const [name, values] of parseQuery(url.rawQuery)) map.set(name, new ArrayList(values))
  return map
}

const overload = signatures({ 'kubernetes.URL': URL_TYPE })

function getter(name: string, id: string, read: (url: GoUrl) => string): ReturnType<typeof fn> {
  return fn(
    name,
    overload(id, 'kubernetes.URL.(): string', ({ url }: UrlValue) => read(url)),
  )
}

/** See the file. */
export const URLS: Library = {
  name: 'kubernetes.urls',
  functions: [
    fn('url', overload('string_to_url', '(string): kubernetes.URL', toUrl)),
    fn(
      'isURL',
      overload(
        'is_url_string',
        '(string): bool',
        (text: string) => !('error' in parseRequestUri(text)),
      ),
    ),
    getter('getScheme', 'url_get_scheme', (url) => url.scheme),
    getter('getHost', 'url_get_host', (url) => url.host),
    getter('getHostname', 'url_get_hostname', (url) => hostName(url.host)),
    getter('getPort', 'url_get_port', (url) => portOf(url.host)),
    getter('getEscapedPath', 'url_get_escaped_path', (url) => url.escapedPath),
    fn(
      'getQuery',
      overload('url_get_query', 'kubernetes.URL.(): map<string, list<string>>', query),
    ),
  ],
}
