import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  background,
  folder,
  kubewright,
  run,
  untilEnded,
  type Background,
  type Outcome,
} from '../../../packages/cli/test/command.ts'

/** The operator as a process of its own, against a control plane in another one. */
let home: Awaited<ReturnType<typeof folder>>
let operator: Background
const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const MAIN = path.join(PROJECT, 'src/main.ts')
const NO_PORTS = ['--health-probe-bind-address=0', '--metrics-bind-address=0']
const kubeconfig = (): string => path.join(home.path, '.kubewright/kubeconfig')
const start = ['cluster', 'start', '--nodes', '2', '--data-dir', 'data']

const kubectlThere = (await run('kubectl', ['version', '--client'], { cwd: '.' })).code === 0
const skip = kubectlThere || process.env['CI'] ? false : 'there is no kubectl on this machine'

const kubectl = async (...args: string[]): Promise<string> => {
  const { code, out, err } = await attempt(...args)
  assert.equal(code, 0, `kubectl ${args.join(' ')}: ${out}${err}`)
  return out
}
const attempt = (...args: string[]): Promise<Outcome> =>
  run('kubectl', ['--kubeconfig', kubeconfig(), ...args], { cwd: home.path })

before(async () => {
  home = await folder({ modules: false })
  if (skip) return
  const { code, err } = await kubewright(home.path, ...start)
  assert.equal(code, 0, err)
  const install = await kubewright(PROJECT, 'install', '--kubeconfig', kubeconfig())
  assert.equal(install.code, 0, install.err)
  operator = background(process.execPath, [MAIN, '--kubeconfig', kubeconfig(), ...NO_PORTS], {
    cwd: home.path,
  })
  await operator.printed(/started/)
})
after(async () => {
  if (!skip) {
    await operator[Symbol.asyncDispose]()
    await kubewright(home.path, 'cluster', 'stop')
  }
  await home[Symbol.asyncDispose]()
})

test('kubectl applies the sample, waits for it, and shows its columns', { skip }, async () => {
  const samples = path.join(PROJECT, 'config/samples')
  assert.equal(
    await kubectl('apply', '-k', samples),
    'appotp.appotp.learn.com/appotp-sample created\n',
  )
  await kubectl('wait', '--for=condition=Available', 'appotp/appotp-sample', '--timeout=30s')
  assert.match(
    await kubectl('get', 'appotp'),
    /^NAME +SIZE +READY +STATUS +AGE\nappotp-sample +2 +2 +normal +\d+s\n$/,
  )
  assert.match(
    await kubectl('get', 'appotp', '-o', 'wide'),
    /^NAME +SIZE +READY +STATUS +IMAGE +AGE\nappotp-sample +2 +2 +normal +nginx:1\.22\.0 +\d+s\n$/,
  )
  assert.match(
    await kubectl('get', 'pods', '--no-headers'),
    /^(appotp-sample-\w+-\w+ +1\/1 +Running .*\n){2}$/,
  )
  assert.match(await kubectl('get', 'service', 'appotp-sample'), /ClusterIP .* 80\/TCP/)
  assert.match(
    await kubectl('describe', 'appotp', 'appotp-sample'),
    /Normal +Created .* Created Deployment appotp-sample/,
  )
  const refused = await attempt(
    'patch',
    'appotp',
    'appotp-sample',
    '--type=merge',
    '-p',
    '{"spec":{"size":-1}}',
  )
  assert.equal(
    refused.err,
    'The AppOTP "appotp-sample" is invalid: spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0\n',
  )
})

test(
  'the operator recovers by itself when its server is killed and comes back',
  { skip },
  async () => {
    const { pid, url } = JSON.parse(
      await readFile(path.join(home.path, '.kubewright/cluster.json'), 'utf8'),
    ) as { pid: number; url: string }
    process.kill(pid, 'SIGKILL')
    await untilEnded(pid)
    const { code, err } = await kubewright(home.path, ...start, '--port', new URL(url).port)
    assert.equal(code, 0, err)
    await kubectl(
      'patch',
      'appotp',
      'appotp-sample',
      '--type=merge',
      '-p',
      '{"spec":{"size":3,"image":"nginx:1.23.0"}}',
    )
    await kubectl(
      'wait',
      '--for=jsonpath={.status.readyReplicas}=3',
      'appotp/appotp-sample',
      '--timeout=30s',
    )
    await kubectl('rollout', 'status', 'deployment/appotp-sample', '--timeout=30s')
    assert.equal(
      await kubectl(
        'get',
        'deployment',
        'appotp-sample',
        '-o',
        'jsonpath={.spec.template.spec.containers[0].image}',
      ),
      'nginx:1.23.0',
    )
    assert.equal(operator.child.exitCode, null, 'it is still the same process')
  },
)

test('a kind that goes takes its objects and their children along', { skip }, async () => {
  const { code, out } = await kubewright(PROJECT, 'uninstall', '--kubeconfig', kubeconfig())
  assert.match(out, /appotps\.appotp\.learn\.com uninstalled\n$/)
  assert.equal(code, 0)
  await kubectl(
    'wait',
    '--for=delete',
    'deployment/appotp-sample',
    'service/appotp-sample',
    '--timeout=30s',
  )
  await kubectl('wait', '--for=delete', 'pods', '--all', '--timeout=30s')
})

test('a signal ends the operator in good order', { skip }, async () => {
  const { code, err } = await operator.end('SIGTERM')
  assert.equal(code, 0, err)
  assert.match(err, /"message":"stopping","signal":"SIGTERM"/)
})
