import type { Sequence } from './step.ts'
import type { RawAnswer } from './wire.ts'

/** An answer in which nothing is left that two runs of one server would say differently. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/**
 * Headers that say nothing about the request: when it was asked, in which log it stands, how its bytes were cut, and in which queue it
 * waited (the real server that is asked here has none).
 */
const IGNORED_HEADERS: ReadonlySet<string> = new Set([
  'audit-id',
  'date',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'x-kubernetes-pf-flowschema-uid',
  'x-kubernetes-pf-prioritylevel-uid',
])

/** Makes the answers of one sequence comparable with those of another run of it. The rules are those below, in their order. */
export function normalise(
  answers: readonly RawAnswer[],
  { steps }: Sequence,
  now: number,
): readonly Answer[] {
  const versions = versionRanks(answers)
  const generated = generatedNames(answers, JSON.stringify(steps))
  const symbols = new Map<string, string>()
  const symbol = (kind: string, value: string): string => {
    const key = `${kind}\0${value}`
    let found = symbols.get(key)
    if (!found) {
      const count = [...symbols.keys()].filter((it) => it.startsWith(`${kind}\0`)).length
      symbols.set(key, (found = `«${kind}${count + 1}»`))
    }
    return found
  }
  const rules: readonly ((text: string) => string)[] = [
    (text) => withoutReminders(text),
    (text) => continueTokens(text, versions),
    (text) => listVersions(text, versions),
    (text) => objectVersions(text, versions),
    (text) => text.replace(UUID, (it) => symbol('uid', it)),
    (text) => presentTimes(text, now),
    (text) => text.replace(ADDRESS, (it) => symbol('ip', it)),
    (text) => text.replace(NODE_PORT, (_, head: string, it: string) => head + symbol('port', it)),
    (text) => generated.reduce((it, [name, shown]) => it.replaceAll(name, shown), text),
    (text) => sortedManagers(text),
    (text) => sortedYamlManagers(text),
    (text) => text.replace(REGISTRY_KEY, 'Key: /'),
    (text) => text.replace(TOKEN_VOLUME, '$1«random»'),
    (text) => (A_TABLE.test(text) ? text.replace(AGE, '"«age»"') : text),
    // What a column is for are other people's sentences, which are not told here.
    (text) => (A_TABLE.test(text) ? text.replace(COLUMN_TEXT, '$1""$2') : text),
  ]
  return answers.map(({ status, headers, text }) => ({
    status,
    headers: headersOf(headers, rules),
    text: rules.reduce((it, rule) => rule(it), text),
  }))
}

function headersOf(
  headers: Readonly<Record<string, string>>,
  rules: readonly ((text: string) => string)[],
): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !IGNORED_HEADERS.has(name))
  return Object.fromEntries(
    kept
      .map(([name, value]) => [name, rules.reduce((it, rule) => rule(it), value)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** uids are random: by first appearance. */
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g

/** Addresses and ports of services are drawn at random from their ranges. */
const ADDRESS = /\b10\.0\.\d{1,3}\.\d{1,3}\b/g
const NODE_PORT =
  /("(?:healthCheckN|n)odePort": ?|\b(?:healthCheckN|n)odePort: |\b\d+:)(3[0-2]\d{3})(?=[,}\n]|\/(?:TCP|UDP|SCTP))/g

/** The volume that holds a pod's token has a name with a random end. */
const TOKEN_VOLUME = /\b(kube-api-access-)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g

/** The description of a column stands between its format and its priority. */
const COLUMN_TEXT = /("format": ?"[^"]*",\s*"description": ?)"(?:[^"\\]|\\.)*"(,\s*"priority":)/g

const A_TABLE = /"kind": ?"Table"/

/** A store's error names the key as it was read: from the store itself, or out of the cache before it. */
const REGISTRY_KEY = /Key: \/registry\//g

/** What a Table says of how long ago something was made, within the time that a sequence takes. */
const AGE = /"[1-5]?\d+s"/g

/** Bookmarks come when their time has come; the one that ends the initial events says something. */
const withoutReminders = (text: string): string =>
  text.includes('"type":"BOOKMARK"')
    ? text
        .split('\n')
        .filter((it) => !it.startsWith('{"type":"BOOKMARK"') || it.includes('initial-events-end'))
        .join('\n')
    : text

const TIME = /\b(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)/g
const NEAR = 2 * 3600 * 1000

/** Times of the hours around now were set by a server; others stood in a request. */
const presentTimes = (text: string, now: number): string =>
  text.replace(TIME, (whole, _seconds: string, fraction: string | undefined, zone: string) =>
    Math.abs(Date.parse(whole) - now) < NEAR
      ? `«now${fraction ? `.${fraction.length - 1}` : ''}${zone === 'Z' ? '' : ' zoned'}»`
      : whole,
  )

// resourceVersions: objects' own by rank, so that equal and later stay equal and later; a list's, which others move on, by the
// last of them that it holds. They stand in JSON, in JSON within messages, in YAML, and in maps as Go prints them.

const VERSION =
  /(resourceVersion(?:\\*")?: ?(?:\\*")?|ResourceVersion in (?:record \(|the precondition \(|precondition: |object meta: ))(\d+)\b/g
const BOOKMARK = /^\{"type":"BOOKMARK".*$/gm
const A_LIST = /"kind": ?"(?:\w*List|Table)"|^kind: (?:\w*List|Table)$/m

/** Cuts a text around the version of the list that it is: undefined where it is none. */
function aroundListVersion(
  text: string,
): readonly [before: string, version: string, after: string] | undefined {
  if (!A_LIST.test(text) || text.startsWith('{"type":')) return undefined
  // Go writes a list's metadata first; in what is sorted by key it comes after the items.
  const sorted = !/^\{\s*"kind"/.test(text)
  const found = sorted ? [...text.matchAll(VERSION)].at(-1) : [...text.matchAll(VERSION)].at(0)
  if (!found) return undefined
  const start = found.index + found[1]!.length
  return [text.slice(0, start), found[2]!, text.slice(start + found[2]!.length)]
}

function versionRanks(answers: readonly RawAnswer[]): readonly number[] {
  const found = new Set<number>()
  for (const { text } of answers) {
    const around = aroundListVersion(text)
    const own = (around ? around[0] + around[2] : text).replace(BOOKMARK, '')
    for (const [, , version] of own.matchAll(VERSION)) found.add(Number(version))
  }
  return [...found].sort((a, b) => a - b)
}

const rankOf = (versions: readonly number[], version: number): number =>
  versions.filter((it) => it <= version).length

function listVersions(text: string, versions: readonly number[]): string {
  const around = aroundListVersion(text)
  const atLeast = (version: string): string => `«at least ${rankOf(versions, Number(version))}»`
  const whole = around ? around[0] + atLeast(around[1]) + around[2] : text
  return whole.replace(BOOKMARK, (line) =>
    line.replace(VERSION, (_, head: string, version: string) => head + atLeast(version)),
  )
}

const objectVersions = (text: string, versions: readonly number[]): string =>
  text.replace(
    VERSION,
    (_, head: string, version: string) => `${head}«${rankOf(versions, Number(version))}»`,
  )

const CONTINUE =
  /"continue": ?"([A-Za-z0-9_-]+={0,2})"|(?<=^ {2}continue: )([A-Za-z0-9_-]+={0,2})$/gm

const continueTokens = (text: string, versions: readonly number[]): string =>
  text.replace(CONTINUE, (whole, inJson: string | undefined, inYaml: string | undefined) => {
    const token = inJson ?? inYaml ?? ''
    try {
      const { v, rv, start } = JSON.parse(Buffer.from(token, 'base64url').toString()) as {
        readonly v: string
        readonly rv: number
        readonly start: string
      }
      const at = rv < 0 ? rv : rankOf(versions, rv)
      return `"continue":"«${v} at least ${at} from ${JSON.stringify(start).slice(1, -1)}»"`
    } catch {
      return whole
    }
  })

/** The end of a generated name is random. */
function generatedNames(
  answers: readonly RawAnswer[],
  asked: string,
): readonly (readonly [string, string])[] {
  const found = new Map<string, string>()
  for (const [, base] of asked.matchAll(/\\?"generateName\\?":\\?"([\w.-]+)\\?"/g))
    for (const { text } of answers)
      for (const [name] of text.matchAll(
        new RegExp(`\\b${base}[bcdfghjklmnpqrstvwxz2456789]{5}\\b`, 'g'),
      ))
        if (!found.has(name)) found.set(name, `${base}«generated${found.size + 1}»`)
  return [...found]
}

const MANAGED = /"managedFields": ?\[/

/**
 * managedFields stand in the order of their times, which count in seconds: entries of one second stand in that of their managers, and
 * whether two writes came in one second is chance.
 */
function sortedManagers(text: string): string {
  let sorted = ''
  let rest = text
  for (;;) {
    const found = MANAGED.exec(rest)
    if (!found) return sorted + rest
    const start = found.index + found[0].length - 1
    const end = endOfList(rest, start)
    sorted += rest.slice(0, start) + entriesIn(rest.slice(start, end))
    rest = rest.slice(end)
  }
}

function entriesIn(text: string): string {
  try {
    const entries = (JSON.parse(text) as object[]).map((it) => JSON.stringify(it))
    return `[${entries.sort().join(',')}]`
  } catch {
    return text
  }
}

/** Where the list ends that begins at `start`. */
function endOfList(text: string, start: number): number {
  let depth = 0
  let quoted = false
  for (let i = start; i < text.length; i++) {
    const char = text[i]
    if (quoted) {
      if (char === '\\') i++
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === '[') depth++
    else if (char === ']' && --depth === 0) return i + 1
  }
  return text.length
}

const YAML_MANAGED = /^( *)managedFields:\n((?:\1(?:- | {2}).*\n)+)/gm

/** The same where they stand in YAML. */
const sortedYamlManagers = (text: string): string =>
  text.replace(YAML_MANAGED, (_, indent: string, list: string) => {
    const entries = list.split(new RegExp(`^(?=${indent}- )`, 'm'))
    return `${indent}managedFields:\n${entries.sort().join('')}`
  })
