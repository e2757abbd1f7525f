import type { Difference } from './compare.ts'
import type { Answer } from './normalise.ts'
import type { Sequence, Step } from './step.ts'

/** A sequence as a literal for a test. */
export function literal({ title, steps }: Sequence): string {
  const lines = steps.map((it) => `    ${stepLiteral(it)},`)
  return `{\n  title: ${quoted(title)},\n  steps: [\n${lines.join('\n')}\n  ],\n}`
}

const stepLiteral = ({ id, ask, type, accept, body }: Step): string => {
  const parts = [
    id ? `id: ${quoted(id)}` : undefined,
    `ask: ${quoted(ask)}`,
    type ? `type: ${quoted(type)}` : undefined,
    accept ? `accept: ${quoted(accept)}` : undefined,
    body === undefined ? undefined : `body: ${valueLiteral(body)}`,
  ]
  return `{ ${parts.filter((it) => it !== undefined).join(', ')} }`
}

const quoted = (text: string): string =>
  `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`

function valueLiteral(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map(valueLiteral).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).map(
    ([key, it]) => `${/^[A-Za-z_]\w*$/.test(key) ? key : quoted(key)}: ${valueLiteral(it)}`,
  )
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

/** Both answers of a difference, as a diff: `-` is what the real server says, `+` what ours does. */
export function diffText({ expected, actual }: Difference): string {
  return lineDiff(linesOf(expected), linesOf(actual)).join('\n')
}

function linesOf({ status, headers, text }: Answer): readonly string[] {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const body = text.split('\n').filter((it) => it !== '')
  return [String(status), ...head, ...body.flatMap(prettyLines)]
}

function prettyLines(line: string): readonly string[] {
  try {
    return JSON.stringify(JSON.parse(line), undefined, 1).split('\n')
  } catch {
    return [line]
  }
}

const CONTEXT = 2

/** A line diff by the longest common subsequence; what is equal and far from a change is left out. */
export function lineDiff(a: readonly string[], b: readonly string[]): readonly string[] {
  const all = changes(a, b)
  const near = new Set<number>()
  for (const [i, line] of all.entries()) {
    if (line.startsWith(' ')) continue
    for (let j = i - CONTEXT; j <= i + CONTEXT; j++) near.add(j)
  }
  const shown: string[] = []
  for (const [i, line] of all.entries()) {
    if (near.has(i)) shown.push(line)
    else if (shown.at(-1) !== '…') shown.push('…')
  }
  return shown
}

function changes(a: readonly string[], b: readonly string[]): readonly string[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i]![j] =
        a[i] === b[j]
          ? lengths[i + 1]![j + 1]! + 1
          : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!)
  const lines: string[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(`  ${a[i++]}`)
      j++
    } else if (j >= b.length || (i < a.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!))
      lines.push(`- ${a[i++]}`)
    else lines.push(`+ ${b[j++]}`)
  }
  return lines
}
