import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type FakeClock, fakeClock, seededRandom } from 'kubewright/base'
import type { ApiServerOptions } from '../server-options.ts'
import { type ApiServer, createApiServer } from '../server.ts'
import { memoryStorage } from '../storage/memory-storage.ts'

/**
 * Plays a recording of kube-apiserver's answers against a fresh server, and asks for the same. A line that begins with `> ` is a
 * command, the lines below it are the answer:
 *
 *     > v1 = POST /api/v1/namespaces/a/configmaps {"metadata":{"name":"x"}}
 *     201 ConfigMap x@v1
 *     > watch w /api/v1/namespaces/a/configmaps?watch=1&timeoutSeconds=1
 *     200 application/json
 *     > read w rest
 *     ADDED ConfigMap x@now
 *     (end)
 *
 * `v1 =` names the resourceVersion of an answer; in what is shown, versions stand under these names, as `now` from the newest name
 * on, and as `N` otherwise. `${v1+5}` puts one into a path, `${C}` the last continue token, `@b64(…)@` a text in base64. Objects are
 * shown as kind, name and version, everything else with its fields in the order of their names, without uid, creationTimestamp and
 * managedFields. The clock moves on by itself while an answer is waited for.
 */
export async function playRecording(path: string, options: ApiServerOptions = {}): Promise<void> {
  const text = readFileSync(path, 'utf8').trimEnd()
  const player = new RecordingPlayer(options)
  const played: string[] = []
  for (const line of text.split('\n')) {
    if (line.startsWith('> ')) played.push(line, ...(await player.play(line.slice(2))))
    else if (line.startsWith('#')) played.push(line)
  }
  await player.close()
  assert.equal(played.join('\n'), text)
}

const REQUEST = /^(?:(\w+) = )?(GET|POST|PUT|PATCH|DELETE) (\S+)(?: (.*))?$/
const WATCH = /^watch (\w+) (\S+)(?: accept=(.+))?$/
const READ = /^read (\w+) (\d+|rest)$/
/** How far the clock moves at a time, and how long at most for one answer, in milliseconds. */
const STEP = 100
const PATIENCE = 10_000

class RecordingPlayer {
  readonly #clock: FakeClock = fakeClock()
  readonly #server: ApiServer
  readonly #variables = new Map<string, string>()
  readonly #watches = new Map<string, Lines>()
  readonly #shower = new Shower()

  constructor(options: ApiServerOptions) {
    this.#server = createApiServer({
      clock: this.#clock,
      random: seededRandom(1),
      storage: memoryStorage({ freeze: true }),
      ...options,
    })
  }

  async play(command: string): Promise<readonly string[]> {
    const request = REQUEST.exec(command)
    if (request) return [await this.#ask(request[1], request[2]!, request[3]!, request[4])]
    const watch = WATCH.exec(command)
    if (watch) return [await this.#watch(watch[1]!, watch[2]!, watch[3])]
    const read = READ.exec(command)
    if (read) return this.#read(read[1]!, read[2] === 'rest' ? Infinity : Number(read[2]))
    throw new Error(`${JSON.stringify(command)} is no command of a recording`)
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  async #ask(
    name: string | undefined,
    method: string,
    path: string,
    body: string | undefined,
  ): Promise<string> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const headers = body === undefined ? {} : { 'content-type': type }
    const init = { method, headers, ...(body === undefined ? {} : { body: this.#filled(body) }) }
    const response = await this.#moving(this.#server.fetch(this.#request(path, init)))
    const retry = response.headers.get('retry-after')
    const shown = this.#noted((await response.text()).trim(), name)
    return `${response.status} ${shown}${retry ? ` retry-after=${retry}` : ''}`
  }

  async #watch(name: string, path: string, accept: string | undefined): Promise<string> {
    const request = this.#request(path, { headers: accept ? { accept } : {} })
    const response = await this.#server.fetch(request)
    if (response.status !== 200)
      return `${response.status} ${this.#noted((await response.text()).trim(), undefined)}`
    this.#watches.set(name, new Lines(response.body!))
    return `200 ${response.headers.get('content-type')}`
  }

  async #read(name: string, count: number): Promise<readonly string[]> {
    const lines = this.#watches.get(name)
    if (!lines) throw new Error(`no watch is called ${name}`)
    const read: string[] = []
    for (let waited = 0; read.length < count;) {
      await settled()
      const line = lines.take()
      if (line !== undefined) {
        const { type, object } = JSON.parse(line) as { type: string; object: Json }
        read.push(`${type} ${this.#shower.shown(object)}`)
      } else if (lines.ended) return [...read, '(end)']
      else if (waited >= PATIENCE) return [...read, '(nothing more)']
      else await this.#clock.advance(STEP).then(() => (waited += STEP))
    }
    return read
  }

  /** Waits for an answer, and turns the clock meanwhile. */
  async #moving<T>(pending: Promise<T>): Promise<T> {
    let done = false
    const finish = (): void => void (done = true)
    pending.then(finish, finish)
    for (let waited = 0; ; waited += STEP) {
      await settled()
      if (done || waited >= PATIENCE) return pending
      await this.#clock.advance(STEP)
    }
  }

  #request(path: string, init: RequestInit): Request {
    return new Request(`http://server${encodeURI(this.#filled(path)).replaceAll('%25', '%')}`, init)
  }

  #filled(text: string): string {
    return text
      .replace(/\$\{(\w+)([+-]\d+)?\}/g, (_, name: string, more?: string) => {
        const value = this.#variables.get(name) ?? ''
        return more ? String(Number(value) + Number(more)) : value
      })
      .replace(/@b64\((.*?)\)@/g, (_, plain: string) => Buffer.from(plain).toString('base64url'))
  }

  #noted(text: string, name: string | undefined): string {
    if (!text.startsWith('{')) return text
    const value = JSON.parse(text) as Json
    const { resourceVersion, continue: token } = (value['metadata'] ?? {}) as Record<string, string>
    if (token) this.#variables.set('C', token)
    if (name && resourceVersion) {
      this.#variables.set(name, resourceVersion)
      this.#shower.name(resourceVersion, name)
    }
    return this.#shower.shown(value)
  }
}

type Json = Record<string, unknown>

const OMITTED: ReadonlySet<string> = new Set(['managedFields', 'uid', 'creationTimestamp'])

/** Shows answers in a form that does not differ from run to run. */
class Shower {
  readonly #names = new Map<string, string>()
  #newest = 0

  name(version: string, name: string): void {
    if (this.#names.has(version)) return
    this.#names.set(version, name)
    this.#newest = Math.max(this.#newest, Number(version))
  }

  shown(value: Json): string {
    const kind = String(value['kind'])
    const { items } = value
    if (Array.isArray(items) && kind.endsWith('List')) {
      const short = { ...value, items: items.map((it: Json) => this.#short(it)).join(' ') }
      return JSON.stringify(sorted(short), this.#field)
    }
    const named = (value['metadata'] as Json | undefined)?.['name'] !== undefined
    if (named && kind !== 'Status') return `${kind} ${this.#short(value)}`
    return JSON.stringify(sorted(value), this.#field)
  }

  #short(value: Json): string {
    const { name, resourceVersion } = value['metadata'] as Record<string, string>
    return `${name}@${this.#versionName(resourceVersion!)}`
  }

  #versionName(version: string): string {
    return Number(version) >= this.#newest ? 'now' : (this.#names.get(version) ?? 'N')
  }

  readonly #field = (key: string, value: unknown): unknown => {
    if (OMITTED.has(key)) return undefined
    if (typeof value !== 'string') return value
    if (key === 'resourceVersion' && /^\d+$/.test(value)) return this.#versionName(value)
    if (key === 'continue' && value !== '') return this.#tokenText(value)
    if (key !== 'message') return value
    return value
      .replace(/current: \d+/, 'current: now')
      .replace(/(Too large resource version: )1\d{5},/, '$1future,')
  }

  #tokenText(token: string): string {
    const { rv, start } = JSON.parse(Buffer.from(token, 'base64url').toString()) as {
      rv: number
      start: string
    }
    return `<${rv < 0 ? rv : this.#versionName(String(rv))} ${start}>`
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, it]) => [key, sorted(it)]))
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** The lines of a stream, read as they come. */
class Lines {
  readonly #lines: string[] = []
  ended = false

  constructor(body: ReadableStream<Uint8Array>) {
    void this.#pump(body)
  }

  take(): string | undefined {
    return this.#lines.shift()
  }

  async #pump(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = parts.pop()!
      this.#lines.push(...parts)
    }
    this.ended = true
  }
}
