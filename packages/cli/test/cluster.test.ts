import assert from 'node:assert/strict'
import { access, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { test } from 'node:test'
import { createClient } from 'kubewright'
import { ConfigMap, Node } from 'kubewright/kinds/core/v1'
import { isAlive } from '../src/cluster-state.ts'
import {
  background,
  BIN,
  closedPort,
  folder,
  kubewright,
  kubewrightProcess,
  type Outcome,
  untilEnded,
} from './command.ts'

interface State {
  readonly pid: number
  readonly url: string
}

const stateOf = async (root: string): Promise<State> =>
  JSON.parse(await readFile(path.join(root, '.kubewright/cluster.json'), 'utf8')) as State

/** Whatever a test leaves running in a folder is stopped with its block. */
const stopping = (root: string): AsyncDisposable => ({
  async [Symbol.asyncDispose]() {
    await kubewright(root, 'cluster', 'stop')
  },
})

const failed = ({ code, err }: Outcome, message: RegExp): void => {
  assert.match(err, message)
  assert.equal(code, 1)
}

test('a cluster starts once in a folder, serves, and stops without a trace', async () => {
  await using made = await folder({ modules: false })
  await using _ = stopping(made.path)
  const none = await kubewright(made.path, 'cluster', 'status')
  assert.deepEqual([none.code, none.out], [1, 'not running\n'])
  const idle = await kubewright(made.path, 'cluster', 'stop')
  assert.deepEqual([idle.code, idle.out], [0, 'no cluster of this folder runs\n'])

  const started = await kubewrightProcess({ cwd: made.path }, 'cluster', 'start', '--nodes', '3')
  const { pid, url } = await stateOf(made.path)
  const kubeconfig = path.join(made.path, '.kubewright/kubeconfig')
  assert.equal(started.out, `control plane at ${url}\nexport KUBECONFIG=${kubeconfig}\n`)
  const client = createClient({ kubeconfig })
  assert.equal((await client.list(Node)).items.length, 3)
  await client.close()
  const status = await kubewright(made.path, 'cluster', 'status')
  assert.deepEqual([status.code, status.out], [0, `running at ${url} (process ${pid})\n`])

  failed(
    await kubewright(made.path, 'cluster', 'start'),
    /a cluster of this folder runs already at https:.* \(process \d+\); `kubewright cluster stop` ends it/,
  )
  await using other = await folder({ modules: false })
  failed(
    await kubewright(other.path, 'cluster', 'start', '--port', new URL(url).port),
    /^error: the control plane did not start: port \d+ of 127\.0\.0\.1 is in use by another process: stop that one, or name another port/,
  )
  await assert.rejects(access(path.join(other.path, '.kubewright/kubeconfig')))

  const stopped = await kubewright(made.path, 'cluster', 'stop')
  assert.equal(stopped.out, `stopped the control plane at ${url}\n`)
  assert.equal(isAlive(pid), false)
  assert.deepEqual(await readdir(path.join(made.path, '.kubewright')), ['cluster.log'])
})

test('a cluster whose process was killed is forgotten, and the next one has its objects', async () => {
  await using made = await folder({ modules: false })
  await using _ = stopping(made.path)
  const start = ['cluster', 'start', '--no-controllers', '--data-dir', 'data']
  assert.equal((await kubewright(made.path, ...start)).code, 0)
  const first = await stateOf(made.path)
  const kubeconfig = path.join(made.path, '.kubewright/kubeconfig')
  const text = await readFile(kubeconfig, 'utf8')
  const client = createClient({ kubeconfig })
  await client.create(ConfigMap, { metadata: { name: 'kept', namespace: 'default' } })
  await client.close()

  await using second = await folder({ modules: false })
  await using __ = stopping(second.path)
  failed(
    await kubewright(second.path, 'cluster', 'start', '--data-dir', path.join(made.path, 'data')),
    /^error: the control plane did not start: the data file .*cluster\.db is in use by another process/,
  )

  process.kill(first.pid, 'SIGKILL')
  await untilEnded(first.pid)
  const dead = await kubewright(made.path, 'cluster', 'stop')
  assert.deepEqual([dead.code, dead.out], [0, 'no cluster of this folder runs\n'])
  await assert.rejects(access(kubeconfig), 'a kubeconfig that leads nowhere would only mislead')

  const { port } = new URL(first.url)
  assert.equal((await kubewright(made.path, ...start, '--port', port)).code, 0)
  assert.equal((await stateOf(made.path)).url, first.url)
  assert.equal(await readFile(kubeconfig, 'utf8'), text, 'old copies of the kubeconfig stay good')
  const again = createClient({ kubeconfig })
  assert.ok(await again.find(ConfigMap, { name: 'kept', namespace: 'default' }))
  await again.close()
})

test('a state file that means something else stops nobody', async () => {
  await using made = await folder({ modules: false })
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await mkdir(path.join(made.path, '.kubewright'))
  const file = path.join(made.path, '.kubewright/cluster.json')
  // This very process, and a port that somebody else has by now.
  const states = [
    'not JSON',
    '{}',
    JSON.stringify({ pid: process.pid, url: `https://127.0.0.1:${port}` }),
  ]
  for (const text of states) {
    await writeFile(file, text)
    const { code, out } = await kubewright(made.path, 'cluster', 'stop')
    assert.deepEqual([code, out], [0, 'no cluster of this folder runs\n'])
  }
  server.close()
  // A process that lives, and a port where nobody listens any more: a killed server whose number was given away.
  const url = `https://127.0.0.1:${port}`
  const user = { name: 'a', user: { token: 'x' } }
  const kubeconfig = {
    clusters: [{ name: 'a', cluster: { server: url } }],
    users: [user],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    'current-context': 'a',
  }
  await writeFile(path.join(made.path, '.kubewright/kubeconfig'), JSON.stringify(kubeconfig))
  await writeFile(file, JSON.stringify({ pid: process.pid, url }))
  const { code, out } = await kubewright(made.path, 'cluster', 'stop')
  assert.deepEqual([code, out], [0, 'no cluster of this folder runs\n'])
})

test('data that cannot be used is told of, and left as it is', async () => {
  await using made = await folder({ modules: false })
  const start = (dataDir: string): Promise<Outcome> =>
    kubewright(made.path, 'cluster', 'start', '--data-dir', dataDir)
  const corrupt = path.join(made.path, 'corrupt')
  await mkdir(corrupt)
  await writeFile(path.join(corrupt, 'cluster.db'), 'no database\n'.repeat(1000))
  failed(
    await start('corrupt'),
    /did not start: .*cluster\.db is not a data file of this server: name another file, or move it away/,
  )
  assert.match(await readFile(path.join(corrupt, 'cluster.db'), 'utf8'), /^no database\n/)
  await writeFile(path.join(made.path, 'file'), '')
  failed(await start('file'), /did not start: .*file/)
  await mkdir(path.join(made.path, 'odd/cluster.db'), { recursive: true })
  failed(
    await start('odd'),
    /did not start: the data file .*cluster\.db (is a folder|cannot be opened)/,
  )
})

test('in the foreground a cluster runs until it is told to end', async () => {
  await using made = await folder({ modules: false })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    await using server = background(
      process.execPath,
      [BIN, 'cluster', 'start', '--foreground', '--no-controllers'],
      { cwd: made.path },
    )
    await server.printed(/control plane at https:/)
    const { code, err } = await server.end(signal)
    assert.deepEqual([code, err], [0, ''])
    assert.deepEqual(await readdir(path.join(made.path, '.kubewright')), [])
  }
})

test('install, run and uninstall work on the cluster of the folder, from anywhere in the project', async () => {
  await using made = await folder()
  await using _ = stopping(made.path)
  const root = made.path
  await kubewright(root, 'init', '--domain', 'example.com', '--project-name', 'things')
  await kubewright(root, 'create', 'api', '--group', 'a', '--version', 'v1', '--kind', 'Thing')
  const src = path.join(root, 'src')
  assert.equal((await kubewright(src, 'cluster', 'start')).code, 0)
  failed(
    await kubewright(src, 'uninstall'),
    /the CRD things\.a\.example\.com is not in the cluster; --ignore-not-found takes that as done/,
  )
  const skipped = await kubewright(root, 'uninstall', '--ignore-not-found')
  assert.match(skipped.out, /things\.a\.example\.com was not there\n$/)
  failed(
    await kubewright(src, 'run'),
    /the cluster https:.* does not have the CRD things\.a\.example\.com: run `kubewright install` first/,
  )
  const installed = await kubewright(src, 'install')
  assert.equal(
    installed.out,
    `cluster: ${root}/.kubewright/kubeconfig (the cluster started in this folder)\ncustomresourcedefinition.apiextensions.k8s.io/things.a.example.com installed\n`,
  )

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    await using operator = background(
      process.execPath,
      [
        BIN,
        'run',
        '--',
        '--health-probe-bind-address=:0',
        '--metrics-bind-address=0',
        '--log-format=text',
      ],
      { cwd: src },
    )
    await operator.printed(/started.*controllers/)
    const { code, err } = await operator.end(signal)
    assert.equal(code, 0)
    assert.match(err, new RegExp(`stopping.*${signal}`))
  }
  const port = await busyPort()
  const clash = await kubewrightProcess(
    { cwd: root },
    'run',
    '--',
    `--health-probe-bind-address=:${port.number}`,
    '--metrics-bind-address=0',
  )
  failed(clash, /cannot listen on port \d+: .*; choose another port, or 0 for any/)
  port.close()

  const removed = await kubewright(root, 'uninstall')
  assert.match(removed.out, /things\.a\.example\.com uninstalled\n$/)
  await kubewright(root, 'cluster', 'stop')
  const unreachable = path.join(root, 'unreachable')
  const server = `https://127.0.0.1:${await closedPort()}`
  await writeFile(
    unreachable,
    JSON.stringify({
      clusters: [{ name: 'a', cluster: { server } }],
      contexts: [{ name: 'a', context: { cluster: 'a' } }],
      'current-context': 'a',
    }),
  )
  const ownEnvironment = { cwd: root, env: { KUBECONFIG: unreachable } }
  failed(
    await kubewrightProcess(ownEnvironment, 'install'),
    /no answer from the API server at https:/,
  )
  const missing = { cwd: root, env: { KUBECONFIG: path.join(root, 'nowhere') } }
  failed(
    await kubewrightProcess(missing, 'run'),
    /KUBECONFIG is .*nowhere, and no such file exists/,
  )
})

async function busyPort(): Promise<{ readonly number: number; readonly close: () => void }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, resolve))
  return { number: (server.address() as AddressInfo).port, close: () => server.close() }
}

test('a cluster whose folder is gone ends by itself: nobody could find it to stop it', async () => {
  await using made = await folder({ modules: false })
  await kubewrightProcess({ cwd: made.path }, 'cluster', 'start', '--no-controllers')
  const { pid } = await stateOf(made.path)
  await rm(path.join(made.path, '.kubewright'), { recursive: true })
  await untilEnded(pid)
})
