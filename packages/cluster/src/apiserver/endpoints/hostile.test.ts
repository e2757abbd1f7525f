import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fresh, recorded } from '../testing/recorded.ts'

interface Row {
  readonly step: readonly [
    method: string,
    path: string,
    body: object | string | null,
    headers?: Readonly<Record<string, string>>,
  ]
  readonly answer: object
}

/**
 * Asked of kube-apiserver v1.36.3 one after the other: bodies that are none in every encoding, patches of nonsense, names that climb
 * out of their path, queries and headers that say nothing.
 */
const rows = recorded<Row>(new URL('testdata/hostile.json', import.meta.url))

const VARIES: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'time',
  'continue',
])

/** What varies inside of a message that quotes an object. */
const QUOTED = /(\\"(?:uid|resourceVersion|creationTimestamp|time)\\":\\")[^\\]+/g

function settled(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(QUOTED, '$1*')
  if (Array.isArray(value)) return value.map(settled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, it]) => {
      if (key === 'description') return []
      return [[key, VARIES.has(key) && it !== '' ? '*' : settled(it)]]
    }),
  )
}

test('whatever is sent is answered as the real one answers it', async () => {
  const { server } = fresh()
  await using _ = server
  for (const { step, answer } of rows) {
    const [method, path, body, headers = {}] = step
    const sent =
      body === null ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const type: Readonly<Record<string, string>> =
      body === null ? {} : { 'content-type': 'application/json' }
    const init = { method, headers: { ...type, ...headers }, ...sent }
    const response = await server.fetch(new Request(`http://server${path}`, init))
    const given = {
      status: response.status,
      warnings: response.headers.get('warning')?.split(/, (?=299 - ")/) ?? [],
      body: read(await response.text()),
    }
    assert.deepEqual(settled(given), settled(answer), `${method} ${path} ${JSON.stringify(body)}`)
  }
})

function read(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
