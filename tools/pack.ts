// Makes what goes to a registry: each package compiled to JavaScript with declarations, its exports pointing at them, as an npm tarball.
//   node tools/pack.ts [FOLDER]     (default: dist) prints the tarballs' paths, one a line
import { execFile } from 'node:child_process'
import {
  cp,
  glob,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const exec = promisify(execFile)
/** In order of dependence: each is compiled against those before it. */
const PACKAGES = ['kubewright', 'cluster', 'cli']
/** Packages with many modules on the way of every start. */
const BUNDLED = ['kubewright', '@kubewright/cluster']
/** Tests and what only they use, and files that an editor or a person keeps for himself. */
const NOT_SHIPPED =
  /\.(test|suite|test-d|bench|fixture|tmp)\.ts$|\.golden$|\/(testdata|test)(\/|$)|\/\.[^/]+$/
/** The tree that this file belongs to: it is packed from wherever the packer is called. */
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MODULES = path.join(ROOT, 'node_modules')

type Manifest = Record<string, unknown> & {
  readonly name: string
  readonly exports?: Record<string, string>
  /** What a package itself finds by `#name`: data, wherever a bundle has put the module that reads it. */
  readonly imports?: Record<string, string>
}

/** Packs every package into `folder`; answers with the tarballs' paths in order of dependence. */
export async function packAll(folder: string): Promise<readonly string[]> {
  const out = path.resolve(folder)
  await mkdir(out, { recursive: true })
  const stage = await mkdtemp(path.join(tmpdir(), 'kubewright-pack-'))
  try {
    await linkInstalled(stage)
    const tarballs = []
    for (const name of PACKAGES)
      tarballs.push(await pack(path.join(ROOT, 'packages', name), stage, out))
    return tarballs
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

/** The stage sees what is installed here, but for the packages themselves: those it gets compiled. */
async function linkInstalled(stage: string): Promise<void> {
  const modules = path.join(stage, 'node_modules')
  await mkdir(path.join(modules, '@kubewright'), { recursive: true })
  for (const name of await installed()) {
    if (name === 'kubewright' || name.startsWith('@kubewright/')) continue
    await mkdir(path.dirname(path.join(modules, name)), { recursive: true })
    await symlink(path.join(MODULES, name), path.join(modules, name))
  }
}

/** The names of all packages in node_modules, scoped ones too. */
async function installed(): Promise<readonly string[]> {
  const names = (await readdir(MODULES)).filter((it) => !it.startsWith('.'))
  const inScopes = names
    .filter((it) => it.startsWith('@'))
    .map(async (scope) => (await readdir(path.join(MODULES, scope))).map((it) => `${scope}/${it}`))
  return [...names.filter((it) => !it.startsWith('@')), ...(await Promise.all(inScopes)).flat()]
}

async function pack(folder: string, stage: string, out: string): Promise<string> {
  const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Manifest
  const home = path.join(stage, 'node_modules', manifest.name)
  await cp(folder, home, {
    recursive: true,
    filter: (it) =>
      !it.slice(folder.length).includes('/node_modules') &&
      !NOT_SHIPPED.test(it.slice(folder.length)),
  })
  await cp(path.join(ROOT, 'LICENSE'), path.join(home, 'LICENSE'))
  await compile(home)
  if (BUNDLED.includes(manifest.name)) await bundle(home, manifest)
  await rm(path.join(home, 'src'), { recursive: true })
  await writeFile(
    path.join(home, 'package.json'),
    `${JSON.stringify(shipped(manifest), undefined, 2)}\n`,
  )
  const { stdout } = await exec(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', out],
    { cwd: home },
  )
  return path.join(out, packedName(stdout))
}

/** npm prints a list, or from version 11 on an object by package name. */
function packedName(json: string): string {
  const answer = JSON.parse(json) as { filename: string }[] | Record<string, { filename: string }>
  const [first] = Array.isArray(answer) ? answer : Object.values(answer)
  return first!.filename.replace('@', '').replace('/', '-')
}

async function compile(home: string): Promise<void> {
  const options = JSON.parse(await readFile(path.join(ROOT, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: Record<string, unknown>
  }
  const { incremental: _, tsBuildInfoFile: __, ...kept } = options.compilerOptions
  const config = {
    compilerOptions: {
      ...kept,
      // Habits of this tree, not of a package: `npm test` holds the sources to them.
      isolatedDeclarations: false,
      noUnusedLocals: false,
      noUnusedParameters: false,
      noEmit: false,
      rewriteRelativeImportExtensions: true,
      declaration: true,
      rootDir: 'src',
      outDir: 'dist',
      types: ['node'],
    },
    include: ['src'],
    exclude: ['src/**/templates/**'],
  }
  const file = path.join(home, 'tsconfig.json')
  await writeFile(file, JSON.stringify(config))
  const tsc = path.join(MODULES, '.bin', 'tsc')
  await exec(tsc, ['-p', file], { maxBuffer: 1 << 24 }).catch((error: { stdout?: string }) => {
    throw new Error(`${home} does not compile as a package:\n${error.stdout ?? ''}`, {
      cause: error,
    })
  })
  await rm(file)
  await cp(path.join(home, 'src'), path.join(home, 'dist'), {
    recursive: true,
    filter: (it) => !it.endsWith('.ts') || /\/templates\//.test(it),
  })
}

/** Puts the modules behind each export into few files: hundreds of small ones cost a third of a second at every start. */
async function bundle(home: string, { exports = {} }: Manifest): Promise<void> {
  const entries = []
  for (const source of Object.values(exports))
    for await (const file of glob(source.replace('*', '**/*'), { cwd: home }))
      entries.push(path.join(home, file))
  const dist = path.join(home, 'dist')
  for await (const file of glob('**/*.js', { cwd: dist })) await rm(path.join(dist, file))
  await build({
    entryPoints: entries,
    outbase: path.join(home, 'src'),
    outdir: dist,
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node22.18',
    keepNames: true,
    legalComments: 'none',
    logLevel: 'error',
  })
}

const compiled = (source: string): string =>
  source.replace('./src/', './dist/').replace(/\.ts$/, '.js')

function shipped(manifest: Manifest): Manifest {
  const exports = Object.entries(manifest.exports ?? {}).map(([name, source]) => [
    name,
    { types: compiled(source).replace(/\.js$/, '.d.ts'), default: compiled(source) },
  ])
  const imports = Object.entries(manifest.imports ?? {}).map(([name, source]) => [
    name,
    compiled(source),
  ])
  return {
    ...manifest,
    ...(imports.length > 0 ? { imports: Object.fromEntries(imports) as never } : {}),
    exports: Object.fromEntries(exports) as never,
    files: ['dist', 'bin', 'README.md', 'LICENSE'],
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const file of await packAll(process.argv[2] ?? 'dist')) console.log(file)
