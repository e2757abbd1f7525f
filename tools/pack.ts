// Makes what goes to a registry: each package compiled to JavaScript with declarations, its exports pointing at them, as an npm tarball.
//   node tools/pack.ts [FOLDER]     (default: dist) prints the tarballs' paths, one a line
import { execFile } from 'node:child_process'
import { cp, glob, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const exec = promisify(execFile)
/** In order of dependence: each is compiled against those before it. */
const PACKAGES = ['kubewright', 'cluster', 'cli']
const NOT_SHIPPED = /\.(test|suite|test-d|bench)\.ts$|\/testdata(\/|$)|\/test(\/|$)/

type Manifest = Record<string, unknown> & {
  readonly name: string
  readonly exports?: Record<string, string>
}

/** Packs every package into `folder`; answers with the tarballs' paths in order of dependence. */
export async function packAll(folder: string): Promise<readonly string[]> {
  const out = path.resolve(folder)
  await mkdir(out, { recursive: true })
  const stage = await mkdtemp(path.join(tmpdir(), 'kubewright-pack-'))
  try {
    await linkInstalled(stage)
    const tarballs = []
    for (const name of PACKAGES) tarballs.push(await pack(path.join('packages', name), stage, out))
    return tarballs
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

/** The stage sees what is installed here, but for the packages themselves: those it gets compiled. */
async function linkInstalled(stage: string): Promise<void> {
  const modules = path.join(stage, 'node_modules')
  await mkdir(path.join(modules, '@kubewright'), { recursive: true })
  for await (const entry of glob('node_modules/{@*/*,[!@.]*}')) {
    const name = path.relative('node_modules', entry)
    if (name === 'kubewright' || name.startsWith('@kubewright/')) continue
    await mkdir(path.dirname(path.join(modules, name)), { recursive: true })
    await symlink(path.resolve(entry), path.join(modules, name))
  }
}

async function pack(folder: string, stage: string, out: string): Promise<string> {
  const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Manifest
  const home = path.join(stage, 'node_modules', manifest.name)
  await cp(folder, home, {
    recursive: true,
    filter: (it) => !/\/node_modules(\/|$)/.test(it) && !NOT_SHIPPED.test(it),
  })
  await cp('LICENSE', path.join(home, 'LICENSE'))
  await compile(home)
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
  const options = JSON.parse(await readFile('tsconfig.json', 'utf8')) as {
    compilerOptions: Record<string, unknown>
  }
  const { incremental: _, tsBuildInfoFile: __, ...kept } = options.compilerOptions
  const config = {
    compilerOptions: {
      ...kept,
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
  await exec('tsc', ['-p', file], { maxBuffer: 1 << 24 }).catch((error: { stdout?: string }) => {
    throw new Error(`${home} does not compile as a package:\n${error.stdout ?? ''}`, {
      cause: error,
    })
  })
  await rm(file)
  await cp(path.join(home, 'src'), path.join(home, 'dist'), {
    recursive: true,
    filter: (it) => !it.endsWith('.ts') || /\/templates\//.test(it),
  })
  await rm(path.join(home, 'src'), { recursive: true })
}

const compiled = (source: string): string =>
  source.replace('./src/', './dist/').replace(/\.ts$/, '.js')

function shipped(manifest: Manifest): Manifest {
  const exports = Object.entries(manifest.exports ?? {}).map(([name, source]) => [
    name,
    { types: compiled(source).replace(/\.js$/, '.d.ts'), default: compiled(source) },
  ])
  return {
    ...manifest,
    exports: Object.fromEntries(exports) as never,
    files: ['dist', 'bin', 'README.md', 'LICENSE'],
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const file of await packAll(process.argv[2] ?? 'dist')) console.log(file)
