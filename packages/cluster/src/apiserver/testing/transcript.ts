import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { type FakeClock, fakeClock, seededRandom } from 'kubewright/base'
import { createApiServer, memoryStorage } from '../index.ts'

/**
 * Runs a transcript: a text of commands, each with what the server answers below it, against a fresh server whose clock stands still
 * and whose chance repeats. With UPDATE_GOLDEN=1 in the environment the answers are written instead of compared.
 *
 *     POST /api/v1/namespaces/default/configmaps {"metadata":{"name":"a"}}
 *     ----
 *     201 {"kind":"ConfigMap", …}
 *
 * Besides the methods there are `as NAME` (a user to impersonate from here on; `as -` ends it), `accept TYPE`, `watch NAME PATH`,
 * `read NAME COUNT` (or `rest`), `send NAME METHOD PATH`, `answer NAME`, `advance MILLISECONDS`, and `settle` (lets what goes on by
 * itself happen). A PATCH names its dialect before the body. managedFields are left out of what is shown unless the command begins
 * with `full`. In a path, `$version` and `$continue` stand for those of the last answer, `$next` for the version after it.
 */
export async function runTranscript(path: string): Promise<void> {
  const text = readFileSync(path, 'utf8')
  const blocks = text.trimEnd().split(/\n{2,}/)
  const player = new Player()
  const played: string[] = []
  for (const block of blocks) {
    const [command = ''] = block.split('\n----')
    if (command.startsWith('#')) played.push(command.trimEnd())
    else played.push(`${command.trimEnd()}\n----\n${await player.play(command)}`.trimEnd())
  }
  await player.close()
  const result = `${played.join('\n\n')}\n`
  if (process.env['UPDATE_GOLDEN']) writeFileSync(path, result)
  else assert.equal(result, text)
}

const DIALECTS: Readonly<Record<string, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
}

const METHODS = /^(full )?(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\S+)(?: ([^]*))?$/

class Player {
  readonly #clock: FakeClock = fakeClock()
  readonly #server = createApiServer({
    clock: this.#clock,
    random: seededRandom(1),
    storage: memoryStorage({ freeze: true, window: 200 }),
  })
  readonly #watches = new Map<string, Lines>()
  readonly #sent = new Map<string, Promise<string>>()
  #user = ''
  #accept = ''
  #version = 0
  #continue = ''

  async play(command: string): Promise<string> {
    const request = METHODS.exec(command)
    if (request) {
      const [, full, method = '', path = '', rest = ''] = request
      return this.#ask(method, path, rest, full !== undefined)
    }
    const [word = '', name = '', ...rest] = command.split(' ')
    switch (word) {
      case 'as':
        this.#user = name === '-' ? '' : name
        return ''
      case 'accept':
        this.#accept = name === '-' ? '' : [name, ...rest].join(' ')
        return ''
      case 'watch':
        return this.#watch(name, rest.join(' '))
      case 'read':
        return this.#watches.get(name)!.read(rest[0] ?? '1')
      case 'send':
        this.#sent.set(name, this.#ask(rest[0]!, rest[1]!, rest.slice(2).join(' '), false))
        await settled()
        return ''
      case 'answer':
        return this.#sent.get(name)!
      case 'advance':
        await this.#clock.advance(Number(name))
        return ''
      case 'settle':
        await settled()
        return ''
      default:
        throw new Error(`${JSON.stringify(command)} is no command of a transcript`)
    }
  }

  async close(): Promise<void> {
    await this.#server.close()
  }

  #request(method: string, path: string, rest: string): Request {
    const [dialect = '', ...body] = method === 'PATCH' ? rest.split(' ') : ['', rest]
    const content = body.join(' ')
    const headers: Record<string, string> = { 'user-agent': 'transcript/1' }
    if (this.#user) headers['impersonate-user'] = this.#user
    if (this.#accept) headers['accept'] = this.#accept
    if (content !== '') headers['content-type'] = DIALECTS[dialect] ?? 'application/json'
    const init = { method, headers, ...(content === '' ? {} : { body: content }) }
    const filled = path
      .replace('$version', String(this.#version))
      .replace('$next', String(this.#version + 1))
      .replace('$continue', this.#continue)
    return new Request(`http://server${filled}`, init)
  }

  async #ask(method: string, path: string, rest: string, full: boolean): Promise<string> {
    const response = await this.#server.fetch(this.#request(method, path, rest))
    const text = (await response.text()).trimEnd()
    const warning = response.headers.get('warning')
    const json = response.headers.get('content-type')?.startsWith('application/json')
    const body = json && text !== '' ? shown(this.#noted(JSON.parse(text)), full) : text
    return [...(warning ? [`warning: ${warning}`] : []), `${response.status} ${body}`].join('\n')
  }

  #noted(value: { readonly metadata?: Record<string, string> }): unknown {
    const { resourceVersion, continue: token } = value.metadata ?? {}
    if (resourceVersion) this.#version = Number(resourceVersion)
    if (token) this.#continue = token
    return value
  }

  async #watch(name: string, path: string): Promise<string> {
    const response = await this.#server.fetch(this.#request('GET', path, ''))
    this.#watches.set(name, new Lines(response.body!))
    return String(response.status)
  }
}

/** Lets what was started go on until nothing more happens by itself. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

function shown(value: unknown, full: boolean): string {
  return JSON.stringify(value, (key, it: unknown) =>
    key === 'managedFields' && !full ? undefined : it,
  )
}

/** The lines of a stream, taken one by one. */
class Lines {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  #buffer = ''

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader()
  }

  async read(count: string): Promise<string> {
    const lines: string[] = []
    const wanted = count === 'rest' ? Infinity : Number(count)
    while (lines.length < wanted) {
      const line = await this.#line()
      if (line === undefined) return [...lines, '(end)'].join('\n')
      const { type, object } = JSON.parse(line) as { type: string; object: unknown }
      lines.push(`${type} ${shown(object, false)}`)
    }
    return lines.join('\n')
  }

  async #line(): Promise<string | undefined> {
    for (;;) {
      const at = this.#buffer.indexOf('\n')
      if (at >= 0) {
        const line = this.#buffer.slice(0, at)
        this.#buffer = this.#buffer.slice(at + 1)
        return line
      }
      const { done, value } = await this.#reader.read()
      if (done) return undefined
      this.#buffer += this.#decoder.decode(value, { stream: true })
    }
  }
}
