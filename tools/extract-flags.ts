/**
 * Writes packages/cluster/src/apiserver/configuration/data/flags.json from what kube-apiserver says of itself:
 *
 *     kube-apiserver --help | node tools/extract-flags.ts
 *
 * The names, types and defaults of the flags, the feature gates with theirs and their stages, and the names of the admission plugins.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const TARGET = new URL(
  '../packages/cluster/src/apiserver/configuration/data/flags.json',
  import.meta.url,
)
const FLAG = /^ {2,6}(?:-(\w), )?--([a-z0-9-]+)(?: (\S+))? {2,}(.*)$/
const help = readFileSync(0, 'utf8').split('\n')

const flags: Record<string, readonly string[]> = {}
const gates: Record<string, boolean> = {}
const staged: Record<'ALPHA' | 'BETA', string[]> = { ALPHA: [], BETA: [] }
let plugins: readonly string[] = []
for (const line of help) {
  const [, , name, type, text = ''] = FLAG.exec(line) ?? []
  if (name !== undefined && name !== 'help') flags[name] = described(type ?? 'bool', text)
  const gate = /^ +kube:(\w+)=true\|false \((\w+) - default=(\w+)\)/.exec(line)
  if (gate) gates[gate[1]!] = gate[3] === 'true'
  if (gate && !gate[1]!.startsWith('All') && (gate[2] === 'ALPHA' || gate[2] === 'BETA'))
    staged[gate[2]].push(gate[1]!)
  if (name === 'enable-admission-plugins')
    plugins = /admission plugins: ([\w, ]+)\./.exec(text)![1]!.split(', ')
}
writeFileSync(
  TARGET,
  `${JSON.stringify({ flags, gates, alpha: staged.ALPHA, beta: staged.BETA, plugins }, null, 1)}\n`,
)

function described(type: string, text: string): readonly string[] {
  const given = /\(default "?(.*?)"?\)/.exec(text)?.[1]
  if (given === undefined) return [type]
  return [type, given.replace(/^\[(.*)\]$/, '$1')]
}
