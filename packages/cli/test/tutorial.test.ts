import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { packAll } from '../../../tools/pack.ts'
import { isAlive } from '../src/cluster-state.ts'
import {
  background,
  folder,
  kubewrightProcess,
  run,
  type Background,
  type Outcome,
} from './command.ts'

/** The tutorial of an OTP operator, walked as a newcomer walks it: with packed packages, npm, npx and kubectl, from an empty folder. */
let home: Awaited<ReturnType<typeof folder>>
let tarballs: readonly string[]
let operator: Background | undefined

const kubectlThere = (await run('kubectl', ['version', '--client'], { cwd: '.' })).code === 0
const skip = kubectlThere || process.env['CI'] ? false : 'there is no kubectl on this machine'

before(async () => {
  home = await folder({ modules: false })
  if (!skip) tarballs = await packAll(path.join(home.path, 'packages'))
})
after(async () => {
  await operator?.[Symbol.asyncDispose]()
  if (!skip) await kubewright('cluster', 'stop')
  await home[Symbol.asyncDispose]()
})

const root = (): string => path.join(home.path, 'otp-operator')
const bin = (name: string): string => path.join(root(), 'node_modules/.bin', name)
/** This very Node, whatever else is installed. */
const PATH = `${path.dirname(process.execPath)}:${process.env['PATH']}`
const inProject = (program: string, ...args: string[]): Promise<Outcome> =>
  run(program, args, { cwd: root(), env: { PATH } })
const kubewright = (...args: string[]): Promise<Outcome> => inProject(bin('kubewright'), ...args)
const kubectl = (...args: string[]): Promise<Outcome> =>
  inProject('kubectl', '--kubeconfig', '.kubewright/kubeconfig', ...args)

/** A step that must go well; answers with what it printed. */
const well = async (step: Promise<Outcome>): Promise<string> => {
  const { code, out, err } = await step
  assert.equal(code, 0, out + err)
  return out
}

const DECLARATION = `import { kind, s, type ObjectOf } from 'kubewright'

export const AppOTP = kind('appotp.learn.com/v1', 'AppOTP', {
  spec: {
    size: s.integer({ format: 'int32', minimum: 0, default: 2 }),
    image: s.string({ minLength: 1, default: 'nginx:1.22.0' }),
  },
  status: {
    deploymentStatus: s.string(),
    observedGeneration: s.integer({ format: 'int64' }),
    conditions: s.conditions(),
  },
  columns: { Size: '.spec.size', Status: '.status.deploymentStatus' },
})

export type AppOTP = ObjectOf<typeof AppOTP>
`

const CONTROLLER = `import { condition, controller, type ControllerDefinition } from 'kubewright'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { AppOTP } from '../api/v1/app-otp.ts'

export const appOTPController: ControllerDefinition = controller(AppOTP)
  .owns(Deployment)
  .reconcile(async (appOTP, { apply, status }) => {
    const { name = '', generation = 0 } = appOTP.metadata
    const { size, image } = appOTP.spec
    const labels = { app: name }
    const deployment = await apply(Deployment, {
      metadata: { name, labels },
      spec: {
        replicas: size,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'app', image }] } },
      },
    })
    const ready = (deployment.status?.readyReplicas ?? 0) >= size
    await status({
      deploymentStatus: ready ? 'normal' : 'progressing',
      observedGeneration: generation,
      conditions: [condition('Ready', ready, ready ? 'Ready' : 'Waiting')],
    })
  })
`

test('init, create api, edit, npm install, generate', { skip }, async () => {
  await mkdir(root())
  // As `npx @kubewright/cli init` does it where the package comes from a registry.
  const here = { cwd: root(), env: { PATH } }
  await well(kubewrightProcess(here, 'init', '--domain', 'learn.com'))
  const api = ['--group', 'appotp', '--version', 'v1', '--kind', 'AppOTP']
  await well(kubewrightProcess(here, 'create', 'api', ...api, '--resource', '--controller'))
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  await well(inProject('npm', 'install', ...flags, ...tarballs))
  await writeFile(path.join(root(), 'src/api/v1/app-otp.ts'), DECLARATION)
  await writeFile(path.join(root(), 'src/controllers/app-otp.ts'), CONTROLLER)
  const out = await well(inProject('npm', 'run', 'generate'))
  assert.match(out, /config\/crd\/appotp\.learn\.com_appotps\.yaml/)
  assert.equal(
    await readFile(path.join(root(), 'config/samples/appotp_v1_appotp.yaml'), 'utf8'),
    `---
apiVersion: appotp.learn.com/v1
kind: AppOTP
metadata:
  name: appotp-sample
  labels:
    app.kubernetes.io/name: otp-operator
    app.kubernetes.io/managed-by: kubewright
spec:
  size: 2
  image: nginx:1.22.0
`,
  )
})

test('cluster start, install, run, kubectl apply: pods run', { skip }, async () => {
  await well(kubewright('cluster', 'start'))
  assert.match(await well(kubewright('install')), /appotps\.appotp\.learn\.com installed/)
  const flags = ['--health-probe-bind-address=:0', '--metrics-bind-address=0']
  operator = background(bin('kubewright'), ['run', '--', ...flags], { cwd: root(), env: { PATH } })
  await operator.printed(/started.*controllers/)
  assert.equal(
    await well(kubectl('apply', '-k', 'config/samples')),
    'appotp.appotp.learn.com/appotp-sample created\n',
  )
  await well(
    kubectl(
      'wait',
      '--for=jsonpath={.status.deploymentStatus}=normal',
      'appotp/appotp-sample',
      '--timeout=30s',
    ),
  )
  const pods = await well(kubectl('get', 'pods', '--no-headers'))
  assert.match(pods, /^(appotp-sample-\w+-\w+ +1\/1 +Running +0 +\d+s?\n){2}$/)
  assert.match(
    await well(kubectl('get', 'appotp')),
    /^NAME +SIZE +STATUS +AGE\nappotp-sample +2 +normal +\d+s\n$/,
  )
  await well(kubectl('apply', '--dry-run=server', '-f', 'config/crd/appotp.learn.com_appotps.yaml'))
  assert.match((await kubectl('explain', 'appotp.spec')).out, /size\t<integer>/)
})

test("the scaffolded project's own test passes, and type-checks", { skip }, async () => {
  assert.match(await well(inProject('npm', 'test')), /pass 1$/m)
})

test('uninstall takes the objects along, and everything ends', { skip }, async () => {
  const state = JSON.parse(
    await readFile(path.join(root(), '.kubewright/cluster.json'), 'utf8'),
  ) as { pid: number }
  const ended = await operator!.end('SIGINT')
  assert.equal(ended.code, 0, ended.err)
  assert.match(await well(kubewright('uninstall')), /appotps\.appotp\.learn\.com uninstalled/)
  await well(kubectl('wait', '--for=delete', 'deployment/appotp-sample', '--timeout=30s'))
  await well(kubewright('cluster', 'stop'))
  assert.equal(isAlive(state.pid), false)
  assert.deepEqual(await readdir(path.join(root(), '.kubewright')), ['cluster.log'])
})

/** What a package has by a name to be started, not imported. */
const PROGRAMS: ReadonlySet<string> = new Set(['./nodes/gateway'])

test('programs in JavaScript and TypeScript import the packages, types too', { skip }, async () => {
  const names: string[] = []
  for (const name of ['kubewright', '@kubewright/cluster']) {
    const { exports } = JSON.parse(
      await readFile(path.join(root(), 'node_modules', name, 'package.json'), 'utf8'),
    ) as { exports: Record<string, { types: string }> }
    const modules = Object.keys(exports).filter((it) => !PROGRAMS.has(it))
    names.push(...modules.map((it) => name + it.slice(1).replace('*', 'apps/v1')))
  }
  const imports = names.map((it, index) => `import * as module${index} from '${it}'`).join('\n')
  const list = `[${names.map((_, index) => `module${index}`).join(', ')}]`
  await writeFile(
    path.join(root(), 'consumer.mjs'),
    `${imports}\nconsole.log(${list}.every((it) => Object.keys(it).length > 0))\n`,
  )
  assert.equal(await well(inProject(process.execPath, 'consumer.mjs')), 'true\n')
  await writeFile(
    path.join(root(), 'src/consumer.ts'),
    `${imports}\nimport { kind, s, type ObjectOf } from 'kubewright'
export const all: readonly object[] = ${list}
const A = kind('example.com/v1', 'A', { spec: { size: s.integer() } })
const a = {} as ObjectOf<typeof A>
export const size: number = a.spec.size
// @ts-expect-error a number is no string: the types are there, and they are no any
export const text: string = a.spec.size
`,
  )
  await well(inProject(bin('tsc'), '--skipLibCheck', 'false'))
})

test('packages carry data, licence and types, and no tests', { skip }, async () => {
  for (const tarball of tarballs) {
    const names = (await well(run('tar', ['tzf', tarball], { cwd: home.path }))).trim().split('\n')
    const wrong = names.filter((it) =>
      /\.(test|suite|fixture|golden)\b|\/testdata\/|\/src\/|\/node_modules\//.test(it),
    )
    assert.deepEqual(wrong, [])
    assert.ok(names.includes('package/LICENSE'))
    assert.ok(names.some((it) => it.endsWith('.d.ts')))
    if (tarball.includes('cluster'))
      assert.ok(names.includes('package/dist/apiserver/data/resources.json'))
  }
})
