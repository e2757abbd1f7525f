import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proxyFor } from './proxy.ts'

const P = 'http://proxy:3128'

test('a proxy-url comes first; then the environment, as Go reads it', () => {
  const cases: readonly (readonly [
    server: string,
    given: string | undefined,
    env: object,
    proxy: string | undefined,
  ])[] = [
    ['https://k.example', 'socks5://s:1', { HTTPS_PROXY: P }, 'socks5://s:1'],
    ['https://k.example', undefined, {}, undefined],
    ['https://k.example', undefined, { HTTPS_PROXY: P }, P],
    ['https://k.example', undefined, { https_proxy: 'proxy:3128' }, P],
    ['http://k.example', undefined, { HTTPS_PROXY: P }, undefined],
    ['http://k.example', undefined, { HTTP_PROXY: P }, P],
    // What is on this machine is never behind a proxy.
    ['https://127.0.0.5:6443', undefined, { HTTPS_PROXY: P }, undefined],
    ['https://localhost:6443', undefined, { HTTPS_PROXY: P }, undefined],
    ['https://[::1]:6443', undefined, { HTTPS_PROXY: P }, undefined],
  ]
  for (const [server, given, env, proxy] of cases)
    assert.equal(
      proxyFor(server, given, env as Record<string, string>),
      proxy,
      `${server} ${JSON.stringify(env)}`,
    )
})

test('NO_PROXY names hosts, domains, addresses and ranges', () => {
  const direct = (server: string, list: string): boolean =>
    proxyFor(server, undefined, { HTTPS_PROXY: P, NO_PROXY: list }) === undefined
  const cases: readonly (readonly [server: string, list: string, direct: boolean])[] = [
    ['https://k.example', 'k.example', true],
    ['https://k.example', 'other, K.EXAMPLE', true],
    ['https://a.k.example', 'k.example', true],
    ['https://ak.example', 'k.example', false],
    ['https://k.example', '.k.example', false],
    ['https://a.k.example', '*.k.example', true],
    ['https://k.example', '*', true],
    ['https://k.example:6443', 'k.example:6443', true],
    ['https://k.example', 'k.example:6443', false],
    ['https://10.1.2.3', '10.0.0.0/8', true],
    ['https://11.1.2.3', '10.0.0.0/8', false],
    ['https://10.1.2.3', '10.1.2.3', true],
    ['https://[fd00::1]', 'fd00::/8', true],
    ['https://10.1.2.3', 'fd00::/8', false],
    ['https://10.1.2.3', '10.0.0.0/99', false],
  ]
  for (const [server, list, expected] of cases)
    assert.equal(direct(server, list), expected, `${server} with NO_PROXY=${list}`)
})

test('a proxy of another sort is refused with its name', () => {
  assert.throws(
    () => proxyFor('https://k', 'ftp://p', {}),
    /proxy-url ftp:\/\/p is not supported: .*socks5/,
  )
  assert.throws(
    () => proxyFor('https://k', undefined, { HTTPS_PROXY: 'ftp://p' }),
    /HTTPS_PROXY ftp/,
  )
})
