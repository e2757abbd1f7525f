import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import type { Pod } from 'kubewright/kinds/core/v1'
import { type ApiServer, createApiServer } from '../../apiserver/index.ts'
import { kubelet } from './kubelet.ts'
import { ContainerLog } from './log.ts'
import type { ContainerStreams, PodAccess } from './pod-access.ts'

const hasKubectl = (() => {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()
const skip = hasKubectl || process.env['CI'] ? false : 'there is no kubectl on this machine'

const NOW = Date.UTC(2026, 0, 1)
const container = (name: string, more: object = {}): object => ({ name, image: 'x', ...more })
const status = (name: string, state: object): object => ({
  name,
  image: 'x',
  imageID: '',
  ready: true,
  restartCount: 0,
  state,
  containerID: 'containerd://1',
})
const RUNNING = { running: { startedAt: '2026-01-01T00:00:00Z' } }

const POD = {
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    nodeName: 'n1',
    containers: [
      container('main'),
      container('terminal', { tty: true, stdin: true }),
      container('late'),
    ],
  },
}
const STATUS = {
  phase: 'Running',
  podIP: '10.0.0.1',
  podIPs: [{ ip: '10.0.0.1' }],
  containerStatuses: [
    {
      ...status('main', RUNNING),
      lastState: { terminated: { exitCode: 1, containerID: 'x://0' } },
    },
    status('terminal', RUNNING),
    status('late', { waiting: { reason: 'ImagePullBackOff' } }),
  ],
}

/** Pods whose containers are this machine: commands are its processes, ports are its ports. */
class Machine implements PodAccess {
  readonly log = new ContainerLog()
  readonly previous = new ContainerLog()
  readonly sizes: string[] = []
  ended = 0

  async logs(...[, options, signal]: Parameters<PodAccess['logs']>): ReturnType<PodAccess['logs']> {
    return (options.previous ? this.previous : this.log).read(options, signal)
  }

  async exec(...[, command, streams, signal]: Parameters<PodAccess['exec']>): Promise<number> {
    const [program = '', ...args] = command
    if (program === 'sizes') return this.#sizes(streams)
    const child = spawn(program, args, { signal, killSignal: 'SIGKILL' })
    if (streams.stdin) streams.stdin.pipe(child.stdin)
    else child.stdin.end()
    if (streams.stdout) child.stdout.pipe(streams.stdout)
    if (streams.stderr) child.stderr.pipe(streams.stderr)
    const closed = once(child, 'close') as Promise<[number | null]>
    const [code] = await closed.catch((error: Error) => {
      if (!signal.aborted) throw error
      return [137] as [number]
    })
    this.ended++
    return code ?? 137
  }

  async #sizes({ resize, stdin, stdout, tty }: ContainerStreams): Promise<number> {
    for await (const { width, height } of resize) {
      stdout?.write(`${width}x${height} tty ${tty}\r\n`)
      break
    }
    stdin?.resume()
    return 0
  }

  async attach(...[of, streams]: Parameters<PodAccess['attach']>): Promise<void> {
    streams.stdout?.write(`attached to ${of.container}\n`)
    if (streams.stdin) streams.stdout?.write((await text(streams.stdin)).toUpperCase())
  }

  async dial(...[, port]: Parameters<PodAccess['dial']>): ReturnType<PodAccess['dial']> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }

  usage(): undefined {
    return undefined
  }
}

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

describe('kubectl', { skip, timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-'))
  const machine = new Machine()
  let server: ApiServer
  let pod: Pod

  const send = async (method: string, path: string, body: object): Promise<object> => {
    const response = await server.fetch(
      new Request(`http://server${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
    assert.ok(response.ok, `${method} ${path}: ${response.status}`)
    return (await response.json()) as object
  }

  before(async () => {
    const usage = { at: NOW, window: 1, cpuCores: 0, cpuSeconds: 0, workingSetBytes: 0 }
    const serve = kubelet({
      node: 'n1',
      startedAt: NOW,
      pods: () => [pod],
      access: machine,
      overhead: () => usage,
      now: () => NOW,
    })
    server = createApiServer({ admission: [], findKubelet: () => serve })
    const pods = '/api/v1/namespaces/default/pods'
    await send('POST', '/api/v1/nodes', { metadata: { name: 'n1' } })
    await send('POST', pods, POD)
    pod = (await send('PUT', `${pods}/web/status`, { ...POD, status: STATUS })) as Pod
    const { kubeconfig } = await server.listen()
    writeFileSync(join(folder, 'kubeconfig'), kubeconfig)
    for (const line of ['one', 'two', 'three'])
      machine.log.append({ at: NOW, stream: 'stdout', bytes: Buffer.from(`${line}\n`) })
    machine.previous.append({ at: NOW, stream: 'stderr', bytes: Buffer.from('before\n') })
  })

  after(async () => {
    await server.close()
    rmSync(folder, { recursive: true })
  })

  const start = (args: readonly string[], spdy = false): ReturnType<typeof spawn> =>
    spawn('kubectl', ['--kubeconfig', join(folder, 'kubeconfig'), ...args], {
      cwd: folder,
      env: {
        ...process.env,
        ...(spdy && {
          KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false',
          KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false',
        }),
      },
    })

  const run = async (
    args: readonly string[],
    { input, spdy }: { input?: string | Buffer; spdy?: boolean } = {},
  ): Promise<Ran> => {
    const child = start(args, spdy)
    child.stdin!.on('error', () => {})
    child.stdin!.end(input ?? '')
    const closed = once(child, 'close') as Promise<[number | null]>
    const [out, err] = await Promise.all([text(child.stdout!), text(child.stderr!)])
    return { code: (await closed)[0], out, err }
  }

  const inMain = (...command: readonly string[]): readonly string[] => [
    'exec',
    '-i',
    'web',
    '-c',
    'main',
    '--',
    ...command,
  ]

  for (const spdy of [false, true]) {
    describe(spdy ? 'over SPDY' : 'over WebSockets', () => {
      test('exec: output, errors and the exit code come back', async () => {
        const script = 'echo out; echo err >&2; exit 3'
        const { code, out, err } = await run(inMain('sh', '-c', script), { spdy })
        assert.deepEqual({ code, out }, { code: 3, out: 'out\n' })
        assert.equal(err, 'err\ncommand terminated with exit code 3\n')
        assert.deepEqual(await run(inMain('true'), { spdy }), { code: 0, out: '', err: '' })
      })

      test('exec: the end of the input is seen, and nothing of it is lost', async () => {
        const input = 'line of a long text\n'.repeat(100_000)
        const { out } = await run(inMain('wc', '-c'), { input, spdy })
        assert.equal(out.trim(), String(input.length))
        const echo = await run(inMain('cat'), { input, spdy })
        assert.equal(echo.out.length, input.length)
        assert.equal(echo.out === input, true)
      })

      test('exec: what cannot be run is told', async () => {
        const { code, err } = await run(inMain('/no/such/program'), { spdy })
        assert.equal(code, 1)
        const why = 'error executing command in container: spawn /no/such/program ENOENT'
        const wrapped = spdy ? 'Internal error occurred: ' : 'Internal error occurred: '.repeat(2)
        assert.equal(err, `error: ${wrapped}${why}\n`)
      })

      test('exec: into what does not run is refused', async () => {
        const { code, err } = await run(['exec', 'web', '-c', 'late', '--', 'ls'], { spdy })
        assert.equal(code, 1)
        assert.equal(err, 'error: unable to upgrade connection: container not found ("late")\n')
      })

      test('cp: folders go in and come out', async () => {
        const here = join(folder, `here-${spdy}`)
        const there = join(folder, `there-${spdy}`)
        mkdirSync(join(here, 'deep'), { recursive: true })
        mkdirSync(there)
        const bytes = Buffer.alloc(700_000, 'kubewright')
        writeFileSync(join(here, 'deep', 'file'), bytes)
        const up = await run(['cp', here, `web:${there}/copy`, '-c', 'main'], { spdy })
        assert.deepEqual(up, { code: 0, out: '', err: '' })
        assert.ok(readFileSync(join(there, 'copy', 'deep', 'file')).equals(bytes))
        const target = join(folder, `back-${spdy}`)
        const down = await run(['cp', `web:${there}/copy/deep`, target, '-c', 'main'], { spdy })
        assert.equal(down.code, 0, down.err)
        assert.ok(readFileSync(join(target, 'file')).equals(bytes))
      })

      test('attach: input and output of the process', async () => {
        const args = ['attach', '-i', 'web', '-c', 'main']
        const { code, out } = await run(args, { input: 'quiet', spdy })
        assert.deepEqual({ code, out }, { code: 0, out: 'attached to main\nQUIET' })
      })

      test('port-forward: several connections, and a port where nobody listens', async () => {
        const echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket))
        echo.listen(0, '127.0.0.1')
        await once(echo, 'listening')
        const { port } = echo.address() as AddressInfo
        const free = createServer().listen(0, '127.0.0.1')
        await once(free, 'listening')
        const closed = (free.address() as AddressInfo).port
        free.close()
        await once(free, 'close')
        const child = start(['port-forward', 'pod/web', `:${port}`, `:${closed}`], spdy)
        let errors = ''
        child.stderr!.on('data', (it: Buffer) => (errors += it.toString()))
        const listens = (it: number): RegExp => new RegExp(`127.0.0.1:(\\d+) -> ${it}\n`)
        const said = await printed(child.stdout!, [listens(port), listens(closed)])
        const [good, bad] = [port, closed].map((it) => Number(listens(it).exec(said)![1]))
        const through = async (sent: string): Promise<string> => {
          const socket = connect(good!, '127.0.0.1')
          socket.end(sent)
          return text(socket)
        }
        const long = 'x'.repeat(300_000)
        const got = await Promise.all(['a', long, 'b'].map(through))
        assert.deepEqual(
          got.map((it) => it.length),
          [1, 300_000, 1],
        )
        const socket = connect(bad!, '127.0.0.1')
        socket.on('error', () => {})
        await once(socket, 'close')
        assert.match(
          errors,
          new RegExp(`error forwarding port ${closed} to pod web, uid .*ECONNREFUSED`),
        )
        child.kill('SIGTERM')
        await once(child, 'close')
        echo.close()
      })

      test('a client that goes away takes its command with it', async () => {
        const before = machine.ended
        const child = start(inMain('sh', '-c', 'echo up; exec sleep 1000'), spdy)
        await line(child.stdout!)
        child.kill('SIGKILL')
        while (machine.ended === before) await new Promise((resolve) => setImmediate(resolve))
      })
    })
  }

  test('logs: last lines, times, sizes, the run before, and what has none', async () => {
    const logs = (...args: readonly string[]): Promise<Ran> => run(['logs', 'web', ...args])
    assert.equal((await logs('-c', 'main')).out, 'one\ntwo\nthree\n')
    assert.equal((await logs('-c', 'main', '--tail=1')).out, 'three\n')
    assert.equal((await logs('-c', 'main', '--limit-bytes=5')).out, 'one\nt')
    assert.equal((await logs('-c', 'main', '--since=10s')).out, 'one\ntwo\nthree\n')
    assert.equal((await logs('-c', 'main', '--since-time=2027-01-01T00:00:00Z')).out, '')
    assert.equal(
      (await logs('-c', 'main', '--tail=1', '--timestamps')).out,
      '2026-01-01T00:00:00.000000000Z three\n',
    )
    assert.equal((await logs('-c', 'main', '--previous')).out, 'before\n')
    const none = await logs('-c', 'terminal', '--previous')
    assert.equal(
      none.err,
      'Error from server (BadRequest): previous terminated container "terminal" in pod "web" not found\n',
    )
    const late = await logs('-c', 'late')
    assert.equal(
      late.err,
      'Error from server (BadRequest): container "late" in pod "web" is waiting to start: trying and failing to pull image\n',
    )
  })

  test('logs -f: what comes is shown as it comes', async () => {
    const child = start(['logs', '-f', 'web', '-c', 'main', '--tail=1'])
    assert.equal(await line(child.stdout!), 'three\n')
    machine.log.append({ at: NOW, stream: 'stdout', bytes: Buffer.from('four\n') })
    assert.equal(await line(child.stdout!), 'four\n')
    machine.log.end()
    const [code] = (await once(child, 'close')) as [number]
    assert.equal(code, 0)
  })
})

/** Reads until all of the patterns are there. */
async function printed(
  stream: NodeJS.ReadableStream,
  patterns: readonly RegExp[],
): Promise<string> {
  let said = ''
  while (!patterns.every((it) => it.test(said))) {
    const [bytes] = (await once(stream, 'data')) as [Buffer]
    said += bytes.toString()
  }
  return said
}

/** Reads a line. */
const line = (stream: NodeJS.ReadableStream): Promise<string> => printed(stream, [/\n/])
