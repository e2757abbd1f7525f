/** How a text is written: bare, in quotes of one kind or the other, or as a block. */
export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal'

/** The style that go-yaml v2 chooses (encode.go stringv, emitterc.go yaml_emitter_select_scalar_style). Keys are never blocks. */
export function styleOf(text: string, isKey: boolean): ScalarStyle {
  const allowed = analysed(text)
  if (text.includes('\n') && !isKey) return allowed.block ? 'literal' : 'double'
  if (text.includes('\n') || isOther(text)) return 'double'
  if (allowed.plain) return 'plain'
  return allowed.single ? 'single' : 'double'
}

const WORDS: ReadonlySet<string> = new Set(
  [
    '', // The empty word is null.
    '~ << y Y yes Yes YES n N no No NO true True TRUE false False FALSE on On ON off Off OFF',
    'null Null NULL .nan .NaN .NAN .inf .Inf .INF +.inf +.Inf +.INF -.inf -.Inf -.INF',
  ].flatMap((it) => it.split(' ')),
)

const INTEGER = /^[-+]?(?:0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[1-9]\d*|0)$/
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/
const SEXAGESIMAL = /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/
const TIME =
  /^\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[-+]\d\d:\d\d))|(?: \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?))?$/

/** Whether YAML 1.1 would take a bare text for something else than a text (resolve.go). */
function isOther(text: string): boolean {
  if (WORDS.has(text)) return true
  if (!/^[-+.\d]/.test(text)) return false
  const digits = text.replaceAll('_', '')
  return (
    (/^[-+\d]/.test(text) && INTEGER.test(digits)) ||
    FLOAT.test(digits) ||
    SEXAGESIMAL.test(text) ||
    TIME.test(text)
  )
}

/** What YAML reads as the beginning of something. */
const FIRST = /^(?:[#,[\]{}&*!|>'"%@`]|[-?:](?:\s|$)|---|\.\.\.)/
const INNER = /:(?:\s|$)| #/
const UNPRINTABLE = /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/

interface Allowed {
  readonly plain: boolean
  readonly single: boolean
  readonly block: boolean
}

/** In which styles a text can be told (emitterc.go yaml_emitter_analyze_scalar). */
function analysed(text: string): Allowed {
  const breaksAfterSpace = / [\n\u2028\u2029]/.test(text)
  const spaceAfterBreak = /\n /.test(text)
  const special = breaksAfterSpace || UNPRINTABLE.test(text)
  const edged = /^[ \n]|[ \n]$/.test(text)
  return {
    plain: !special && !edged && !text.includes('\n') && !FIRST.test(text) && !INNER.test(text),
    single: !special && !spaceAfterBreak,
    block: !special && !text.endsWith(' '),
  }
}
