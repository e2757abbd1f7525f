import { stripVTControlCharacters } from 'node:util'
import type { Result } from './suite.ts'

/**
 * The tests of a JUnit report as Ginkgo writes it: `[It] name` with a status. Those that were not selected are left out; set-up and
 * tear-down count only where they failed.
 */
export function junitResults(xml: string): readonly Result[] {
  const found: Result[] = []
  for (const [, head = '', body = ''] of xml.matchAll(
    /<testcase ([^>]*?)(?:\/>|>([^]*?)<\/testcase>)/g,
  )) {
    const name = unescape(attribute(head, 'name'))
    const status = attribute(head, 'status')
    const isTest = name.startsWith('[It] ')
    if (status === 'passed' ? !isTest : status === 'skipped' || status === 'pending') {
      if (isTest && status !== 'passed' && !/message="skipped"/.test(body))
        found.push({ name: bare(name), outcome: 'skipped', reason: reasonOf(body) })
      continue
    }
    if (status === 'passed') found.push({ name: bare(name), outcome: 'passed' })
    else found.push({ name: bare(name), outcome: 'failed', reason: reasonOf(body) || status })
  }
  return found
}

const bare = (name: string): string => name.replace(/^\[It\] /, '')

const attribute = (head: string, name: string): string =>
  new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(head)?.[1] ?? ''

/** The first telling words of a failure, in one line. */
function reasonOf(body: string): string {
  const [, head = '', text = ''] =
    /<(?:failure|error|skipped)([^>]*?)(?:\/>|>([^]*?)<\/)/.exec(body) ?? []
  return oneLine(unescape(`${attribute(head, 'message')} ${text}`))
}

/** A text as one line of at most 200 characters, without what differs from run to run. */
export const oneLine = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/\s+/g, ' ')
    .replace(/0x[0-9a-f]{6,}/g, '0x…')
    .replace(/(thread '[^']*') \(\d+\)/g, '$1')
    .replace(/( lookup \S+) on [\d.]+:\d+:/g, '$1:')
    .replace(/\b127\.0\.0\.1:\d+/g, '127.0.0.1:…')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z?/g, '…')
    .replace(/(?:\/[\w.@-]+){3,}\//g, '…/')
    .trim()
    .slice(0, 200)

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

const unescape = (text: string): string =>
  text.replace(/&(#x[\da-fA-F]+|#\d+|\w+);/g, (whole, name: string) => {
    if (name.startsWith('#x')) return String.fromCodePoint(parseInt(name.slice(2), 16))
    if (name.startsWith('#')) return String.fromCodePoint(Number(name.slice(1)))
    return ENTITIES[name] ?? whole
  })
