/** Format strings taken apart: text and `%` clauses (cel-go's ext/formatting.go). */

/** One `%` clause: its letter, and the digits after the point. */
export interface Clause {
  readonly verb: string
  readonly precision: number | undefined
}

/** A format string taken apart: text, and clauses in order. */
export type FormatPart = string | Clause

/** The parts up to the first mistake, and the mistake. */
export function parseFormat(format: string): {
  readonly parts: readonly FormatPart[]
  readonly error?: string
} {
  const parts: FormatPart[] = []
  let at = 0
  while (at < format.length) {
    const percent = format.indexOf('%', at)
    if (percent < 0) {
      parts.push(format.slice(at))
      break
    }
    if (percent > at) parts.push(format.slice(at, percent))
    if (format[percent + 1] === '%') {
      parts.push('%')
      at = percent + 2
      continue
    }
    const clause = parseClause(format.slice(percent + 1))
    if ('error' in clause) return { parts: [...parts, PENDING], error: clause.error }
    parts.push(clause)
    at = percent + 1 + clause.length
  }
  return { parts }
}

/** Stands for a clause that is wrong: the argument for it is asked for first. Its verb is empty. */
const PENDING: Clause = { verb: '', precision: undefined }

function parseClause(
  text: string,
): (Clause & { readonly length: number }) | { readonly error: string } {
  if (text === '') return { error: 'unexpected end of string' }
  const match = /^(?:\.(\d*))?([^]?)/u.exec(text)
  const [whole = '', digits, verb = ''] = match ?? []
  const wrong = (reason: string): { readonly error: string } => ({
    error: `could not parse formatting clause: ${reason}`,
  })
  if (digits !== undefined && verb === '') {
    return wrong('error while parsing precision: could not find end of precision specifier')
  }
  if (digits === '') {
    return wrong(
      'error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
    )
  }
  if (!/[sdfebxXo]/.test(verb)) return wrong(`unrecognized formatting clause "${verb}"`)
  return {
    verb,
    precision: digits === undefined ? undefined : Number(digits),
    length: whole.length,
  }
}

/** What each verb takes, as its error says. */
export const VERB_ERRORS: Readonly<Record<string, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ',
  d: 'decimal clause can only be used on integers, was given ',
  f: 'fixed-point clause can only be used on doubles, was given ',
  e: 'scientific clause can only be used on doubles, was given ',
  b: 'only integers and bools can be formatted as binary, was given ',
  x: 'only integers, byte buffers, and strings can be formatted as hex, was given ',
  X: 'only integers, byte buffers, and strings can be formatted as hex, was given ',
  o: 'octal clause can only be used on integers, was given ',
}
