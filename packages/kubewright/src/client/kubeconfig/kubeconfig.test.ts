import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fakeClock } from '../../base/clock.ts'
import { kindOf } from '../../machinery/kind.ts'
import { isUnauthorized } from '../../machinery/status.ts'
import { createClient } from '../client.ts'
import { ConfigurationError } from '../exchange.ts'
import { UnreachableError } from '../answer.ts'
import { connect, resolveContext } from './connect.ts'
import { runExecPlugin } from './exec-plugin.ts'
import { inClusterConfig } from './in-cluster.ts'
import { mergeKubeConfigs, type ExecEntry, type KubeConfig, type UserEntry } from './kubeconfig.ts'
import { loadKubeConfig, parseKubeConfig, readKubeConfig } from './load.ts'

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'kubewright-'))
  t.after(() => rm(path, { recursive: true }))
  return path
}

const config = (name: string, user: UserEntry = {}, server = `https://${name}`): KubeConfig => ({
  clusters: [{ name, cluster: { server } }],
  users: [{ name, user }],
  contexts: [{ name, context: { cluster: name, user: name, namespace: `${name}-ns` } }],
  'current-context': name,
})

test('--kubeconfig comes before KUBECONFIG, that before the pod, that before the home directory', async (t) => {
  const home = await folder(t)
  await mkdir(join(home, '.kube'))
  const files = ['flag', 'env', 'other'].map((it) => join(home, it))
  for (const path of [...files, join(home, '.kube', 'config')])
    await writeFile(path, JSON.stringify(config(path)))
  const current = (options: Parameters<typeof loadKubeConfig>[0]): string | undefined =>
    loadKubeConfig({ home, env: {}, ...options })['current-context']
  assert.equal(current({ path: files[0], env: { KUBECONFIG: files[1] } }), files[0])
  assert.equal(
    current({ env: { KUBECONFIG: ['/nowhere', files[1], files[2]].join(delimiter) } }),
    files[1],
  )
  assert.equal(current({}), join(home, '.kube', 'config'))
})

test('a kubeconfig that is nowhere says where it was looked for', async (t) => {
  const home = await folder(t)
  const load = (options: Parameters<typeof loadKubeConfig>[0]) => () =>
    loadKubeConfig({ home, env: {}, ...options })
  const error = (pattern: RegExp) => (it: unknown) =>
    it instanceof ConfigurationError && pattern.test(it.message)
  assert.throws(
    load({}),
    error(
      /no kubeconfig: KUBECONFIG is not set, .*\.kube\/config does not exist; pass --kubeconfig FILE/,
    ),
  )
  assert.throws(
    load({ env: { KUBECONFIG: '/no/such' } }),
    error(/KUBECONFIG is \/no\/such, and no such file exists/),
  )
  assert.throws(
    load({ path: '/no/such' }),
    error(/the kubeconfig \/no\/such cannot be read: ENOENT/),
  )
  assert.throws(() => parseKubeConfig('a: [', '/', 'f'), error(/the kubeconfig f is not YAML/))
  assert.throws(
    () => parseKubeConfig('- a', '/', 'f'),
    error(/the kubeconfig f holds a list; a mapping/),
  )
})

test('several files are joined: the first to say something wins', () => {
  const one = { ...config('one'), users: [{ name: 'shared', user: { token: '1' } }] }
  const two = { ...config('two'), users: [{ name: 'shared', user: { token: '2' } }] }
  const merged = mergeKubeConfigs([{}, one, two])
  assert.equal(merged['current-context'], 'one')
  assert.deepEqual(
    merged.clusters?.map((it) => it.name),
    ['one', 'two'],
  )
  assert.deepEqual(merged.users, [{ name: 'shared', user: { token: '1' } }])
})

test('relative paths are taken from the folder of the file', async (t) => {
  const home = await folder(t)
  const path = join(home, 'config')
  const user = { tokenFile: 'token', 'client-key': '/abs/key', exec: { command: './login' } }
  const cluster = { server: 'https://a', 'certificate-authority': 'pki/ca.crt' }
  await writeFile(
    path,
    JSON.stringify({
      clusters: [{ name: 'a', cluster }],
      users: [
        { name: 'u', user },
        { name: 'v', user: { exec: { command: 'aws' } } },
      ],
    }),
  )
  const read = readKubeConfig(path)
  assert.equal(read.clusters?.[0]?.cluster['certificate-authority'], join(home, 'pki/ca.crt'))
  const [u, v] = read.users ?? []
  assert.deepEqual(
    [u?.user.tokenFile, u?.user['client-key'], u?.user.exec?.command, v?.user.exec?.command],
    [join(home, 'token'), '/abs/key', join(home, 'login'), 'aws'],
  )
})

const PEM = Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64')

test('what is wrong is told with its file, context and user', async (t) => {
  const home = await folder(t)
  const path = join(home, 'config')
  const open = async (user: UserEntry, cluster: object = {}): Promise<string> => {
    const { clusters, ...rest } = config('one', user)
    const entries = clusters?.map((it) => ({ ...it, cluster: { ...it.cluster, ...cluster } }))
    await writeFile(path, JSON.stringify({ ...rest, clusters: entries }))
    try {
      connect(readKubeConfig(path), { clock: fakeClock(), env: {} })
      return ''
    } catch (error) {
      assert.ok(error instanceof ConfigurationError)
      return error.message.replaceAll(home, '')
    }
  }
  const where = '(kubeconfig /config, context "one", user "one")'
  const cases: readonly (readonly [user: UserEntry, cluster: object, said: string])[] = [
    [
      {},
      { 'certificate-authority': 'no.crt' },
      'certificate-authority /no.crt of the kubeconfig cannot be read',
    ],
    [
      {},
      { 'certificate-authority-data': '/etc/ca.crt' },
      'certificate-authority-data of the kubeconfig is not PEM',
    ],
    [
      {},
      { 'certificate-authority-data': PEM, 'insecure-skip-tls-verify': true },
      'one of them was expected',
    ],
    [{}, { 'proxy-url': 'ftp://proxy' }, 'proxy-url ftp://proxy is not supported'],
    [
      { 'auth-provider': { name: 'gcp' } },
      {},
      'the auth-provider gcp of the kubeconfig user is not supported',
    ],
    [{ 'as-groups': ['g'] }, {}, 'name whom in `as`'],
  ]
  for (const [user, cluster, said] of cases) {
    const message = await open(user, cluster)
    assert.ok(message.includes(said) && message.endsWith(where), message)
  }
  assert.throws(
    () => resolveContext(readKubeConfig(path), 'two'),
    new RegExp(`the kubeconfig ${path} has no context "two"; it has one`),
  )
  // Where a file came from is not part of it.
  assert.deepEqual(Object.keys(readKubeConfig(path)).includes('origin'), false)
  assert.ok(!JSON.stringify(readKubeConfig(path)).includes(path))
})

test('a context that leads nowhere says so, and what there is', () => {
  const one = config('one')
  assert.throws(() => resolveContext({}), /no current-context; .*; it has none/)
  assert.throws(() => resolveContext(one, 'two'), /no context "two"; it has one/)
  assert.throws(
    () => resolveContext({ ...one, clusters: [] }),
    /names the cluster "one", which the kubeconfig does not define/,
  )
  assert.throws(
    () => resolveContext({ ...one, users: [] }),
    /names the user "one", whom the kubeconfig does not define/,
  )
  assert.throws(
    () => connect(config('one', {}, 'nonsense'), { clock: fakeClock() }),
    /has the server "nonsense"; a URL such as/,
  )
  assert.throws(
    () => connect(config('one', { 'client-certificate-data': PEM }), { clock: fakeClock() }),
    /a client certificate without a key.* \(context "one", user "one"\)$/,
  )
})

test('a pod uses its service account', async (t) => {
  const home = await folder(t)
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' }
  assert.equal(inClusterConfig(env, home), undefined)
  await writeFile(join(home, 'token'), 't')
  await writeFile(join(home, 'namespace'), 'ops\n')
  const found = inClusterConfig(env, home)
  assert.equal(found?.clusters?.[0]?.cluster.server, 'https://[fd00::1]:443')
  assert.equal(found?.contexts?.[0]?.context.namespace, 'ops')
  assert.equal(found?.users?.[0]?.user.tokenFile, join(home, 'token'))
  assert.equal(inClusterConfig({}, home), undefined)
})

/** A server that only says who asked. */
async function doorman(
  t: TestContext,
  admits: (request: IncomingMessage) => boolean = () => true,
): Promise<{ url: string; seen: string[]; server: Server }> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization ?? 'nobody')
    const ok = admits(request)
    response.writeHead(ok ? 200 : 401, { 'content-type': 'application/json' })
    const groups = request.headers['impersonate-group']
    const status = { kind: 'Status', code: 401, reason: 'Unauthorized' }
    response.end(
      JSON.stringify(
        ok
          ? { metadata: { name: 'a', labels: { as: request.headers['impersonate-user'], groups } } }
          : status,
      ),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, server }
}

const NODE = kindOf('v1', 'Node', 'nodes', 'Cluster')

test('a token file is read again as it ages, and at once when the server refuses it', async (t) => {
  const home = await folder(t)
  const tokenFile = join(home, 'token')
  await writeFile(tokenFile, 'one\n')
  let good = 'Bearer one'
  const { url, seen } = await doorman(t, (it) => it.headers.authorization === good)
  const clock = fakeClock()
  const client = createClient({ kubeconfig: config('a', { tokenFile }, url), clock })
  t.after(() => client.close())
  await client.get(NODE, 'a')
  await writeFile(tokenFile, 'two')
  await client.get(NODE, 'a')
  good = 'Bearer two'
  await client.get(NODE, 'a')
  await writeFile(tokenFile, 'three')
  good = 'Bearer three'
  await clock.advance(61_000)
  await client.get(NODE, 'a')
  assert.deepEqual(seen, ['Bearer one', 'Bearer one', 'Bearer one', 'Bearer two', 'Bearer three'])
  good = 'Bearer four'
  await assert.rejects(client.get(NODE, 'a'), isUnauthorized)
})

const V1BETA1 = 'client.authentication.k8s.io/v1beta1'

test('a credential program is told of the cluster, and is not run when its entry is wrong', async (t) => {
  const home = await folder(t)
  const command = join(home, 'login')
  const said = (expires: string, version = V1BETA1): string =>
    JSON.stringify({
      kind: 'ExecCredential',
      apiVersion: version,
      status: { token: 't', expirationTimestamp: expires },
    })
  const script = async (answer: string): Promise<void> => {
    await writeFile(
      command,
      `#!/bin/sh\nprintf %s "$KUBERNETES_EXEC_INFO" > ${home}/info\necho '${answer}'\n`,
    )
    await chmod(command, 0o755)
  }
  const cluster = {
    server: 'http://127.0.0.1:1',
    'certificate-authority': join(home, 'ca.crt'),
    extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'me' } }],
  }
  const exec = { apiVersion: V1BETA1, command, provideClusterInfo: true }
  await script(said('2026-01-01T01:00:00Z'))
  const run = (more: Partial<ExecEntry> = {}) => runExecPlugin({ ...exec, ...more }, cluster)
  assert.deepEqual(await run(), { token: 't', expires: Date.UTC(2026, 0, 1, 1) })
  const info = JSON.parse(await readFile(join(home, 'info'), 'utf8')) as object
  assert.deepEqual(info, {
    apiVersion: V1BETA1,
    kind: 'ExecCredential',
    spec: { interactive: false, cluster: { server: cluster.server, config: { audience: 'me' } } },
  })
  const v1 = 'client.authentication.k8s.io/v1'
  await assert.rejects(
    run({ apiVersion: 'client.authentication.k8s.io/v1alpha1' }),
    /v1 or .*v1beta1 was expected/,
  )
  await assert.rejects(run({ apiVersion: v1 }), /has no interactiveMode, which v1 demands/)
  await assert.rejects(run({ interactiveMode: 'Always' }), /standard input is no terminal/)
  await assert.rejects(
    run({ apiVersion: v1, interactiveMode: 'Never' }),
    /answered in .*v1beta1; .*v1 was asked for/,
  )
  await script(said('tomorrow'))
  await assert.rejects(run(), /expirationTimestamp tomorrow, which is no time/)
  await script('hello')
  await assert.rejects(run(), /did not print JSON/)
})

test('a program hands out tokens until they expire; its failure is told with its hint', async (t) => {
  const home = await folder(t)
  const command = join(home, 'login')
  const script = [
    '#!/bin/sh',
    `n=$(cat ${home}/n 2>/dev/null || echo 0); n=$((n+1)); echo $n > ${home}/n`,
    'test -n "$KUBERNETES_EXEC_INFO" || exit 1',
    `echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"'$WHO$n'","expirationTimestamp":"2026-01-01T00:10:00Z"}}'`,
  ]
  await writeFile(command, script.join('\n'))
  await chmod(command, 0o755)
  const { url, seen } = await doorman(t)
  const clock = fakeClock()
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    interactiveMode: 'IfAvailable' as const,
    command,
    env: [{ name: 'WHO', value: 'me' }],
  }
  const client = createClient({ kubeconfig: config('a', { exec }, url), clock })
  t.after(() => client.close())
  await client.get(NODE, 'a')
  await client.get(NODE, 'a')
  await clock.advance(600_000)
  await client.get(NODE, 'a')
  assert.deepEqual(seen, ['Bearer me1', 'Bearer me1', 'Bearer me2'])
  // A YAML file may say `command: false`.
  const nameless = { exec: { command: false as unknown as string } }
  await assert.rejects(createClient({ kubeconfig: config('b', nameless, url) }).get(NODE, 'a'), {
    name: 'ConfigurationError',
    message: /exec has the command false; the name of a program was expected/,
  })
  const missing = {
    apiVersion: V1BETA1,
    command: 'no-such-program-here',
    installHint: 'install it from example.com',
  }
  const broken = createClient({ kubeconfig: config('b', { exec: missing }, url) })
  await assert.rejects(broken.create(NODE, { metadata: { name: 'a' } }), (error: unknown) => {
    assert.ok(error instanceof ConfigurationError)
    assert.match(
      error.message,
      /the credential program no-such-program-here of the kubeconfig user failed: it is not installed; install it from example.com/,
    )
    return true
  })
})

test('many requests that are refused at once ask the program once', async (t) => {
  const home = await folder(t)
  const command = join(home, 'login')
  const script = [
    '#!/bin/sh',
    `echo x >> ${home}/runs; n=$(wc -l < ${home}/runs)`,
    `echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","status":{"token":"'$((n))'"}}'`,
  ]
  await writeFile(command, script.join('\n'))
  await chmod(command, 0o755)
  let good = 'Bearer 1'
  const { url } = await doorman(t, (it) => it.headers.authorization === good)
  const client = createClient({
    kubeconfig: config('a', { exec: { apiVersion: V1BETA1, command } }, url),
  })
  t.after(() => client.close())
  await client.get(NODE, 'a')
  good = 'Bearer 2'
  await Promise.all(Array.from({ length: 20 }, () => client.get(NODE, 'a')))
  assert.equal((await readFile(join(home, 'runs'), 'utf8')).length, 4)
})

test('passwords and impersonation go into headers', async (t) => {
  const { url, seen } = await doorman(t)
  const user = { username: 'me', password: 'secret', as: 'you', 'as-groups': ['g'] }
  const client = createClient({ kubeconfig: config('a', user, url) })
  t.after(() => client.close())
  const { metadata } = await client.get(NODE, 'a')
  assert.deepEqual(metadata.labels, { as: 'you', groups: 'g' })
  assert.deepEqual(seen, [`Basic ${Buffer.from('me:secret').toString('base64')}`])
  assert.equal(client.namespace, 'a-ns')
})

test('several groups and extras are header lines of their own', async (t) => {
  const lines: string[] = []
  const { url, server } = await doorman(t)
  server.on('request', (request: IncomingMessage) => lines.push(...request.rawHeaders))
  const user = { as: 'you', 'as-groups': ['g', 'h,i'], 'as-user-extra': { 'a/b': ['1', '2'] } }
  const client = createClient({ kubeconfig: config('a', user, url) })
  t.after(() => client.close())
  await client.get(NODE, 'a')
  const of = (name: string): string[] =>
    lines.filter((_, at) => at % 2 === 1 && lines[at - 1]!.toLowerCase() === name)
  assert.deepEqual(of('impersonate-group'), ['g', 'h,i'])
  assert.deepEqual(of('impersonate-extra-a%2fb'), ['1', '2'])
})

test('a server that is not there is named, with what happened', async (t) => {
  const { url, server } = await doorman(t)
  await new Promise((resolve) => server.close(resolve))
  const client = createClient({ kubeconfig: config('a', {}, url) })
  await assert.rejects(client.create(NODE, { metadata: { name: 'a' } }), (error: unknown) => {
    assert.ok(error instanceof UnreachableError)
    assert.match(
      error.message,
      /^no answer from the API server at http:\/\/127\.0\.0\.1:\d+: connect ECONNREFUSED/,
    )
    return true
  })
})
