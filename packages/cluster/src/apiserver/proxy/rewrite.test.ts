import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rewriteLink, rewritePage, type Window } from './rewrite.ts'

const window: Window = {
  scheme: '',
  host: '',
  prefix: '/api/v1/namespaces/x/services/y/proxy',
  upstream: '10.0.0.7:80',
  asked: 'cluster.example:6443',
}

test('a link to the page’s own server leads back through the proxy', () => {
  const P = window.prefix
  const cases: readonly (readonly [string, string])[] = [
    ['/a/b', `${P}/a/b`],
    ['/a/', `${P}/a/`],
    ['/', `${P}/`],
    ['/a?x=1#y', `${P}/a?x=1#y`],
    [`${P}/a`, `${P}/a`],
    ['a/b', 'a/b'],
    ['#top', '#top'],
    ['', ''],
    ['http://10.0.0.7:80/a', `${P}/a`],
    ['https://cluster.example:6443/a', `https://cluster.example:6443${P}/a`],
    ['//other.example/a', '//other.example/a'],
    ['https://other.example/a', 'https://other.example/a'],
    ['mailto:jane@example.com', 'mailto:jane@example.com'],
  ]
  for (const [link, expected] of cases) assert.equal(rewriteLink(link, window), expected, link)
})

test('only links in attributes of tags are rewritten', () => {
  const page = `<!DOCTYPE html><HTML><!-- <a href="/no"> --><a class=x HREF='/a&amp;b'>/text</a><img src="/i.png"/>
<script src="/s.js">var x = '<a href="/no">'</script><p title="/no">"quoted" 1 < 2</p><input disabled>`
  assert.equal(
    rewritePage(page, { ...window, prefix: '/p' }),
    `<!DOCTYPE html><html><!-- <a href="/no"> --><a class="x" href="/p/a&amp;b">/text</a><img src="/p/i.png"/>
<script src="/p/s.js">var x = '<a href="/no">'</script><p title="/no">"quoted" 1 < 2</p><input disabled="">`,
  )
})

test('a page that never ends is rewritten in the time of its length', () => {
  const endless = `${'<a href="/x" '.repeat(20_000)}`
  assert.equal(rewritePage(endless, window), endless)
})
