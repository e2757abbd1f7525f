import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type Duplex, duplexPair, PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import type { Pod } from 'kubewright/kinds/core/v1'
import type { Answer, ApiRequest } from '../../apiserver/http/message.ts'
import { frame } from '../../apiserver/http/websocket.ts'
import { kubelet } from './kubelet.ts'
import type { KubeletHost, PodAccess, Usage } from './pod-access.ts'

const NOW = Date.UTC(2026, 0, 1)
const usage = (cpuCores: number, mebibytes: number): Usage => ({
  at: NOW,
  window: 15_000,
  cpuCores,
  cpuSeconds: cpuCores * 100,
  workingSetBytes: mebibytes * 2 ** 20,
})

const POD = {
  metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
  spec: { containers: [{ name: 'main' }, { name: 'ended' }, { name: 'proxy' }] },
  status: {
    startTime: '2026-01-01T00:00:00Z',
    containerStatuses: [
      { name: 'main', state: { running: {} } },
      { name: 'ended', state: { terminated: { exitCode: 0 } } },
      { name: 'proxy', state: { running: {} } },
    ],
  },
} as unknown as Pod

/** Answers commands in the shape of an echo; what its methods got is in what they write. */
const ACCESS: PodAccess = {
  logs: () => Promise.reject(new Error('the disk is gone')),
  exec: async ({ container }, command, { stdin, stdout, stderr, tty, resize }) => {
    const sizes: string[] = []
    if (tty)
      for await (const { width, height } of resize)
        if (sizes.push(`${width}x${height}`) === 2) break
    stdout?.write(`${container} ${command.join(' ')}|${sizes.join(' ')}|${tty}|`)
    if (stdin) stdout?.write(await text(stdin))
    stderr?.write('errors')
    return Number(command[1] ?? 0)
  },
  attach: async (_, { stdout }) => void stdout?.write('attached'),
  dial: async (_, port) => {
    if (port === 81) throw new Error('nobody listens')
    return new PassThrough()
  },
  usage: () => ({
    containers: ['main', 'ended', 'proxy'].map((name, index) => ({
      name,
      startedAt: NOW - 60_000,
      ...usage(index + 0.25, 10),
    })),
  }),
}

const HOST: KubeletHost = {
  node: 'n1',
  startedAt: NOW - 3_600_000,
  pods: () => [POD],
  access: ACCESS,
  overhead: () => usage(0.5, 100),
  now: () => NOW,
}

function asked(target: string, headers: Readonly<Record<string, string>> = {}): ApiRequest {
  const url = new URL(target, 'http://node')
  return {
    method: 'GET',
    path: url.pathname,
    query: url.searchParams,
    header: (name) => headers[name],
    headers: () => Object.entries(headers),
    signal: new AbortController().signal,
    peer: { kind: 'local', user: { name: 'x', groups: [] } },
    body: async () => Buffer.alloc(0),
    stream: async function* () {},
  }
}

const ask = (target: string, headers?: Readonly<Record<string, string>>): Promise<Answer> =>
  kubelet(HOST)(asked(target, headers))

/** A client with a WebSocket: what came is in `got`, a line for each message. */
class Browser {
  readonly got: string[] = []
  readonly #socket: Duplex
  #rest: Buffer = Buffer.alloc(0)

  private constructor(socket: Duplex) {
    this.#socket = socket
    socket.on('data', (bytes: Buffer) => this.#receive(bytes))
  }

  static async open(target: string, protocol?: string): Promise<Browser> {
    const answer = await ask(target, {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'MDEyMzQ1Njc4OWFiY2RlZg==',
      ...(protocol !== undefined && { 'sec-websocket-protocol': protocol }),
    })
    assert.equal(answer.status, 101)
    assert.equal(answer.headers['sec-websocket-protocol'], protocol ?? '')
    const [near, far] = duplexPair()
    const browser = new Browser(near)
    answer.tunnel!(far)
    return browser
  }

  send(payload: Buffer | string): this {
    const plain = frame(typeof payload === 'string' ? 'text' : 'binary', Buffer.from(payload))
    const start = plain.length - payload.length
    const head = Buffer.from(plain.subarray(0, start))
    head[1]! |= 0x80
    this.#socket.write(Buffer.concat([head, Buffer.alloc(4), plain.subarray(start)]))
    return this
  }

  async closed(): Promise<readonly string[]> {
    await once(this.#socket, 'end')
    return this.got
  }

  #receive(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes])
    while (this.#rest.length >= 2) {
      const [first = 0, short = 0] = this.#rest
      const size = short === 126 ? 4 : 2
      const end = size + (size === 4 ? this.#rest.readUInt16BE(2) : short)
      if (this.#rest.length < end) return
      const payload = this.#rest.subarray(size, end)
      const isText = (first & 15) === 1
      if ((first & 15) === 8) this.got.push('closed')
      else this.got.push(isText ? payload.toString() : `${payload[0]}:${payload.subarray(1)}`)
      this.#rest = this.#rest.subarray(end)
    }
  }
}

const on = (channel: number, payload: string): Buffer =>
  Buffer.concat([Buffer.of(channel), Buffer.from(payload)])

const EXEC = '/exec/shop/web/main?command=echo&output=1&error=1'

describe('streams over WebSockets', () => {
  test('v5: the client half-closes its input, and statuses are those of an API server', async () => {
    const browser = await Browser.open(`${EXEC}&input=1&command=3`, 'v5.channel.k8s.io')
    browser.send(on(0, 'he')).send(on(0, 'llo')).send(Buffer.of(255, 0)).send(on(0, 'late'))
    const status = {
      metadata: {},
      status: 'Failure',
      message: 'command terminated with non-zero exit code: command terminated with exit code 3',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    }
    const got = await browser.closed()
    assert.equal(got[0], '1:')
    assert.deepEqual(
      got.filter((it) => it.startsWith('1:') || it.startsWith('3:')),
      ['1:', '1:main echo 3||false|', '1:hello', `3:${JSON.stringify(status)}`],
    )
    assert.ok(got.includes('2:errors'))
    assert.equal(got.at(-1), 'closed')
  })

  test('v4: statuses are the kubelet’s own, in base64 too', async () => {
    const browser = await Browser.open(EXEC, 'v4.channel.k8s.io')
    assert.equal((await browser.closed()).at(-2), '3:{"status":"Success"}')
    const text64 = await Browser.open(EXEC, 'v4.base64.channel.k8s.io')
    const base64 = (channel: number, it: string): string =>
      `${channel}${Buffer.from(it).toString('base64')}`
    // Two streams need not wait for each other.
    assert.deepEqual(
      new Set(await text64.closed()),
      new Set([
        '1',
        base64(1, 'main echo||false|'),
        base64(2, 'errors'),
        base64(3, '{"status":"Success"}'),
        'closed',
      ]),
    )
  })

  test('before v4 only failures are told, in words; a client may name no protocol', async () => {
    const well = await Browser.open(EXEC)
    assert.equal((await well.closed()).at(-2), '3:')
    const badly = await Browser.open(`${EXEC}&command=7`, 'channel.k8s.io')
    assert.equal(
      (await badly.closed()).at(-2),
      '3:command terminated with non-zero exit code: error executing command [echo 7], exit code 7',
    )
  })

  test('the sizes of a terminal come in, however they are sent; it has one output', async () => {
    const browser = await Browser.open(`${EXEC}&tty=1`, 'v5.channel.k8s.io')
    browser.send(on(4, '{"Width":80,"Hei')).send(on(4, 'ght":24}\n{"Width":100,"Height":40}'))
    const got = await browser.closed()
    assert.deepEqual(got.slice(1, -2), ['1:main echo|80x24 100x40|true|'])
  })

  test('ports: two channels each, with the port first', async () => {
    const browser = await Browser.open('/portForward/shop/web?port=80&port=81', 'v4.channel.k8s.io')
    browser.send(on(0, 'hello'))
    await new Promise((resolve) => setImmediate(resolve))
    const failure = 'error forwarding port 81 to pod web, uid u1: nobody listens'
    const ports = [0, 1, 2, 3].map((it) => `${it}:${it < 2 ? 'P' : 'Q'}\0`)
    assert.deepEqual(browser.got, [...ports, `3:${failure}`, '0:hello'])
  })
})

describe('what cannot be', () => {
  const body = async (
    target: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<string> => {
    const answer = await ask(target, headers)
    return `${answer.status} ${String(answer.body ?? '')}`
  }
  const upgrade = { connection: 'Upgrade', upgrade: 'SPDY/3.1' }

  test('is refused in the words of a kubelet', async () => {
    assert.equal(await body('/exec/shop/nobody/main?output=1'), '404 pod does not exist')
    assert.equal(await body('/exec/shop/web/ended?output=1'), '500 container not found ("ended")')
    assert.equal(
      await body('/attach/shop/web/ended?output=1'),
      '500 container ended not found in pod web_shop',
    )
    assert.equal(
      await body('/exec/shop/web/main'),
      '400 you must specify at least 1 of stdin, stdout, stderr',
    )
    assert.equal(
      await body(EXEC, upgrade),
      '400 unable to upgrade: header X-Stream-Protocol-Version does not exist in request with 2 headers\n',
    )
    assert.equal(
      await body(EXEC, { ...upgrade, 'x-stream-protocol-version': 'v9, v8' }),
      '403 unable to upgrade: unable to negotiate protocol: client supports [v9 v8], server accepts [v4.channel.k8s.io v3.channel.k8s.io v2.channel.k8s.io channel.k8s.io]\n',
    )
    assert.equal(await body('/containerLogs/shop/web/main'), '400 the disk is gone')
    assert.equal(
      await body('/containerLogs/shop/web/none'),
      '404 container "none" not found in pod "web"',
    )
    assert.equal(await body('/unknown'), '404 404 page not found\n')
    assert.equal(await body('/healthz'), '200 ok')
  })
})

describe('what is used', () => {
  test('is summed up for the node and its pods: containers that run', async () => {
    const { body } = await ask('/stats/summary')
    const { node, pods } = JSON.parse(String(body)) as {
      node: { nodeName: string; cpu: { usageNanoCores: number } }
      pods: { podRef: object; cpu: object; memory: object; containers: { name: string }[] }[]
    }
    assert.deepEqual([node.nodeName, node.cpu.usageNanoCores], ['n1', 3e9])
    assert.deepEqual(pods[0]!.podRef, { namespace: 'shop', name: 'web', uid: 'u1' })
    assert.deepEqual(
      pods[0]!.containers.map((it) => it.name),
      ['main', 'proxy'],
    )
    assert.deepEqual(pods[0]!.cpu, {
      time: '2026-01-01T00:00:00Z',
      usageNanoCores: 2.5e9,
      usageCoreNanoSeconds: 250e9,
    })
  })

  test('can be scraped', async () => {
    const { body, headers } = await ask('/metrics/resource')
    assert.match(String(headers['content-type']), /^text\/plain; version=0.0.4/)
    const rows = String(body)
      .split('\n')
      .filter((it) => it !== '' && !it.startsWith('#'))
    assert.deepEqual(rows.slice(0, 2), [
      `container_cpu_usage_seconds_total{container="main",namespace="shop",pod="web"} 25 ${NOW}`,
      `container_cpu_usage_seconds_total{container="proxy",namespace="shop",pod="web"} 225 ${NOW}`,
    ])
    assert.ok(rows.includes(`node_cpu_usage_seconds_total 300 ${NOW}`))
    assert.ok(
      rows.includes(`pod_memory_working_set_bytes{namespace="shop",pod="web"} 20971520 ${NOW}`),
    )
  })

  test('the pods of the node are listed', async () => {
    const { body } = await ask('/pods')
    assert.deepEqual((JSON.parse(String(body)) as { items: object[] }).items, [POD])
  })
})
