/** A source text with line positions, and the rendering of issues as cel-go prints them. */
import type { Issue } from './program.ts'
import { codePointCount } from './value.ts'

/** A place in a text: 1-based line, 0-based column in code points. */
export interface Location {
  readonly line: number
  readonly column: number
}

/** What an error without a place has (cel-go's NoLocation). */
export const NO_LOCATION: Location = { line: -1, column: -1 }

const MAX_SNIPPET = 16384

/** The place of a UTF-16 offset. */
export function locationOf(text: string, offset: number): Location {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  let line = 1
  for (let i = before.indexOf('\n'); i >= 0; i = before.indexOf('\n', i + 1)) line++
  return { line, column: codePointCount(before.slice(lineStart)) }
}

/** Issues in source order; the order of those at one place is kept. */
export function sortIssues(issues: readonly Issue[]): readonly Issue[] {
  return issues.toSorted((a, b) => a.line - b.line || a.column - b.column)
}

/** One block per issue: `ERROR: <input>:1:6: message`, the line, and a caret under the column. */
export function renderIssues(text: string, issues: readonly Issue[]): string {
  const lines = text.split('\n')
  return issues.map((issue) => renderIssue(lines, issue)).join('\n')
}

function renderIssue(lines: readonly string[], issue: Issue): string {
  const line = lines[issue.line - 1]
  const isEmpty = lines.length === 1 && line === ''
  // The end of no text at all is before its first column.
  const column = isEmpty ? 0 : issue.column + 1
  const head = `ERROR: <input>:${issue.line}:${column}: ${issue.message}`
  if (line === undefined || isEmpty || line.length > MAX_SNIPPET) return head
  return `${head}\n | ${line.replaceAll('\t', ' ')}\n | ${caret(line, issue.column)}`
}

/** Dots up to the caret, wide ones under characters outside ASCII so that it lines up in a monospaced font. */
function caret(line: string, column: number): string {
  const characters = Array.from(line)
  const dots = characters.slice(0, Math.max(column, 0)).map((c) => (isWide(c) ? '．' : '.'))
  return dots.join('') + (isWide(characters[column] ?? '') ? '＾' : '^')
}

function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 0x7f
}
