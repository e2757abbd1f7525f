import { FlagError } from './flag-error.ts'
import { FLAGS } from './flag-table.ts'

const usage = (message: string): FlagError => new FlagError('usage', message)

/** Flags that may stand without a value, and what they are then. */
const ALONE: ReadonlyMap<string, string> = new Map([['version', 'true']])

/**
 * Reads the arguments of kube-apiserver as its flag library does: `--name=value`, `--name value`, `--switch`, `-v=2`. Values in the
 * order given, by the name of the flag. Throws a {@link FlagError} in the real words.
 */
export function parseArguments(argv: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  const strays: string[] = []
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i]!
    if (argument === '--') {
      strays.push(...argv.slice(i + 1))
      break
    }
    if (!argument.startsWith('-') || argument === '-') {
      strays.push(argument)
      continue
    }
    const { name, value } = split(argument)
    const given = value ?? aloneValue(name) ?? argv[++i]
    if (given === undefined) throw usage(`flag needs an argument: ${argument}`)
    found.set(name, [...(found.get(name) ?? []), given])
  }
  if (strays.length > 0) {
    const list = `[${strays.map((it) => JSON.stringify(it)).join(' ')}]`
    throw usage(`"kube-apiserver" does not take any arguments, got ${list}`)
  }
  return found
}

function split(argument: string): { readonly name: string; readonly value?: string } {
  const long = argument.startsWith('--')
  const text = argument.slice(long ? 2 : 1)
  const at = text.indexOf('=')
  const name = (at < 0 ? text : text.slice(0, at)).replaceAll('_', '-')
  if (long && (name === '' || name.startsWith('-'))) throw usage(`bad flag syntax: ${argument}`)
  if (long) {
    if (!FLAGS.has(name) && name !== 'help') throw usage(`unknown flag: --${name}`)
    return at < 0 ? { name } : { name, value: text.slice(at + 1) }
  }
  const letter = text[0]!
  if (letter === 'h') return { name: 'help', value: 'true' }
  if (letter !== 'v') throw usage(`unknown shorthand flag: '${letter}' in ${argument}`)
  const rest = text.slice(1).replace(/^=/, '')
  return rest === '' ? { name: 'v' } : { name: 'v', value: rest }
}

function aloneValue(name: string): string | undefined {
  if (name === 'help' || FLAGS.get(name)?.type === 'bool') return 'true'
  return ALONE.get(name)
}
