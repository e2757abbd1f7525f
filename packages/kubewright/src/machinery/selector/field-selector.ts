/** Which objects, by the value of a few fields that the server names (apimachinery/pkg/fields). */
export interface FieldSelector {
  readonly terms: readonly FieldTerm[]
  /** Whether an object matches, given a way to look its fields up. */
  readonly matches: (valueOf: (field: string) => string) => boolean
  readonly text: string
}

/** One condition on one field. */
export interface FieldTerm {
  readonly field: string
  readonly equal: boolean
  readonly value: string
}

const OPERATORS = ['!=', '==', '='] as const

/**
 * Reads a field selector: `metadata.name=web,status.phase!=Running`; `\` escapes `\`, `,` and `=` in a value. Throws an Error with
 * the real server's sentence: `invalid selector: 'x'; can't understand 'x'`.
 */
export function parseFieldSelector(text: string): FieldSelector {
  return fieldSelector(
    splitTerms(text)
      .sort()
      .filter((it) => it !== '')
      .map((it) => term(text, it)),
  )
}

/** Makes a selector that asks for all of `terms`. */
export function fieldSelector(terms: readonly FieldTerm[]): FieldSelector {
  return Object.freeze({
    terms,
    matches: (valueOf: (field: string) => string) =>
      terms.every((it) => (valueOf(it.field) === it.value) === it.equal),
    text: terms
      .map((it) => `${it.field}${it.equal ? '=' : '!='}${escapeFieldValue(it.value)}`)
      .join(','),
  })
}

/** Escapes a literal for use as a value in a field selector. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&')
}

/** Splits at the commas that no backslash escapes. */
function splitTerms(text: string): string[] {
  return [...text.matchAll(/((?:\\[^]?|[^\\,])*)(?:,|$)/g)].map(([, part = '']) => part)
}

function term(whole: string, part: string): FieldTerm {
  for (let at = 0; at < part.length; at++) {
    const operator = OPERATORS.find((it) => part.startsWith(it, at))
    if (operator)
      return {
        field: part.slice(0, at),
        equal: operator !== '!=',
        value: unescape(part.slice(at + operator.length)),
      }
  }
  throw new Error(`invalid selector: '${whole}'; can't understand '${part}'`)
}

function unescape(value: string): string {
  return value.replace(/\\(.?)|[,=]/gs, (all, escaped: string | undefined) => {
    if (escaped === undefined)
      throw new Error(`invalid field selector: unescaped character in value: ${all.charCodeAt(0)}`)
    if (escaped === '' || !'\\,='.includes(escaped))
      throw new Error(`invalid field selector: invalid escape sequence: ${all}`)
    return escaped
  })
}
