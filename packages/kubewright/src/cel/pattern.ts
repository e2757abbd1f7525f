/** RE2 patterns: compile, match, find. Linear in the text's length whatever the pattern. */
import { RE2JS } from 're2js'
import type { Value } from './value.ts'
import { ArrayList, EvalError } from './value.ts'

/** A compiled pattern. */
export type Pattern = RE2JS

/** The pattern, or an error in Go's words: "error parsing regexp: missing closing ): `(`". */
export function compilePattern(source: string): Pattern | EvalError {
  try {
    return RE2JS.compile(source)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    // Go allows two groups of one name; names play no part in matching.
    if (message.includes(DUPLICATE_NAME)) return compilePattern(withoutGroupNames(source))
    return new EvalError(message.endsWith(TRAILING_BACKSLASH) ? `${message}: \`\`` : message)
  }
}

const DUPLICATE_NAME = 'duplicate capture group name'
const TRAILING_BACKSLASH = 'trailing backslash at end of expression'

function withoutGroupNames(source: string): string {
  return source.replaceAll(/\(\?P?<[A-Za-z_]\w*>/g, '(')
}

/** `text.matches(pattern)`: anywhere in the text. */
export function patternMatches(pattern: Pattern, text: string): boolean {
  return pattern.matcher(text).find()
}

/** `text.find(pattern)`: the first match, or an empty string. */
export function patternFind(pattern: Pattern, text: string): string {
  const matcher = pattern.matcher(text)
  return matcher.find() ? (matcher.group() ?? '') : ''
}

/** `text.findAll(pattern, limit)`: the matches, all of them if the limit is negative. An empty match right after another is none. */
export function patternFindAll(pattern: Pattern, text: string, limit: number): readonly string[] {
  const found: string[] = []
  const most = limit < 0 ? Infinity : limit
  const matcher = pattern.matcher(text)
  let lastEnd = -1
  while (found.length < most) {
    if (!matcher.find()) break
    const isEmpty = matcher.start() === matcher.end()
    if (!isEmpty || matcher.start() !== lastEnd) found.push(matcher.group() ?? '')
    lastEnd = matcher.end()
  }
  return found
}

/** The functions whose second argument is a pattern, over a compiled one. */
export function patternFunction(
  name: string,
): ((pattern: Pattern, text: string, limit: Value | undefined) => Value) | undefined {
  switch (name) {
    case 'matches':
      return patternMatches
    case 'find':
      return patternFind
    case 'findAll':
      return (pattern, text, limit) =>
        new ArrayList(patternFindAll(pattern, text, typeof limit === 'bigint' ? Number(limit) : -1))
    default:
      return undefined
  }
}
