/** How a simulated process ends: after `ms` milliseconds with `code`; a process that never ends has no such thing. */
export interface Exit {
  readonly ms: number
  readonly code: number
  /** What is told of it, such as `OOMKilled`; absent: `Completed` or `Error`, as the code says. */
  readonly reason?: string
}

/** What can be told of a process from its command line: it ends, it runs for ever, or nothing is known of the program. */
export type Verdict =
  | { readonly is: 'ends'; readonly exit: Exit }
  | { readonly is: 'runs' }
  | { readonly is: 'unknown' }

const RUNS: Verdict = { is: 'runs' }
const UNKNOWN: Verdict = { is: 'unknown' }
const ends = (ms: number, code: number): Verdict => ({ is: 'ends', exit: { ms, code } })

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'ash', 'dash'])
/** Programs that do something short and succeed, as far as a simulation can tell. */
const SHORT: ReadonlySet<string> = new Set(
  'true : echo printf date env pwd ls cat touch mkdir cp mv rm chmod chown ln export set cd hostname uname whoami id trap'.split(
    ' ',
  ),
)
/** Commands of agnhost, the image of Kubernetes' own tests, that serve or wait until they are stopped (test/images/agnhost). */
const SERVING: ReadonlySet<string> = new Set(
  'audit-proxy crd-conversion-webhook external-metrics fake-gitserver fake-registry-server grpc-health-checking guestbook inclusterclient liveness mtlsclient mtlsserver netexec nettest no-snat-test no-snat-test-proxy pause podcertificatesigner port-forward-tester porter resource-consumer-controller serve-hostname tcp-reset test-webserver webhook'.split(
    ' ',
  ),
)
const UNITS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86400 }

/**
 * Reads a command line the way a person would: `sleep 5` ends after five seconds, `false` and `exit 3` fail, `sh -c` runs its
 * script command by command, `while true` and `tail -f` go on for ever. Of any other program nothing is known.
 */
export function judgeCommand(words: readonly string[]): Verdict {
  const [program = '', ...rest] = words
  const name = program.slice(program.lastIndexOf('/') + 1)
  if (SHELLS.has(name)) return judgeShell(rest)
  switch (name) {
    case 'sleep':
      return judgeSleep(rest)
    case 'false':
      return ends(0, 1)
    case 'exit':
      return ends(0, Number(rest[0] ?? 0) & 255)
    case 'tail':
      return rest.includes('-f') ? RUNS : ends(0, 0)
    case 'pause':
      return RUNS
    case 'agnhost':
      return SERVING.has(rest[0] ?? 'pause') ? RUNS : UNKNOWN
    default:
      return SHORT.has(name) ? ends(0, 0) : UNKNOWN
  }
}

function judgeSleep(durations: readonly string[]): Verdict {
  let seconds = 0
  for (const text of durations) {
    const [, amount, unit] = /^([0-9]*\.?[0-9]+)([smhd]?)$/.exec(text) ?? []
    if (amount === undefined) return text.startsWith('inf') ? RUNS : ends(0, 1)
    seconds += Number(amount) * UNITS[unit ?? '']!
  }
  return durations.length > 0 ? ends(seconds * 1000, 0) : ends(0, 1)
}

function judgeShell(args: readonly string[]): Verdict {
  const flag = args.findIndex((it) => /^-[a-z]*c[a-z]*$/.test(it))
  const script = flag >= 0 ? args[flag + 1] : undefined
  return script === undefined ? RUNS : judgeScript(script)
}

interface Command {
  readonly words: readonly string[]
  /** What stands before it: it runs always, only after success, or only after failure. */
  readonly after: ';' | '&&' | '||'
}

function judgeScript(script: string): Verdict {
  if (/\b(while|until)\s+(true|:|false|\[)/.test(script) || /\bfor\s*\(\(;;/.test(script))
    return RUNS
  let total = 0
  let code = 0
  for (const { words, after } of parseScript(script)) {
    if ((after === '&&' && code !== 0) || (after === '||' && code === 0)) continue
    const verdict = judgeCommand(words[0] === 'exec' ? words.slice(1) : words)
    if (verdict.is !== 'ends') return verdict
    total += verdict.exit.ms
    code = verdict.exit.code
    if (words[0] === 'exit' || words[0] === 'exec') break
  }
  return ends(total, code)
}

function parseScript(script: string): readonly Command[] {
  const commands: Command[] = []
  let after: Command['after'] = ';'
  for (const part of script.split(/(&&|\|\||;|\n)/)) {
    const text = part.trim()
    if (text === '&&' || text === '||' || text === ';') after = text
    else if (text === '') after = part === '\n' ? ';' : after
    else {
      commands.push({ words: unquoted(text), after })
      after = ';'
    }
  }
  return commands
}

/** Words without quotes and redirections; a pipe is judged by its last program. */
function unquoted(text: string): readonly string[] {
  const last = text.slice(text.lastIndexOf('|') + 1).replace(/[0-9]?>{1,2}\s*\S+/g, '')
  return (last.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((it) => it.replace(/^["']|["']$/g, ''))
}
