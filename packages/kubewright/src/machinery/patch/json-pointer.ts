/**
 * Splits a JSON pointer (RFC 6901) into its reference tokens as json-patch v4 does: whatever stands before the
 * first slash is ignored, and a pointer without a slash (the empty one too) names nothing, hence `undefined`.
 */
export function pointerTokens(pointer: string): readonly string[] | undefined {
  const parts = pointer.split('/')
  if (parts.length < 2) return undefined
  return parts.slice(1).map(decodeToken)
}

function decodeToken(token: string): string {
  if (!token.includes('~')) return token
  return token.replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~'))
}

/** The outcome of reading an array index: the number, or strconv.Atoi's message. */
export type IndexResult =
  { readonly ok: true; readonly index: number } | { readonly ok: false; readonly message: string }

/** Reads a token as Go's strconv.Atoi does: an optional sign, then decimal digits; leading zeros pass. */
export function parseIndex(token: string): IndexResult {
  if (!/^[+-]?\d+$/.test(token)) return failed(token, 'invalid syntax')
  const index = Number(token)
  if (Math.abs(index) > 2 ** 63) return failed(token, 'value out of range')
  return { ok: true, index }
}

function failed(token: string, problem: string): IndexResult {
  return { ok: false, message: `strconv.Atoi: parsing ${JSON.stringify(token)}: ${problem}` }
}
