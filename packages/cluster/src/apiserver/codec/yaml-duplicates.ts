import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml'
import { YAML_OPTIONS } from './yaml-options.ts'

/**
 * What a YAML text gives more than once in a map, as Go's decoder says it, in the order of the text:
 * `line 9: key "foo" already set in map`.
 */
export function yamlDuplicates(text: string): readonly string[] {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { ...YAML_OPTIONS, uniqueKeys: false, lineCounter })
  const found: string[] = []
  walk(document.contents, (key, line) => found.push(sentence(key, line)), lineCounter)
  return found
}

const sentence = (key: unknown, line: number): string =>
  `line ${line}: key ${JSON.stringify(key)} already set in map`

type Twice = (key: unknown, line: number) => void

function walk(node: unknown, twice: Twice, lines: LineCounter): void {
  if (isSeq(node)) for (const item of node.items) walk(item, twice, lines)
  if (!isMap(node)) return
  const seen = new Set<unknown>()
  for (const { key, value } of node.items as readonly Pair<Node, Node>[]) {
    if (isScalar(key)) {
      if (seen.has(key.value)) twice(key.value, lines.linePos(key.range?.[0] ?? 0).line)
      seen.add(key.value)
    }
    walk(value, twice, lines)
  }
}

/** What strict decoding finds wrong with a text, as one sentence: Go's YAML decoder tells all of its own findings in one. */
export function strictFindings(problems: readonly string[]): string {
  const yaml = problems.filter(isYamlFinding)
  const others = problems.filter((it) => !isYamlFinding(it))
  const told = yaml.length > 0 ? [`yaml: unmarshal errors:\n  ${yaml.join('\n  ')}`] : []
  return [...told, ...others].join(', ')
}

const isYamlFinding = (problem: string): boolean => /^line \d+: key /.test(problem)
