/** One block of PEM text (RFC 7468): its label, and its bytes. */
export interface PemBlock {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly hasHeaders: boolean
}

const BLOCK = /-----BEGIN ([^\n]*?)-----[ \t]*\r?\n([\s\S]*?)-----END \1-----/g

/** The blocks in the text that a base64 value holds, in order; what is no block is passed over, as Go's pem.Decode does. */
export function pemBlocks(base64: string): readonly PemBlock[] {
  const text = Buffer.from(base64, 'base64').toString('latin1')
  return [...text.matchAll(BLOCK)].flatMap(([, type = '', content = '']) => {
    const end = content.search(/\r?\n\r?\n/)
    const hasHeaders = content.includes(':') && end >= 0
    const body = (hasHeaders ? content.slice(end) : content).replaceAll(/\s/g, '')
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(body)) return []
    return [{ type, bytes: new Uint8Array(Buffer.from(body, 'base64')), hasHeaders }]
  })
}
