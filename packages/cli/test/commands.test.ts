import assert from 'node:assert/strict'
import { appendFile, chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { closedPort, folder, kubewright, kubewrightProcess, run, type Outcome } from './command.ts'

const failed = ({ code, err }: Outcome, message: RegExp, exit = 1): void => {
  assert.match(err, message)
  assert.equal(code, exit)
}

/** A project in a folder of its own. */
async function project(...apis: readonly string[]): ReturnType<typeof folder> {
  const made = await folder()
  const init = ['init', '--domain', 'example.com', '--project-name', 'things']
  assert.equal((await kubewright(made.path, ...init)).code, 0)
  for (const api of apis) {
    const { code, err } = await kubewright(made.path, 'create', 'api', ...api.split(' '))
    assert.equal(err, '')
    assert.equal(code, 0)
  }
  return made
}

const projectOf = async (root: string): Promise<{ readonly resources?: readonly object[] }> =>
  parse(await readFile(path.join(root, 'PROJECT'), 'utf8')) as { resources?: object[] }

/** Every file below a folder with its text. */
async function snapshot(root: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(root, { recursive: true, withFileTypes: true })
  const files = names
    .filter((it) => it.isFile() && !it.parentPath.includes('node_modules'))
    .map((it) => path.join(it.parentPath, it.name))
    .sort()
  return new Map(
    await Promise.all(files.map(async (it) => [it, await readFile(it, 'utf8')] as const)),
  )
}

test('help, the version, and what is not understood', async () => {
  await using made = await folder()
  const help = await kubewright(made.path, '--help')
  assert.equal(help.code, 0)
  for (const command of ['init', 'create', 'generate', 'install', 'uninstall', 'run', 'cluster'])
    assert.match(help.out, new RegExp(`^  ${command} `, 'm'))
  const version = await kubewright(made.path, 'version')
  assert.match(version.out, /^kubewright \d+\.\d+\.\d+ \(Node /)
  failed(await kubewright(made.path, 'frobnicate'), /unknown command 'frobnicate'/, 2)
  failed(await kubewright(made.path, 'init'), /required option '--domain <domain>'/, 2)
  failed(
    await kubewright(made.path, 'init', '--domain', 'a.b', '--what'),
    /unknown option '--what'/,
    2,
  )
  failed(
    await kubewright(
      made.path,
      'create',
      'api',
      '--group',
      'a',
      '--version',
      'v1',
      '--kind',
      'A',
      '--resource=maybe',
    ),
    /'maybe' is invalid.*expected true or false/,
    2,
  )
  failed(
    await kubewright(made.path, 'cluster', 'start', '--port', '70000'),
    /from 0 .* to 65535/,
    2,
  )
  failed(
    await kubewright(made.path, 'cluster', 'start', '--nodes', 'many'),
    /whole number, 0 or more/,
    2,
  )
})

test('init names the project for its folder, and will not do it twice', async () => {
  await using made = await folder()
  const root = path.join(made.path, 'My Web_Operator')
  await mkdir(root)
  const { out } = await kubewright(root, 'init', '--domain', 'example.com')
  assert.match(out, /^ {2}PROJECT\n {2}package\.json\n/)
  assert.equal(
    (parse(await readFile(path.join(root, 'PROJECT'), 'utf8')) as { projectName: string })
      .projectName,
    'my-web-operator',
  )
  failed(
    await kubewright(root, 'init', '--domain', 'example.com'),
    /is a kubewright project already: go on with `kubewright create api`/,
  )
})

test('init writes nothing where a name is wrong or a file is in its way', async () => {
  await using made = await folder({ modules: false })
  failed(
    await kubewright(made.path, 'init', '--domain', 'nodots'),
    /--domain "nodots" cannot be used/,
  )
  failed(
    await kubewright(made.path, 'init', '--domain', 'a.b', '--project-name', 'X'),
    /--project-name "X"/,
  )
  assert.deepEqual(await readdir(made.path), [])
  await writeFile(path.join(made.path, 'package.json'), '{}')
  failed(
    await kubewright(made.path, 'init', '--domain', 'a.b', '--project-name', 'x'),
    /package\.json is already there in .*; nothing was written\. Move it away/,
  )
  assert.deepEqual(await readdir(made.path), ['package.json'])
})

test('outside of a project, commands say how to begin one', async () => {
  await using made = await folder({ modules: false })
  for (const argv of [
    ['create', 'api', '--group', 'a', '--version', 'v1', '--kind', 'A'],
    ['generate'],
    ['install'],
    ['uninstall'],
    ['run'],
  ])
    failed(
      await kubewright(made.path, ...argv),
      /is not in a kubewright project: no PROJECT file here or above\. Run `kubewright init/,
    )
})

test('a PROJECT file that is broken is told of', async () => {
  await using made = await project()
  const file = path.join(made.path, 'PROJECT')
  await writeFile(file, 'domain: [')
  failed(await kubewright(made.path, 'generate'), /PROJECT is not valid YAML: /)
  await writeFile(file, 'domain: example.com')
  failed(await kubewright(made.path, 'generate'), /PROJECT has no domain and projectName/)
  await writeFile(file, 'domain: example.com\nprojectName: a\nresources: 3\n')
  failed(await kubewright(made.path, 'generate'), /PROJECT has resources that are no list/)
})

test('several kinds, one of them of the cluster, live in one project', async () => {
  await using made = await project(
    '--group cache --version v1alpha1 --kind Memcached --resource --controller',
    '--group web --version v1 --kind Site --no-namespaced --plural websites',
    '--group web --version v1 --kind Class --no-controller',
    '--group apps --version v1 --kind Deployment --resource=false --controller=true',
    '--group core --version v1 --kind Pod --no-resource',
  )
  assert.deepEqual((await projectOf(made.path)).resources, [
    {
      group: 'cache',
      version: 'v1alpha1',
      kind: 'Memcached',
      domain: 'example.com',
      api: { namespaced: true, crdVersion: 'v1' },
      controller: true,
    },
    {
      group: 'web',
      version: 'v1',
      kind: 'Site',
      domain: 'example.com',
      api: { namespaced: false, crdVersion: 'v1' },
      controller: true,
    },
    {
      group: 'web',
      version: 'v1',
      kind: 'Class',
      domain: 'example.com',
      api: { namespaced: true, crdVersion: 'v1' },
      controller: false,
    },
    {
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
      path: 'kubewright/kinds/apps/v1',
      controller: true,
    },
    {
      group: 'core',
      version: 'v1',
      kind: 'Pod',
      path: 'kubewright/kinds/core/v1',
      controller: true,
    },
  ])
  const { out, err } = await kubewright(made.path, 'generate')
  assert.equal(err, '')
  for (const crd of [
    'cache.example.com_memcacheds',
    'web.example.com_websites',
    'web.example.com_classes',
  ])
    assert.match(out, new RegExp(`config/crd/${crd}\\.yaml`))
  const site = parse(
    await readFile(path.join(made.path, 'config/crd/web.example.com_websites.yaml'), 'utf8'),
  ) as { spec: { scope: string } }
  assert.equal(site.spec.scope, 'Cluster')
  const role = await readFile(path.join(made.path, 'config/rbac/role.yaml'), 'utf8')
  for (const resource of ['deployments', 'pods', 'memcacheds', 'websites'])
    assert.match(role, new RegExp(`- ${resource}$`, 'm'))
  const types = await run(process.execPath, [path.resolve('node_modules/typescript/bin/tsc')], {
    cwd: made.path,
  })
  assert.equal(types.out, '')
  assert.equal(types.code, 0)
  for (const file of ['site', 'deployment']) {
    const tests = await run(process.execPath, [`test/${file}.test.ts`], { cwd: made.path })
    assert.match(tests.out, /pass 1$/m)
    assert.equal(tests.code, 0, tests.out)
  }
})

test('an API is not made twice, unless it is forced', async () => {
  await using made = await project('--group cache --version v1 --kind Memcached')
  const create = (...more: string[]): Promise<Outcome> =>
    kubewright(
      made.path,
      'create',
      'api',
      '--group',
      'cache',
      '--version',
      'v1',
      '--kind',
      'Memcached',
      ...more,
    )
  const before = await snapshot(made.path)
  failed(
    await create(),
    /already has Memcached in cache\/v1: give another --kind, --group or --version, or --force/,
  )
  failed(await create('--no-resource'), /already has a controller for Memcached in cache\/v1/)
  failed(
    await create('--no-resource', '--no-controller'),
    /neither a resource nor a controller is asked for/,
  )
  failed(
    await kubewright(
      made.path,
      'create',
      'api',
      '--group',
      'cache',
      '--version',
      'v2',
      '--kind',
      'Memcached',
    ),
    /already has Memcached in cache\/v1, and one CRD holds all versions of a kind: declare v2 beside it/,
  )
  assert.deepEqual(await snapshot(made.path), before)
  await appendFile(path.join(made.path, 'src/api/v1/memcached.ts'), '// mine\n')
  assert.equal((await create('--force')).code, 0)
  assert.deepEqual(await snapshot(made.path), before, 'as new, and registered once')
})

test('a controller may come later, for a kind that is there', async () => {
  await using made = await project('--group cache --version v1 --kind Memcached --no-controller')
  const nobody = ['--group', 'cache', '--version', 'v1', '--kind', 'Nobody', '--no-resource']
  failed(
    await kubewright(made.path, 'create', 'api', ...nobody),
    /there is no Nobody for the controller: src\/api\/v1\/nobody\.ts is not there, and Kubernetes has no Nobody in cache\/v1/,
  )
  const { code } = await kubewright(
    made.path,
    'create',
    'api',
    '--group',
    'cache',
    '--version',
    'v1',
    '--kind',
    'Memcached',
    '--no-resource',
  )
  assert.equal(code, 0)
  const [only, ...others] = (await projectOf(made.path)).resources!
  assert.deepEqual(others, [])
  assert.deepEqual(only, {
    group: 'cache',
    version: 'v1',
    kind: 'Memcached',
    domain: 'example.com',
    api: { namespaced: true, crdVersion: 'v1' },
    controller: true,
  })
})

test('create api leaves a src/app.ts alone that it cannot read its way in', async () => {
  await using made = await project()
  const app = path.join(made.path, 'src/app.ts')
  const api = ['create', 'api', '--group', 'a', '--version', 'v1', '--kind', 'A']
  await writeFile(app, 'export const app = 1\n')
  const before = await snapshot(made.path)
  failed(
    await kubewright(made.path, ...api),
    /app\.ts has lost the lines `\/\/ \+kubewright:scaffold:imports`.*put them back, or use --no-controller/,
  )
  assert.deepEqual(await snapshot(made.path), before)
  await rm(app)
  failed(
    await kubewright(made.path, ...api),
    /app\.ts cannot be read: the controller is added there/,
  )
})

test('generate changes nothing the second time, and keeps what the author wrote', async () => {
  await using made = await project('--group cache --version v1 --kind Memcached')
  assert.equal((await kubewright(made.path, 'generate')).code, 0)
  const first = await snapshot(made.path)
  const crd = path.join(made.path, 'config/crd/cache.example.com_memcacheds.yaml')
  const written = (await stat(crd)).mtimeMs
  const again = await kubewright(made.path, 'generate')
  assert.equal(again.out, 'everything is up to date\n')
  assert.deepEqual(await snapshot(made.path), first)
  assert.equal((await stat(crd)).mtimeMs, written, 'not even written again')
  const [sample, other] = ['cache_v1_memcached.yaml', 'another.yaml'].map((it) =>
    path.join(made.path, 'config/samples', it),
  )
  await writeFile(sample!, 'mine\n')
  await writeFile(other!, 'mine too\n')
  await appendFile(crd, '# edited\n')
  const third = await kubewright(made.path, 'generate')
  assert.equal(
    third.out,
    '  config/crd/cache.example.com_memcacheds.yaml\n  config/samples/kustomization.yaml\n',
  )
  assert.equal(await readFile(sample!, 'utf8'), 'mine\n')
  const list = parse(
    await readFile(path.join(made.path, 'config/samples/kustomization.yaml'), 'utf8'),
  ) as object
  assert.deepEqual(list, {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: ['another.yaml', 'cache_v1_memcached.yaml'],
  })
})

test('an operator that does not load is told of with its place', async () => {
  // Each in a folder of its own: Node keeps what it has loaded.
  const broken: readonly (readonly [string, RegExp])[] = [
    [
      'export const app = (\n',
      /app\.ts could not be loaded: .*(Expression expected|Unexpected token|Expected)/,
    ],
    [
      "import { x } from './nowhere.ts'\nexport const app = x\n",
      /app\.ts could not be loaded: Cannot find module .*nowhere\.ts/,
    ],
    [
      "throw new Error('no luck')\n",
      /app\.ts could not be loaded: no luck \(.*src\/app\.ts:1:\d+\)/,
    ],
    [
      'export const app = 1\n',
      /app\.ts exports no manager as `app`: expected `export const app = manager/,
    ],
    [
      "import { manager } from 'kubewright'\nexport const app = manager()\nexport const permissions = ['pods']\n",
      /app\.ts exports permissions that are no list of rules/,
    ],
  ]
  for (const [text, message] of broken) {
    await using made = await project()
    await writeFile(path.join(made.path, 'src/app.ts'), text)
    for (const command of ['generate', 'install', 'run'])
      failed(await kubewright(made.path, command), message)
  }
  await using gone = await project()
  await rm(path.join(gone.path, 'src/app.ts'))
  failed(
    await kubewright(gone.path, 'generate'),
    /app\.ts is not there: it was expected to export the operator's manager/,
  )
})

test('an operator without a kind has nothing to install', async () => {
  await using made = await project()
  failed(
    await kubewright(made.path, 'install'),
    /the operator declares no kind: run `kubewright create api`/,
  )
})

test('two declarations of one CRD are refused, one that names the other is not', async () => {
  const declare = (version: string, more = ''): string =>
    `import { kind, s } from 'kubewright'\n${more && "import { A as Old } from '../v1/a.ts'\n"}export const A = kind('a.example.com/${version}', 'A', { spec: { size: s.integer() }${more} })\n`
  await using twice = await project()
  await mkdir(path.join(twice.path, 'src/api/v1'), { recursive: true })
  await mkdir(path.join(twice.path, 'src/api/v2'))
  await writeFile(path.join(twice.path, 'src/api/v1/a.ts'), declare('v1'))
  await writeFile(path.join(twice.path, 'src/api/v2/a.ts'), declare('v2'))
  failed(
    await kubewright(twice.path, 'generate'),
    /as\.a\.example\.com is declared twice, in v1 and in v2.*otherVersions/,
  )
  await using both = await project()
  await mkdir(path.join(both.path, 'src/api/v1'), { recursive: true })
  await mkdir(path.join(both.path, 'src/api/v2'))
  await writeFile(path.join(both.path, 'src/api/v1/a.ts'), declare('v1'))
  await writeFile(path.join(both.path, 'src/api/v2/a.ts'), declare('v2', ', otherVersions: [Old]'))
  assert.equal((await kubewright(both.path, 'generate')).err, '')
  const crd = parse(
    await readFile(path.join(both.path, 'config/crd/a.example.com_as.yaml'), 'utf8'),
  ) as { spec: { versions: { name: string; storage: boolean }[] } }
  assert.deepEqual(
    crd.spec.versions.map((it) => [it.name, it.storage]),
    [
      ['v2', true],
      ['v1', false],
    ],
  )
})

test('a kubeconfig that is not there, is no YAML or leads nowhere is told of', async () => {
  await using made = await project('--group cache --version v1 --kind Memcached')
  const file = path.join(made.path, 'kubeconfig')
  const each = async (message: RegExp, ...more: string[]): Promise<void> => {
    for (const command of ['install', 'uninstall', 'run'])
      failed(await kubewright(made.path, command, ...more), message)
  }
  await each(
    /--kubeconfig .*nowhere cannot be read: it is not there; give the path of a kubeconfig file/,
    '--kubeconfig',
    'nowhere',
  )
  await each(/--kubeconfig \. cannot be read: a folder of that name is there/, '--kubeconfig', '.')
  await writeFile(file, 'clusters: [')
  await each(/the kubeconfig .* is not YAML: /, '--kubeconfig', file)
  await writeFile(file, 'just text')
  await each(
    /the kubeconfig .* holds a string; a mapping with clusters, users and contexts was expected/,
    '--kubeconfig',
    file,
  )
  await writeFile(file, '{}')
  await each(/the kubeconfig .* has no current-context; set one/, '--kubeconfig', file)
  const server = `https://127.0.0.1:${await closedPort()}`
  await writeFile(
    file,
    JSON.stringify({
      clusters: [{ name: 'a', cluster: { server } }],
      contexts: [{ name: 'a', context: { cluster: 'a' } }],
      'current-context': 'a',
    }),
  )
  await each(
    /no answer from the API server at https:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED.*; check that it runs/,
    '--kubeconfig',
    file,
  )
})

test('a folder that may not be written to is told of, and so is a file in the way', async () => {
  await using made = await folder({ modules: false })
  const root = path.join(made.path, 'locked')
  await mkdir(root)
  await chmod(root, 0o555)
  await chmod(made.path, 0o755)
  // The superuser may write everywhere; nobody may not.
  const uid = process.getuid?.() === 0 ? 65534 : undefined
  const options = { cwd: root, ...(uid === undefined ? {} : { uid }) }
  failed(
    await kubewrightProcess(options, 'init', '--domain', 'example.com'),
    /cannot be written: this user may not; change the permissions of the folder, or work in another one/,
  )
  failed(
    await kubewrightProcess(options, 'cluster', 'start'),
    /\.kubewright, where the cluster keeps its kubeconfig, cannot be made: this user may not/,
  )
  await chmod(root, 0o755)
  await writeFile(path.join(root, 'src'), 'a file')
  failed(
    await kubewright(root, 'init', '--domain', 'example.com'),
    /src\/app\.ts cannot be written: a file stands where a folder of that path should be; move it away/,
  )
})
