import { parseScript, type Statement, type Word } from './parse.ts'

/** What a simulated program does: it writes, waits, or reads a line, which is given back to it (undefined: there are no more). */
export type Effect =
  | { readonly is: 'write'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | { readonly is: 'sleep'; readonly ms: number }
  | { readonly is: 'read' }

/** A program at work; it returns its exit code. */
export type Program = Generator<Effect, number, string | undefined>

/** Where a program runs. */
export interface ShellContext {
  readonly env: Readonly<Record<string, string>>
  readonly hostname: string
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Whether it is shown a prompt. */
  readonly tty: boolean
  /** Whether programs that nothing is known of are passed over in silence: what they would do nobody knows. */
  readonly isLenient: boolean
}

interface Session {
  readonly context: ShellContext
  readonly variables: Map<string, string>
  code: number
  hasExited: boolean
}

type Run = (args: readonly string[], session: Session) => Program

const out = (text: string): Effect => ({ is: 'write', stream: 'stdout', text })
const err = (text: string): Effect => ({ is: 'write', stream: 'stderr', text })

/** The programs that a simulated container has. */
const PROGRAMS: Readonly<Record<string, Run>> = {
  sh: shell,
  bash: shell,
  ash: shell,
  dash: shell,
  echo: (args) => written(echoed(args)),
  printf: ([format = '', ...args]) => written(formatted(format, args)),
  true: () => ended(0),
  ':': () => ended(0),
  false: () => ended(1),
  sleep,
  cat,
  seq: (args) => written(sequence(args)),
  test: (args) => ended(tested(args)),
  '[': (args) => ended(tested(args.slice(0, -1))),
  env: (_, session) => written(environment(session)),
  printenv: (args, session) =>
    args.length === 0
      ? written(environment(session))
      : written(args.map((it) => `${session.variables.get(it) ?? ''}\n`).join('')),
  pwd: () => written('/\n'),
  whoami: () => written('root\n'),
  id: () => written('uid=0(root) gid=0(root) groups=0(root)\n'),
  uname: (args) =>
    written(args.includes('-a') ? 'Linux simulated 6.6.0 x86_64 Linux\n' : 'Linux\n'),
  hostname: (_, { context }) => written(`${context.hostname}\n`),
  date: (_, { context }) => written(`${new Date(context.now()).toUTCString()}\n`),
  ls: () => written('bin\ndev\netc\nhome\nproc\nroot\nsys\ntmp\nusr\nvar\n'),
  kill: () => ended(0),
}

/** Programs that change nothing here. */
const QUIET: ReadonlySet<string> = new Set(
  'touch mkdir cp mv rm chmod chown ln export set cd trap wait sync'.split(' '),
)

/** The name of a program without its path. */
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Whether there is a program of that name. */
export const isProgram = (path: string): boolean =>
  Object.hasOwn(PROGRAMS, nameOf(path)) || QUIET.has(nameOf(path))

/** Runs a command. One whose program is not there ends with 127, without a word where the context is lenient. */
export function runProgram(words: readonly string[], context: ShellContext): Program {
  return run(words, newSession(context))
}

function newSession(context: ShellContext): Session {
  const variables = new Map([['HOSTNAME', context.hostname], ...Object.entries(context.env)])
  return { context, variables, code: 0, hasExited: false }
}

function run([path = '', ...args]: readonly string[], session: Session): Program {
  const name = nameOf(path)
  if (Object.hasOwn(PROGRAMS, name)) return PROGRAMS[name]!(args, session)
  if (QUIET.has(name)) return ended(0)
  return session.context.isLenient ? ended(0) : missing(path)
}

function* ended(code: number): Program {
  yield* []
  return code
}

function* written(text: string): Program {
  if (text !== '') yield out(text)
  return 0
}

function* missing(path: string): Program {
  yield err(`sh: ${path}: not found\n`)
  return 127
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

function* sleep(args: readonly string[]): Program {
  let ms = 0
  for (const text of args) {
    const [, amount, unit = 's'] = /^([0-9]*\.?[0-9]+)([smhd]?)$/.exec(text) ?? []
    if (amount === undefined && !text.startsWith('inf')) {
      yield err(`sleep: invalid number '${text}'\n`)
      return 1
    }
    ms += amount === undefined ? Infinity : Number(amount) * UNITS[unit || 's']! * 1000
  }
  yield { is: 'sleep', ms }
  return 0
}

function* cat(args: readonly string[]): Program {
  for (const file of args.filter((it) => it !== '-')) {
    yield err(`cat: can't open '${file}': No such file or directory\n`)
    return 1
  }
  for (;;) {
    const line = yield { is: 'read' }
    if (line === undefined) return 0
    yield out(line)
  }
}

function echoed(args: readonly string[]): string {
  const isBare = args[0] === '-n' || args[0] === '-e'
  const text = (isBare ? args.slice(1) : args).join(' ')
  return args[0] === '-n' ? text : `${args[0] === '-e' ? unescaped(text) : text}\n`
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\' }

const unescaped = (text: string): string =>
  text.replace(/\\([ntr\\])/g, (_, letter: string) => ESCAPES[letter]!)

function formatted(format: string, args: readonly string[]): string {
  const rest = [...args]
  return unescaped(format).replace(/%[sdi%]/g, (it) => (it === '%%' ? '%' : (rest.shift() ?? '')))
}

function sequence(args: readonly string[]): string {
  const numbers = args.map(Number)
  const [first, last] = numbers.length === 1 ? [1, numbers[0]!] : [numbers[0] ?? 1, numbers.at(-1)!]
  let text = ''
  for (let it = first; it <= Math.min(last, first + 100_000); it++) text += `${it}\n`
  return text
}

function tested([first = '', operator, second]: readonly string[]): number {
  const holds: Readonly<Record<string, boolean>> = {
    '=': first === second,
    '==': first === second,
    '!=': first !== second,
    '-eq': Number(first) === Number(second),
    '-ne': Number(first) !== Number(second),
    '-lt': Number(first) < Number(second),
    '-gt': Number(first) > Number(second),
  }
  if (operator !== undefined && second !== undefined) return holds[operator] ? 0 : 1
  if (first === '-z') return operator === '' || operator === undefined ? 0 : 1
  if (first === '-n') return operator ? 0 : 1
  return first === '' || first.startsWith('-') ? 1 : 0
}

const environment = ({ variables }: Session): string =>
  [...variables].map(([name, value]) => `${name}=${value}\n`).join('')

/** A shell: of a script, or of the lines that it reads. */
function* shell(args: readonly string[], outer: Session): Program {
  const session: Session = { ...outer, variables: new Map(outer.variables), hasExited: false }
  const flag = args.findIndex((it) => /^-[a-z]*c[a-z]*$/.test(it))
  if (flag >= 0) return yield* runScript(args[flag + 1] ?? '', session)
  for (;;) {
    if (session.context.tty) yield out('/ # ')
    const line = yield { is: 'read' }
    if (line === undefined) return session.code
    yield* runScript(line, session)
    if (session.hasExited) return session.code
  }
}

const runScript = (script: string, session: Session): Program =>
  runAll(parseScript(script), session)

function* runAll(statements: readonly Statement[], session: Session): Program {
  for (const it of statements) {
    if (it.after === '&&' && session.code !== 0) continue
    if (it.after === '||' && session.code === 0) continue
    session.code = yield* runOne(it, session)
    if (session.hasExited) break
  }
  return session.code
}

function* runOne(statement: Statement, session: Session): Program {
  switch (statement.is) {
    case 'command':
      return yield* runCommand(yield* expanded(statement.words, session), session)
    case 'forever':
      for (;;) {
        yield* runAll(statement.body, session)
        if (session.hasExited) return session.code
        // A loop that never waits would never let anybody else have his turn.
        yield { is: 'sleep', ms: 1 }
      }
    case 'each': {
      const words = yield* expanded(statement.words, session)
      for (const it of words.flatMap((word) => word.split(/\s+/)).filter((word) => word !== '')) {
        session.variables.set(statement.name, it)
        yield* runAll(statement.body, session)
        if (session.hasExited) break
      }
      return session.code
    }
  }
}

function* runCommand(words: readonly string[], session: Session): Program {
  const [first = '', ...args] = words
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(first) ?? []
  if (name !== undefined && args.length === 0) {
    session.variables.set(name, value!)
    return 0
  }
  if (first === '') return session.code
  if (first !== 'exit' && first !== 'exec') return yield* run(words, session)
  const code = first === 'exit' ? Number(args[0] ?? session.code) & 255 : yield* run(args, session)
  session.hasExited = true
  return code
}

function* expanded(
  words: readonly Word[],
  session: Session,
): Generator<Effect, readonly string[], string | undefined> {
  const all: string[] = []
  for (const word of words) {
    let text = ''
    for (const part of word) text += part.isLiteral ? part.text : yield* expand(part.text, session)
    all.push(text)
  }
  return all
}

/** Replaces variables, and commands by what they write. */
function* expand(text: string, session: Session): Generator<Effect, string, string | undefined> {
  let whole = ''
  let at = 0
  for (const found of text.matchAll(/\$(?:\(([^)]*)\)|\{(\w+)[^}]*\}|(\w+|\?))/g)) {
    const [all, script, braced, bare] = found
    whole += text.slice(at, found.index)
    at = found.index + all.length
    if (script === undefined) whole += valueOf(braced ?? bare!, session)
    else whole += yield* captured(runScript(script, { ...session, hasExited: false }))
  }
  return whole + text.slice(at)
}

const valueOf = (name: string, { variables, code }: Session): string =>
  name === '?' ? String(code) : (variables.get(name) ?? '')

/** Runs a program for what it writes. */
function* captured(program: Program): Generator<Effect, string, string | undefined> {
  let text = ''
  let line: string | undefined
  for (;;) {
    const { done, value } = program.next(line)
    if (done) return text.replace(/\n+$/, '')
    if (value.is === 'write' && value.stream === 'stdout') text += value.text
    else line = yield value
  }
}
