import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import path from 'node:path'
import { test } from 'node:test'
import { background, type Background, closedPort, folder, kubewright, run } from './command.ts'

/** A folder of assets, and what a suite writes before it starts them. */
async function suite(): Promise<
  AsyncDisposable & { readonly path: string; readonly program: (name: string) => string }
> {
  const made = await folder({ modules: false })
  const { code, err } = await kubewright(made.path, 'assets', 'bin', '--kubectl', process.execPath)
  assert.deepEqual([code, err], [0, ''])
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  mkdirSync(path.join(made.path, 'certs'))
  writeFileSync(path.join(made.path, 'sa.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(path.join(made.path, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
  writeFileSync(path.join(made.path, 'tokens.csv'), 'secret,admin,admin,"system:masters"\n')
  return { ...made, program: (name) => path.join(made.path, 'bin', name) }
}

type Suite = Awaited<ReturnType<typeof suite>>

async function startEtcd(
  { path: cwd, program }: Suite,
  dataDir: string,
): Promise<Background & { readonly url: string }> {
  const url = `http://127.0.0.1:${await closedPort()}`
  const etcd = background(
    program('etcd'),
    [`--data-dir=${dataDir}`, `--listen-client-urls=${url}`, '--unsafe-no-fsync=true'],
    { cwd },
  )
  await etcd.printed(/serving/)
  return { ...etcd, url }
}

/** The server with the flags that envtest gives it, and whatever else. */
async function startServer(
  { path: cwd, program }: Suite,
  etcd: string,
  ...more: readonly string[]
): Promise<Background & { readonly port: number }> {
  const port = await closedPort()
  const flags = [
    '--allow-privileged=true',
    '--authorization-mode=RBAC',
    '--bind-address=127.0.0.1',
    '--cert-dir=certs',
    '--disable-admission-plugins=ServiceAccount',
    `--etcd-servers=${etcd}`,
    `--secure-port=${port}`,
    `--service-account-issuer=https://127.0.0.1:${port}/`,
    '--service-account-key-file=sa.pub',
    '--service-account-signing-key-file=sa.key',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--token-auth-file=tokens.csv',
    ...more,
  ]
  const server = background(program('kube-apiserver'), flags, { cwd })
  await server.printed(/serving/)
  return { ...server, port }
}

interface Answer {
  readonly status: number
  readonly body: string
}

/** Asks a server whose certificate must be the one in the folder. */
function ask(
  { path: cwd }: Suite,
  port: number,
  pathname: string,
  { token, body }: { readonly token?: string; readonly body?: object } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path: pathname,
        method: body ? 'POST' : 'GET',
        ca: readFileSync(path.join(cwd, 'certs', 'apiserver.crt')),
        agent: false,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body && { 'content-type': 'application/json' }),
        },
      },
      async (incoming) => {
        let text = ''
        for await (const chunk of incoming) text += String(chunk)
        resolve({ status: incoming.statusCode ?? 0, body: text })
      },
    )
    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}

const POD = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
}

test('a suite starts etcd and kube-apiserver, works, and finds its objects after a restart of both', async () => {
  await using it = await suite()
  const admin = { token: 'secret' }
  let certificate: string
  {
    await using etcd = await startEtcd(it, 'data')
    await using server = await startServer(it, etcd.url)
    certificate = readFileSync(path.join(it.path, 'certs', 'apiserver.crt'), 'utf8')
    assert.deepEqual(await ask(it, server.port, '/healthz'), { status: 200, body: 'ok' })
    assert.equal((await ask(it, server.port, '/api/v1/namespaces')).status, 403)
    const wrong = await ask(it, server.port, '/api', { token: 'wrong' })
    assert.equal(wrong.status, 401)
    const namespace = await ask(it, server.port, '/api/v1/namespaces/default', admin)
    assert.equal(namespace.status, 200)
    const pods = '/api/v1/namespaces/default/pods'
    const made = await ask(it, server.port, pods, { ...admin, body: POD })
    assert.equal(made.status, 201, 'no service account is asked of a pod')
    assert.equal(JSON.parse(made.body).spec.serviceAccountName, undefined)
    assert.equal((await server.end('SIGTERM')).code, 0)
    assert.equal((await etcd.end('SIGTERM')).code, 0)
  }
  await using etcd = await startEtcd(it, 'data')
  await using server = await startServer(it, etcd.url)
  const found = await ask(it, server.port, '/api/v1/namespaces/default/pods/p', admin)
  assert.equal(found.status, 200)
  assert.equal(JSON.parse(found.body).status.phase, 'Pending', 'no node has taken it')
  const now = readFileSync(path.join(it.path, 'certs', 'apiserver.crt'), 'utf8')
  assert.equal(now, certificate, 'the certificate that lies in the folder is served')
})

test('nothing happens by itself: no service accounts, no end of a namespace', async () => {
  await using it = await suite()
  await using etcd = await startEtcd(it, 'data')
  await using server = await startServer(it, etcd.url)
  const admin = { token: 'secret' }
  const body = { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'n' } }
  await ask(it, server.port, '/api/v1/namespaces', { ...admin, body })
  const accounts = await ask(it, server.port, '/api/v1/serviceaccounts', admin)
  assert.deepEqual(JSON.parse(accounts.body).items, [])
})

test('flags are judged as kube-apiserver judges them', async () => {
  await using it = await suite()
  const said = async (...argv: string[]): Promise<readonly [number, string]> => {
    const { code, err } = await run(it.program('kube-apiserver'), argv, { cwd: it.path })
    return [code, err.trim()]
  }
  assert.deepEqual(await said('--foo'), [1, 'Error: unknown flag: --foo'])
  const accounts = [
    '--service-account-issuer=x',
    '--service-account-key-file=sa.pub',
    '--service-account-signing-key-file=sa.key',
  ]
  assert.deepEqual(await said(...accounts), [
    1,
    'E kube-apiserver "command failed" err="--etcd-servers must be specified"',
  ])
  const [code, text] = await said(
    ...accounts,
    '--etcd-servers=http://127.0.0.1:1',
    '--client-ca-file=nope',
  )
  assert.deepEqual([code, text.includes('open nope: no such file or directory')], [1, true], text)
})

test('assets are written where they are wanted, and nothing of somebody else is written over', async () => {
  await using made = await folder()
  const { out } = await kubewright(made.path, 'assets', 'a/b', '--kubectl', process.execPath)
  assert.equal(out, `export KUBEBUILDER_ASSETS=${made.path}/a/b\n`)
  assert.deepEqual(readdirSync(path.join(made.path, 'a/b')).sort(), [
    'etcd',
    'kube-apiserver',
    'kubectl',
  ])
  assert.equal(readlinkSync(path.join(made.path, 'a/b/kubectl')), process.execPath)
  const again = await kubewright(made.path, 'assets', 'a/b', '--kubectl', process.execPath)
  assert.equal(again.code, 0, 'its own programs may be written again')
  writeFileSync(path.join(made.path, 'a/b/etcd'), 'ELF')
  const refused = await kubewright(made.path, 'assets', 'a/b')
  assert.equal(refused.code, 1)
  assert.match(refused.err, /a\/b\/etcd is there already and is not one that kubewright wrote/)
  const forced = await kubewright(
    made.path,
    'assets',
    'a/b',
    '--force',
    '--kubectl',
    process.execPath,
  )
  assert.equal(forced.code, 0)
  assert.match(readFileSync(path.join(made.path, 'a/b/etcd'), 'utf8'), /^#!\/bin\/sh\n/)
})

test('without a kubectl and a Go the other two are written, and it is said', async () => {
  await using made = await folder()
  const before = process.env['PATH']
  process.env['PATH'] = made.path
  try {
    const { code, err } = await kubewright(made.path, 'assets', 'bin')
    assert.equal(code, 0)
    assert.match(err, /bin has no kubectl: there is none on the PATH, and no Go to build one with/)
    assert.deepEqual(readdirSync(path.join(made.path, 'bin')).sort(), ['etcd', 'kube-apiserver'])
  } finally {
    process.env['PATH'] = before
  }
})
