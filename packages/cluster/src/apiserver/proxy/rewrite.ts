/** Through what a page is seen: its links must lead back through it. */
export interface Window {
  /** Scheme and host of the client's request, where it named them. */
  readonly scheme: string
  readonly host: string
  /** The path up to the proxied one: `/api/v1/namespaces/x/services/y/proxy`. */
  readonly prefix: string
  /** Host and port of the upstream, and the Host that the client sent: links to either are links to the page's own server. */
  readonly upstream: string
  readonly asked: string
}

/** A link as it must stand for someone who looks through a proxy (apimachinery/pkg/util/proxy/transport.go rewriteURL). */
export function rewriteLink(link: string, window: Window): string {
  const { scheme, host, path, rest } = partsOf(link)
  const isElsewhere = host !== '' && host !== window.upstream && host !== window.asked
  if (isElsewhere || !path.startsWith('/')) return link
  const keepsPlace = host === window.asked && window.scheme === '' && window.host === ''
  const origin = keepsPlace ? originOf(scheme, host) : originOf(window.scheme, window.host)
  const rewritten = path.startsWith(window.prefix) ? path : joined(window.prefix, path)
  return `${origin}${rewritten}${rest}`
}

function partsOf(link: string): {
  readonly scheme: string
  readonly host: string
  readonly path: string
  readonly rest: string
} {
  const found = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/is.exec(link)!
  const [, scheme = '', host = '', path = '', rest = ''] = found
  return { scheme, host, path, rest }
}

const originOf = (scheme: string, host: string): string =>
  `${scheme === '' ? '' : `${scheme}:`}${host === '' ? '' : `//${host}`}`

/** Paths after each other, a slash at the end kept. */
function joined(prefix: string, path: string): string {
  return `${prefix.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`
}

/** Which attributes of which elements hold links (HTML 4.0, index of attributes). */
const LINKS: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['src', 'usemap', 'formaction'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
}

/** Elements whose content is text, whatever it looks like. */
const RAW: ReadonlySet<string> = new Set(
  'script style textarea title xmp iframe noembed noframes noscript'.split(' '),
)

/** A page with its links rewritten; start tags are written anew, as Go's tokenizer does. Takes time by the length of the page. */
export function rewritePage(html: string, window: Window): string {
  let out = ''
  let at = 0
  for (;;) {
    const start = html.indexOf('<', at)
    if (start < 0) return out + html.slice(at)
    out += html.slice(at, start)
    if (!/[a-z!/?]/i.test(html[start + 1] ?? '')) {
      out += '<'
      at = start + 1
      continue
    }
    const end = html.startsWith('<!--', start) ? commentEnd(html, start) : tagEnd(html, start)
    if (end < 0) return out + html.slice(start)
    const name = /^<([a-z][^\s/>]*)/i.exec(html.slice(start, Math.min(end, start + 64)))?.[1]
    if (name === undefined) out += html.slice(start, end)
    else out += tagText(name, html.slice(start + 1 + name.length, end - 1), window)
    at = name !== undefined && RAW.has(name.toLowerCase()) ? contentEnd(html, end, name) : end
    out += html.slice(end, at)
  }
}

/** After a comment; one without an end takes the rest of the page. */
function commentEnd(html: string, start: number): number {
  const end = html.indexOf('-->', start + 4)
  return end < 0 ? html.length : end + 3
}

/** After the `>` of a tag, which is not one within quotes; -1 where there is none. */
function tagEnd(html: string, start: number): number {
  let quote = ''
  for (let i = start + 1; i < html.length; i++) {
    const char = html[i]!
    if (quote !== '') {
      if (char === quote) quote = ''
    } else if (char === '>') return i + 1
    else if (char === '"' || char === "'") quote = char
  }
  return -1
}

/** Where the content of an element ends that holds nothing but text. */
function contentEnd(html: string, start: number, name: string): number {
  const ending = new RegExp(`</${name}[\\s/>]`, 'gi')
  ending.lastIndex = start
  return ending.exec(html)?.index ?? html.length
}

const ATTRIBUTE = /([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g

function tagText(name: string, rest: string, window: Window): string {
  const element = name.toLowerCase()
  const links = LINKS[element] ?? []
  let text = `<${element}`
  for (const [, key = '', double, single, bare] of rest.matchAll(ATTRIBUTE)) {
    const attribute = key.toLowerCase()
    const value = unescaped(double ?? single ?? bare ?? '')
    const shown = links.includes(attribute) ? rewriteLink(value, window) : value
    text += ` ${attribute}="${escaped(shown)}"`
  }
  return `${text}${/\/\s*$/.test(rest) ? '/>' : '>'}`
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  '#34': '"',
}
const unescaped = (text: string): string =>
  text.replace(/&([a-z]+|#\d+);/gi, (whole, name: string) => ENTITIES[name.toLowerCase()] ?? whole)

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  '\r': '&#13;',
}
const escaped = (text: string): string => text.replace(/[&'<>"\r]/g, (it) => ESCAPES[it]!)
