// Holds the code against its layers: a room imports only rooms below it (types too), nothing reaches into another package but
// through its exports, and no files or rooms form a cycle. Time, chance, sockets and disk are touched only where tools/seams.json
// says so. Tests may import and touch whatever they test with.
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'

/** An import as written, and where it stands. */
interface Import {
  readonly from: string
  readonly to: string
  readonly typeOnly: boolean
}

const ROOMS = Object.entries(
  JSON.parse(await readFile('tools/layers.json', 'utf8')) as Record<string, number>,
).sort(([a], [b]) => b.length - a.length)

/** What each file may touch of the world, and nobody else: files of the runtime and the server by their paths. */
const SEAMS = JSON.parse(await readFile('tools/seams.json', 'utf8')) as Record<string, string[]>

const isTest = (file: string): boolean =>
  /\.(test|suite|test-d|bench)\.ts$|\/test\/|\/testdata\//.test(file)

const roomOf = (file: string): readonly [room: string, layer: number] | undefined =>
  ROOMS.find(([room]) => file.startsWith(`${room}/`))

/** Every import and re-export of a file's text. */
function importsOf(
  file: string,
  text: string,
  exportsOf: ReadonlyMap<string, Record<string, string>>,
): Import[] {
  const pattern = /^(?:import|export)\s+(type\s+)?(?:[^'"`;]*?\sfrom\s+)?'([^']+)'/gm
  return [...text.matchAll(pattern)].flatMap(([, type, specifier = '']) => {
    const to = resolve(file, specifier, exportsOf)
    return to ? [{ from: file, to, typeOnly: type !== undefined }] : []
  })
}

function resolve(
  file: string,
  specifier: string,
  exportsOf: ReadonlyMap<string, Record<string, string>>,
): string | undefined {
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(file), specifier)
  for (const [name, table] of exportsOf) {
    if (specifier !== name && !specifier.startsWith(`${name}/`)) continue
    const subpath = `.${specifier.slice(name.length)}`
    const exact = table[subpath]
    if (exact) return exact
    const pattern = Object.keys(table).find(
      (it) => it.endsWith('/*') && subpath.startsWith(it.slice(0, -1)),
    )
    if (pattern) return table[pattern]!.replace('*', subpath.slice(pattern.length - 1))
    return `unknown:${specifier}`
  }
  return undefined
}

async function packageExports(): Promise<Map<string, Record<string, string>>> {
  const found = new Map<string, Record<string, string>>()
  for await (const file of glob('{packages,operators}/*/package.json')) {
    const { name, exports = {} } = JSON.parse(await readFile(file, 'utf8')) as {
      name: string
      exports?: Record<string, string>
    }
    const folder = path.posix.dirname(file)
    found.set(
      name,
      Object.fromEntries(
        Object.entries(exports).map(([key, to]) => [key, path.posix.join(folder, to)]),
      ),
    )
  }
  return found
}

function layerProblems(imports: readonly Import[]): string[] {
  return imports.flatMap(({ from, to }) => {
    if (to.startsWith('unknown:'))
      return [
        `${from}: '${to.slice(8)}' is not among that package's exports; add it there or import another way`,
      ]
    const [a, b] = [roomOf(from), roomOf(to)]
    if (!a || !b || a[0] === b[0]) return []
    const packageOf = (file: string): string => file.split('/').slice(0, 2).join('/')
    if (
      /^(packages|operators)\//.test(from) &&
      packageOf(from) !== packageOf(to) &&
      !/\/index\.ts$|\/kinds\/|\/src\/app\.ts$/.test(to)
    )
      return [`${from} reaches into ${to}; import the package's subpath instead`]
    return a[1] > b[1]
      ? []
      : [
          `${from} (${a[0]}, layer ${a[1]}) imports ${to} (${b[0]}, layer ${b[1]}); a room imports only rooms below it`,
        ]
  })
}

/** Files that import one another in a ring, types left aside; each ring once. */
function cycles(imports: readonly Import[]): string[] {
  const next = new Map<string, string[]>()
  for (const { from, to, typeOnly } of imports)
    if (!typeOnly) next.set(from, [...(next.get(from) ?? []), to])
  const done = new Set<string>()
  const found: string[] = []
  const visit = (file: string, trail: readonly string[]): void => {
    const at = trail.indexOf(file)
    if (at >= 0) {
      found.push(`cycle: ${[...trail.slice(at), file].join(' → ')}`)
      return
    }
    if (done.has(file)) return
    for (const to of next.get(file) ?? []) visit(to, [...trail, file])
    done.add(file)
  }
  for (const file of next.keys()) visit(file, [])
  return found
}

/** Globals through which time and chance come in. */
const WORLD: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Date.now', /\bDate\.now\b|\bnew Date\(\)/],
  ['performance', /\bperformance\.\w+\(/],
  ['timers', /(?<![.\w])set(?:Timeout|Interval)\(|AbortSignal\.timeout\(/],
  ['random', /\bMath\.random\b|\brandomUUID\(|\bgetRandomValues\(|\brandomBytes\(/],
]

/** Modules of Node that touch nothing outside: anybody but the pure rooms may use them. */
const HARMLESS: ReadonlySet<string> = new Set(
  ['crypto', 'events', 'path', 'stream', 'url', 'util', 'zlib'].map((it) => `node:${it}`),
)
const PURE = /^packages\/kubewright\/src\/(?:machinery|schema|cel)\//

/** Where a file of the runtime or the server touches the world without leave, or has leave that it does not use. */
function seamProblems(file: string, text: string): string[] {
  if (!/^packages\/(?:kubewright|cluster)\/src\//.test(file)) return []
  const code = text.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '')
  const modules = [...code.matchAll(/^import (?!type )([^'`]*?)\s*from '(node:[\w/]+)'/gm)]
    .filter(([, names = '']) => !/^\{ (?:isIP(?:v4|v6)?,? ?)+\}$/.test(names))
    .map(([, , module = '']) => module)
    .filter((it) => PURE.test(file) || !HARMLESS.has(it))
  const globals = WORLD.filter(([, pattern]) => pattern.test(code)).map(([name]) => name)
  const touched = new Set([...modules, ...globals])
  const allowed = SEAMS[file] ?? []
  return [
    ...[...touched]
      .filter((it) => !allowed.includes(it))
      .map(
        (it) =>
          `${file} touches ${it}: take a Clock, Random, Transport or Storage instead, or say in tools/seams.json why not`,
      ),
    ...allowed
      .filter((it) => !touched.has(it))
      .map((it) => `tools/seams.json lets ${file} touch ${it}, and it does not; take that out`),
  ]
}

const exportsOf = await packageExports()
const imports: Import[] = []
const seams: string[] = []
let files = 0
for await (const file of glob('{packages,operators,benchmarks,tools}/**/*.ts', {
  exclude: (name) => name.includes('node_modules') || name.includes('templates'),
})) {
  if (isTest(file)) continue
  files++
  const text = await readFile(file, 'utf8')
  imports.push(...importsOf(file, text, exportsOf))
  seams.push(...seamProblems(file, text))
}
const problems = [...layerProblems(imports), ...cycles(imports), ...seams]
for (const problem of problems) console.error(problem)
console.log(`layers: ${files} files, ${imports.length} imports, ${problems.length} problems`)
process.exitCode = problems.length > 0 ? 1 : 0
