import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import { fakeClock } from '../../base/clock.ts'
import { isForbidden } from '../../machinery/status.ts'
import { UnreachableError } from '../answer.ts'
import { createClient, type Client } from '../client.ts'
import { copyFrom, copyTo } from './copy.ts'
import { runIn } from './exec.ts'
import { forwardPort } from './forward-port.ts'
import { kubeconfigOf, podServer, type Peer } from './pod.fixture.ts'
import { decodeTar, encodeTarEntry, TAR_END, type TarEntry } from './tar.ts'

const STDIN = 0
const STDOUT = 1
const STDERR = 2
const ERROR = 3
const CLOSE = 255

const success = JSON.stringify({ kind: 'Status', status: 'Success' })
const exitCode = (code: number): string =>
  JSON.stringify({
    kind: 'Status',
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  })

async function clientFor(
  t: TestContext,
  behave: (peer: Peer) => void,
  options: Parameters<typeof podServer>[2] = {},
): Promise<Client> {
  const server = await podServer(t, behave, options)
  const client = createClient({ kubeconfig: kubeconfigOf(server) })
  t.after(() => client.close())
  return client
}

/** A pod in which every command is `cat`, that says on standard error how it was called, and ends with code 3. */
function cat(peer: Peer): void {
  peer.send(STDERR, peer.url.pathname + peer.url.search)
  peer.onMessage = (message) => {
    if (message[0] === STDIN) peer.send(STDOUT, message.subarray(1))
    if (message[0] !== CLOSE) return
    peer.send(ERROR, exitCode(3))
    peer.close()
  }
}

test('a command gets its input, and answers with its output and its exit code', async (t) => {
  const client = await clientFor(t, cat)
  const ran = await runIn(client, 'web', ['cat', '-n', 'a b'], { container: 'c', input: 'hello' })
  assert.deepEqual(ran, {
    code: 3,
    stdout: 'hello',
    stderr:
      '/api/v1/namespaces/ns/pods/web/exec?command=cat&command=-n&command=a+b&container=c&stdin=true&stdout=true&stderr=true',
  })
})

test('output larger than a frame comes whole, in order, between pings', async (t) => {
  const large = Buffer.from(Array.from({ length: 200_000 }, (_, i) => i % 251))
  const client = await clientFor(t, (peer) => {
    peer.sendInParts(Buffer.concat([Buffer.from([STDOUT]), large]), 7)
    peer.send(STDOUT, large.subarray(0, 70_000))
    peer.send(ERROR, success)
    peer.close()
  })
  const session = await client.exec('web', ['x'])
  const parts: Buffer[] = []
  for await (const { bytes } of session.output) parts.push(bytes)
  assert.ok(Buffer.concat(parts).equals(Buffer.concat([large, large.subarray(0, 70_000)])))
  assert.equal(await session.exit(), 0)
})

test('a terminal is resized; attach joins what runs', async (t) => {
  const said: string[] = []
  const client = await clientFor(t, (peer) => {
    said.push(peer.url.pathname + peer.url.search)
    peer.onMessage = (message) => {
      said.push(message.toString('latin1'))
      peer.send(ERROR, success)
      peer.close()
    }
  })
  await using session = await client.attach('other/web', { stdin: true, tty: true })
  await session.resize({ width: 80, height: 24 })
  assert.equal(await session.exit(), 0)
  assert.deepEqual(said, [
    '/api/v1/namespaces/other/pods/web/attach?stdin=true&stdout=true&tty=true',
    '\u0004{"Width":80,"Height":24}',
  ])
})

test('a server of v4 cannot end an input, and says so; the command runs all the same', async (t) => {
  const client = await clientFor(
    t,
    (peer) => {
      peer.onMessage = () => {
        peer.send(ERROR, success)
        peer.close()
      }
    },
    { speaks: ['v4.channel.k8s.io'] },
  )
  await using session = await client.exec('web', ['sh'], { stdin: true })
  await assert.rejects(session.endInput(), /speaks v4\.channel\.k8s\.io, which cannot end an input/)
  await session.write('exit\n')
  assert.equal(await session.exit(), 0)
})

test('a refusal is the ApiError that the server sent; a command that cannot be run is one too', async (t) => {
  const refused = await clientFor(t, cat, { refuses: 403 })
  await assert.rejects(
    refused.exec('web', ['x']),
    (error: unknown) => isForbidden(error) && /no exec for you/.test(String(error)),
  )
  const broken = await clientFor(t, (peer) => {
    peer.send(
      ERROR,
      JSON.stringify({
        kind: 'Status',
        status: 'Failure',
        reason: 'InternalError',
        message: 'no such executable',
      }),
    )
    peer.close()
  })
  await assert.rejects(runIn(broken, 'web', ['x']), /no such executable/)
  const cut = await clientFor(t, (peer) => void peer.socket.destroy())
  await assert.rejects(
    runIn(cut, 'web', ['x']),
    /the connection ended before|no answer from the API server/,
  )
})

test('an aborted signal ends a session; an in-process server has none', async (t) => {
  const client = await clientFor(t, () => {})
  const stopping = new AbortController()
  const session = await client.exec('web', ['sleep'], { signal: stopping.signal })
  const ended = assert.rejects(session.exit(), /enough/)
  stopping.abort(new Error('enough'))
  await ended
  const inside = createClient({ transport: async () => new Response() })
  await assert.rejects(inside.exec('web', ['x']), /let the server listen and use its kubeconfig/)
})

test('a connection on which nothing is heard is given up', async (t) => {
  const clock = fakeClock()
  const server = await podServer(t, () => {})
  const client = createClient({ kubeconfig: kubeconfigOf(server), clock })
  t.after(() => client.close())
  const socket = await client.webSocket({ method: 'GET', path: '/x' }, [])
  const ended = assert.rejects(async () => {
    for await (const _ of socket.messages) assert.fail('nothing was sent')
  }, UnreachableError)
  await clock.advance(90_000)
  await ended
})

test("Node's own WebSocket agrees with the frames", async (t) => {
  const server = await podServer(t, (peer) => {
    peer.onMessage = (message) => peer.sendInParts(message, 3)
  })
  const socket = new WebSocket(server.replace('http', 'ws'))
  socket.binaryType = 'arraybuffer'
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  for (const size of [5, 200, 70_000]) {
    const sent = Buffer.alloc(size, 'x')
    const answer = new Promise<Buffer>((resolve) =>
      socket.addEventListener('message', (it) => resolve(Buffer.from(it.data as ArrayBuffer)), {
        once: true,
      }),
    )
    socket.send(sent)
    assert.ok((await answer).equals(sent))
  }
  socket.close()
})

/** A pod at whose port an echo listens. */
function echo(peer: Peer): void {
  const port = Buffer.from([80, 0])
  peer.send(0, port)
  peer.send(1, port)
  peer.onMessage = (message) => {
    peer.send(0, message.subarray(1))
    if (message.includes('bye')) peer.close()
  }
}

test('a port of a pod becomes a local one, for many at once', async (t) => {
  const client = await clientFor(t, echo)
  await using forwarded = await forwardPort(client, 'web', 80)
  const ask = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let said = ''
      const socket = connect(forwarded.port, '127.0.0.1', () => socket.write(text))
      socket.setEncoding('utf8').on('data', (it: string) => (said += it))
      socket.on('end', () => resolve(said)).on('error', reject)
    })
  const asked = ['one bye', 'two bye', `${'x'.repeat(100_000)}bye`]
  assert.deepEqual(await Promise.all(asked.map(ask)), asked)
})

test('a port at which nobody listens is told, and the local port stays', async (t) => {
  const client = await clientFor(t, (peer) => {
    peer.send(0, Buffer.from([80, 0]))
    peer.send(1, Buffer.from([80, 0]), 'connection refused')
    peer.close()
  })
  const told: unknown[] = []
  const heard = Promise.withResolvers<void>()
  const onError = (error: unknown): void => {
    told.push(error)
    heard.resolve()
  }
  await using forwarded = await forwardPort(client, 'web', 80, { onError })
  const socket = connect(forwarded.port, '127.0.0.1')
  socket.on('error', () => {})
  await heard.promise
  assert.match(String(told[0]), /port forwarding to web:80 failed: connection refused/)
  await assert.rejects(client.portForward('web', 70_000), /70000 is no port of a pod/)
})

const FILES: readonly TarEntry[] = [
  { name: 'app', type: 'folder', mode: 0o755 },
  { name: 'app/a.txt', type: 'file', mode: 0o644, content: Buffer.from('hello') },
  {
    name: `app/${'long/'.repeat(40)}é.bin`,
    type: 'file',
    mode: 0o600,
    content: Buffer.alloc(1_000, 7),
  },
  { name: 'app/link', type: 'link', mode: 0o777, target: 'a.txt' },
]

test('files go to a container and come back', async (t) => {
  let kept = Buffer.alloc(0)
  const commands: (readonly string[])[] = []
  const client = await clientFor(t, (peer) => {
    commands.push(peer.url.searchParams.getAll('command'))
    const sending = peer.url.searchParams.get('stdin') !== 'true'
    if (sending) {
      peer.send(STDOUT, kept)
      peer.send(ERROR, success)
      return peer.close()
    }
    kept = Buffer.alloc(0)
    peer.onMessage = (message) => {
      if (message[0] === STDIN) kept = Buffer.concat([kept, message.subarray(1)])
      if (message[0] !== CLOSE) return
      peer.send(ERROR, success)
      peer.close()
    }
  })
  await copyTo(client, 'web', '/data', FILES)
  const back = await Array.fromAsync(copyFrom(client, 'web', '/data/app/'))
  assert.deepEqual(back, FILES)
  assert.deepEqual(commands, [
    ['tar', '-xmf', '-', '-C', '/data'],
    ['tar', '-C', '/data', '-cf', '-', '--', 'app'],
  ])
  kept = Buffer.concat([
    encodeTarEntry({ name: '../etc/passwd', type: 'file', content: Buffer.from('x') }),
    TAR_END,
  ])
  await assert.rejects(
    Array.fromAsync(copyFrom(client, 'web', '/data/app')),
    /leaves the folder it is copied to/,
  )
  kept = Buffer.alloc(1_024, 'x')
  await assert.rejects(
    Array.fromAsync(copyFrom(client, 'web', 'app')),
    /what came is no tar archive/,
  )
})

test('tar without tar says what tar said', async (t) => {
  const client = await clientFor(t, (peer) => {
    peer.send(STDERR, 'sh: tar: not found')
    peer.send(ERROR, exitCode(127))
    peer.close()
  })
  await assert.rejects(
    Array.fromAsync(copyFrom(client, 'web', '/x')),
    /copying \/x failed: tar ended with code 127: sh: tar: not found/,
  )
})

test("the machine's own tar reads what is written here, and the other way round", async () => {
  const { execFileSync } = await import('node:child_process')
  const archive = Buffer.concat([...FILES.map(encodeTarEntry), TAR_END])
  const listed = execFileSync('tar', ['-tf', '-'], {
    input: archive,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  })
  assert.deepEqual(
    listed
      .trim()
      .split('\n')
      .map((it) => it.replace(/\/$/, '')),
    FILES.map((it) => it.name),
  )
  const own = execFileSync('tar', ['-cf', '-', '-C', import.meta.dirname, 'tar.ts'])
  const entries = await Array.fromAsync(
    decodeTar(
      (async function* () {
        for (let at = 0; at < own.length; at += 700) yield own.subarray(at, at + 700)
      })(),
    ),
  )
  assert.deepEqual(
    entries.map((it) => it.name),
    ['tar.ts'],
  )
  assert.match(Buffer.from(entries[0]!.content!).toString(), /A file, folder or link/)
})
