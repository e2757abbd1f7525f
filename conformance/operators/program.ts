import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { referenceFolder } from '../reference/build.ts'
import { runProgram } from '../suites/command.ts'
import { oneLine } from '../suites/junit.ts'

/** An operator's program, and how it is built from its published Go module. */
export interface OperatorProgram {
  readonly name: string
  readonly module: string
  readonly version: string
  /** The package to build; a file of our own instead where the module publishes no command. */
  readonly source: { readonly package: string } | { readonly main: string }
  /** What the module that it is built in is called: what is internal to another is open only below its path. */
  readonly builtAs: string
  /** More for the linker. */
  readonly ldflags?: string
}

/** Builds an operator, once, and answers with the path of its program. Throws an Error that says so where there is no Go. */
export async function buildOperator(program: OperatorProgram): Promise<string> {
  const { name, module, version, source } = program
  const file = path.join(referenceFolder(), 'bin', `${name}-${version}`)
  if (await isThere(file)) return file
  await requireGo(name)
  const folder = path.join(referenceFolder(), 'operators', name)
  await mkdir(folder, { recursive: true })
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(path.join(folder, 'go.mod'), `module ${program.builtAs}\n`)
  await go(folder, 'get', `${'package' in source ? source.package : module}@${version}`)
  if ('main' in source) {
    await writeFile(path.join(folder, 'main.go'), await readFile(source.main))
    await go(folder, 'mod', 'tidy', '-e')
  }
  const flags = ['-mod=mod', '-ldflags', `-s -w ${program.ldflags ?? ''}`.trim()]
  await go(folder, 'build', ...flags, '-o', file, 'package' in source ? source.package : '.')
  return file
}

async function go(cwd: string, ...args: readonly string[]): Promise<void> {
  const { code, all } = await runProgram('go', args, { cwd })
  if (code !== 0) throw new Error(`go ${args[0]} failed in ${cwd}: ${oneLine(all.slice(-600))}`)
}

async function requireGo(name: string): Promise<void> {
  const { code } = await runProgram('go', ['version'])
  if (code === 0) return
  throw new Error(
    `${name} must be built from its Go module, and there is no \`go\` on the PATH: install Go 1.26 or newer`,
  )
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )
