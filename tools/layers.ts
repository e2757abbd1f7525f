// Holds the code against its layers: a room imports only rooms below it (types too), nothing reaches into another package but
// through its exports, and no files or rooms form a cycle. Tests may import whatever they test with.
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
      !from.startsWith('tools/') &&
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

const exportsOf = await packageExports()
const imports: Import[] = []
let files = 0
for await (const file of glob('{packages,operators,benchmarks,tools}/**/*.ts', {
  exclude: (name) => name.includes('node_modules') || name.includes('templates'),
})) {
  if (isTest(file)) continue
  files++
  imports.push(...importsOf(file, await readFile(file, 'utf8'), exportsOf))
}
const problems = [...layerProblems(imports), ...cycles(imports)]
for (const problem of problems) console.error(problem)
console.log(`layers: ${files} files, ${imports.length} imports, ${problems.length} problems`)
process.exitCode = problems.length > 0 ? 1 : 0
