import { BlockList, isIP } from 'node:net'
import { ConfigurationError } from '../exchange.ts'

/** Which schemes a proxy may have (client-go tools/clientcmd: `proxy-url`). */
const SCHEMES = ['http:', 'https:', 'socks5:']

type Env = Readonly<Record<string, string | undefined>>

/**
 * The proxy through which a server is reached: the cluster's `proxy-url`, else what HTTPS_PROXY (HTTP_PROXY for an http server) and
 * NO_PROXY say, in either case of letters, as Go reads them (golang.org/x/net/http/httpproxy). Undefined when there is none. Throws a
 * ConfigurationError for a proxy of another sort.
 */
export function proxyFor(server: string, given: string | undefined, env: Env): string | undefined {
  if (given) return checked(given, 'proxy-url')
  const url = new URL(server)
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const proxy = env[name] || env[name.toLowerCase()]
  if (!proxy || bypasses(url, env['NO_PROXY'] || env['no_proxy'] || '')) return undefined
  // Without a scheme, Go takes it for http.
  return checked(/^[a-z0-9+.-]+:\/\//i.test(proxy) ? proxy : `http://${proxy}`, name)
}

function checked(proxy: string, name: string): string {
  const url = URL.canParse(proxy) ? new URL(proxy) : undefined
  if (url && SCHEMES.includes(url.protocol)) return proxy
  throw new ConfigurationError(
    `${name} ${proxy} is not supported: a URL with http, https or socks5 was expected`,
  )
}

/** Whether a server is reached without a proxy: it is this machine, or NO_PROXY names it. */
function bypasses(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase()
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  if (host === 'localhost' || inRange(host, '127.0.0.0/8') || host === '::1') return true
  return list.split(',').some((it) => covers(it.trim().toLowerCase(), host, port))
}

function covers(entry: string, host: string, port: string): boolean {
  if (entry === '') return false
  if (entry === '*') return true
  if (entry.includes('/')) return inRange(host, entry)
  const [, name = '', onlyPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? []
  if (isIP(entry)) return entry === host
  if (onlyPort && onlyPort !== port) return false
  const plain = name.replace(/^\*/, '')
  // `.example.com` means those below it only, `example.com` itself too.
  if (plain.startsWith('.')) return host.endsWith(plain)
  return host === plain || host.endsWith(`.${plain}`)
}

function inRange(host: string, range: string): boolean {
  const [network = '', bits = ''] = range.split('/')
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4'
  if (isIP(network) === 0 || isIP(host) !== isIP(network) || !/^\d+$/.test(bits)) return false
  const most = family === 'ipv6' ? 128 : 32
  if (Number(bits) > most) return false
  const list = new BlockList()
  list.addSubnet(network, Number(bits), family)
  return list.check(host, family)
}
