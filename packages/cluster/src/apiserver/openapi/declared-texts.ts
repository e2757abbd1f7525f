/** What is said of a type, and of each of its fields. */
export interface TypeTexts {
  readonly text?: string
  readonly fields: Readonly<Record<string, string>>
}

/**
 * The comments of a file of TypeScript declarations, by the name of the type that they stand before: of `export interface` with its fields
 * (two levels of four spaces), and of `export type`. A comment's own form goes; its line breaks stay.
 */
export function declaredTexts(source: string): Readonly<Record<string, TypeTexts>> {
  const found: Record<string, TypeTexts> = {}
  for (const [, comment, name, body = ''] of source.matchAll(TYPE)) {
    found[name!] = { ...(comment ? { text: plain(comment) } : {}), fields: fieldTexts(body) }
  }
  return found
}

/** A comment, if there is one right before it, and an exported type; an interface ends where a line is a brace. */
const TYPE =
  /(?:^\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?^export (?:interface|(?:declare )?type) (\w+)(?:[^\n]*\{\n([^]*?)^\}|[^\n]*)/gm

const FIELD = /^ {4}\/\*\*((?:(?!\*\/)[^])*)\*\/\n {4}(?:readonly )?"?([\w$-]+)"?\??:/gm

const fieldTexts = (body: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...body.matchAll(FIELD)].map(([, comment, name]) => [name!, plain(comment!)] as const),
  )

/** What a comment says: without the star that begins each line but a lone one's. */
function plain(comment: string): string {
  const lines = comment.split('\n')
  if (lines.length === 1) return comment.trim()
  return lines
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim()
}
