import type { YAMLError } from 'yaml'
import { BAD_BINARY } from './yaml-scalars.ts'

/** Where Go's parser says that something is wrong: at a line counted by its scanner, or by what reads from that. */
type Counts = 'scanner' | 'parser' | 'next line' | 'colon'

interface Sentence {
  readonly about: RegExp
  readonly says: string
  readonly counts: Counts
  /** What the text before it must be like. */
  readonly after?: RegExp
}

/** What the YAML library says, and what Go says instead (go.yaml.in/yaml/v2 scannerc.go and parserc.go). The first that fits. */
const SENTENCES: readonly Sentence[] = [
  says(/^Plain value cannot start with flow/, 'did not find expected node content', 'parser'),
  says(/^Plain value cannot/, 'found character that cannot start any token', 'scanner'),
  says(/^Tabs are not allowed/, 'found character that cannot start any token', 'scanner'),
  says(/^Missing closing/, 'found unexpected end of stream', 'scanner'),
  says(/^Invalid escape sequence/, 'found unknown escape character', 'scanner'),
  says(/^Verbatim tags/, "did not find the expected '>'", 'scanner'),
  {
    ...says(/[Ff]low \w+.* end with/, 'did not find expected node content', 'parser'),
    after: /[[{,:]$/,
  },
  says(/[Ff]low sequence.* end with/, "did not find expected ',' or ']'", 'parser'),
  says(/[Ff]low map.* end with/, "did not find expected ',' or '}'", 'parser'),
  says(/^Unexpected \S+ in flow/, 'did not find expected node content', 'parser'),
  says(/^Unexpected \S+ token in YAML/, 'did not find expected node content', 'parser'),
  says(/^Block collections/, "did not find expected ',' or '}'", 'parser'),
  says(/^Missing , between flow/, "did not find expected ',' or '}'", 'parser'),
  says(/^Nested mappings/, 'mapping values are not allowed in this context', 'colon'),
  says(/^Implicit keys need/, 'mapping values are not allowed in this context', 'colon'),
  says(/^Implicit map keys/, "could not find expected ':'", 'next line'),
  says(/^Unexpected scalar at node/, "did not find expected '-' indicator", 'parser'),
  says(/^Sequence item without/, "did not find expected '-' indicator", 'parser'),
  says(/^All mapping items/, 'did not find expected key', 'parser'),
]

function says(about: RegExp, sentence: string, counts: Counts): Sentence {
  return { about, says: sentence, counts }
}

/** What Go says of a text that nests too deep. */
export const TOO_DEEP = 'yaml: exceeded max depth of 10000'

/** An error of the YAML library in Go's words: `yaml: line 2: did not find expected key`. */
export function goYamlError({ message, linePos, pos }: YAMLError, text: string): string {
  if (message.startsWith('Maximum call stack')) return TOO_DEEP
  if (message.startsWith(BAD_BINARY)) return `yaml: ${BAD_BINARY}`
  const cut = text.slice(0, pos[0]).trimEnd()
  const found = SENTENCES.find((it) => it.about.test(message) && (it.after?.test(cut) ?? true))
  const first = linePos?.[0].line ?? 1
  if (!found) return `yaml: line ${first}: ${message.split(' at line ')[0]}`
  const line = lineOf(found.counts, first, pos, text)
  if (/end with/.test(message) && /[[{,:]\s*$/.test(text.slice(0, pos[0])))
    return `yaml: line ${line}: did not find expected node content`
  return line === 0 ? `yaml: ${found.says}` : `yaml: line ${line}: ${found.says}`
}

/** The line that Go names; 0 where it names none. */
function lineOf(counts: Counts, line: number, [start]: readonly number[], text: string): number {
  switch (counts) {
    case 'scanner':
      return line === 1 ? 0 : line
    case 'parser':
      // The end of a text is on a line of its own, whether one was begun or not.
      return start! >= text.length && !text.endsWith('\n') ? line : line - 1
    case 'next line':
      return line + 1
    case 'colon': {
      const colon = text.slice(start).search(/:(?:\s|$)/)
      const lines = text.slice(0, start! + Math.max(colon, 0)).split('\n').length
      return lines === 1 ? 0 : lines
    }
  }
}

/** What Go says where a YAML text has its shape, and still cannot be read. */
export function goYamlFailure(error: Error): string {
  const alias = /^Unresolved alias .*: (.+)$/.exec(error.message)?.[1]
  if (alias !== undefined) return `yaml: unknown anchor '${alias}' referenced`
  if (error.message.startsWith('Excessive alias'))
    return 'yaml: document contains excessive aliasing'
  if (error instanceof RangeError) return TOO_DEEP
  return `yaml: ${error.message}`
}
