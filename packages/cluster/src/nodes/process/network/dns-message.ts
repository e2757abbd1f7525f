/** What is asked (RFC 1035). */
export interface DnsQuestion {
  readonly id: number
  /** In lower case, without the last dot. */
  readonly name: string
  readonly type: number
  readonly recursionDesired: boolean
  /** The question as it was sent, for the answer to repeat. */
  readonly bytes: Buffer
}

/** Record types. */
export const TYPE = {
  A: 1,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  ANY: 255,
} as const

/** One record of an answer. */
export type DnsRecord = { readonly name: string; readonly ttl: number } & (
  | { readonly type: 'A'; readonly address: string }
  | { readonly type: 'CNAME' | 'PTR'; readonly target: string }
  | { readonly type: 'TXT'; readonly text: string }
  | {
      readonly type: 'SRV'
      readonly port: number
      readonly weight: number
      readonly target: string
    }
)

/** What the answer is: records, or why there are none. */
export interface DnsAnswer {
  readonly code: 'NOERROR' | 'NXDOMAIN'
  readonly answers: readonly DnsRecord[]
  readonly additional?: readonly DnsRecord[]
  /** The zone that says so. */
  readonly zone?: string
}

const CODES = { NOERROR: 0, NXDOMAIN: 3 } as const
/** The longest answer over UDP without EDNS, in bytes. */
const UDP_LIMIT = 512

/** Reads a query. Undefined for what is none, or asks several things. */
export function readQuestion(message: Buffer): DnsQuestion | undefined {
  if (message.length < 17) return undefined
  const flags = message.readUInt16BE(2)
  if ((flags & 0x8000) !== 0 || message.readUInt16BE(4) !== 1) return undefined
  const labels: string[] = []
  let at = 12
  for (;;) {
    const length = message[at]
    // Nobody compresses the only name in a query.
    if (length === undefined || length > 63) return undefined
    at++
    if (length === 0) break
    labels.push(message.subarray(at, at + length).toString('latin1'))
    at += length
  }
  if (at + 4 > message.length) return undefined
  return {
    id: message.readUInt16BE(0),
    name: labels.join('.').toLowerCase(),
    type: message.readUInt16BE(at),
    recursionDesired: (flags & 0x0100) !== 0,
    bytes: message.subarray(12, at + 4),
  }
}

/** Writes an answer; over UDP one that is too long is cut, so that the client asks again over TCP. */
export function writeAnswer(question: DnsQuestion, answer: DnsAnswer, overUdp: boolean): Buffer {
  const { answers, additional = [], zone } = answer
  const isNegative = answers.length === 0 && zone !== undefined
  const parts = [
    question.bytes,
    ...answers.map(recordBytes),
    ...(isNegative ? [authorityBytes(zone)] : []),
    ...additional.map(recordBytes),
  ]
  const counts = [1, answers.length, isNegative ? 1 : 0, additional.length]
  const whole = Buffer.concat([header(question, answer, counts, false), ...parts])
  if (!overUdp || whole.length <= UDP_LIMIT) return whole
  return Buffer.concat([header(question, answer, [1, 0, 0, 0], true), question.bytes])
}

function header(
  { id, recursionDesired }: DnsQuestion,
  { code }: DnsAnswer,
  counts: readonly number[],
  isCut: boolean,
): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(id, 0)
  // An authoritative answer; recursion is available as far as there is any.
  const flags = 0x8480 | (recursionDesired ? 0x0100 : 0) | (isCut ? 0x0200 : 0) | CODES[code]
  head.writeUInt16BE(flags, 2)
  counts.forEach((it, index) => head.writeUInt16BE(it, 4 + 2 * index))
  return head
}

function nameBytes(name: string): Buffer {
  const labels = name === '' ? [] : name.split('.')
  return Buffer.concat([
    ...labels.map((it) => Buffer.concat([Buffer.of(it.length), Buffer.from(it, 'latin1')])),
    Buffer.of(0),
  ])
}

function recordOf(name: string, type: number, ttl: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(ttl, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([nameBytes(name), fixed, data])
}

function recordBytes(record: DnsRecord): Buffer {
  const { name, ttl } = record
  switch (record.type) {
    case 'A':
      return recordOf(name, TYPE.A, ttl, Buffer.from(record.address.split('.').map(Number)))
    case 'CNAME':
    case 'PTR':
      return recordOf(name, TYPE[record.type], ttl, nameBytes(record.target))
    case 'TXT': {
      const text = Buffer.from(record.text)
      return recordOf(name, TYPE.TXT, ttl, Buffer.concat([Buffer.of(text.length), text]))
    }
    case 'SRV': {
      const fixed = Buffer.alloc(6)
      fixed.writeUInt16BE(record.weight, 2)
      fixed.writeUInt16BE(record.port, 4)
      return recordOf(name, TYPE.SRV, ttl, Buffer.concat([fixed, nameBytes(record.target)]))
    }
  }
}

/** How long it is remembered that there is nothing, in seconds. */
const NEGATIVE_TTL = 5

function authorityBytes(zone: string): Buffer {
  const numbers = Buffer.alloc(20)
  ;[1, 7200, 1800, 86_400, NEGATIVE_TTL].forEach((it, index) =>
    numbers.writeUInt32BE(it, 4 * index),
  )
  const data = Buffer.concat([
    nameBytes(`ns.dns.${zone}`),
    nameBytes(`hostmaster.${zone}`),
    numbers,
  ])
  return recordOf(zone, TYPE.SOA, NEGATIVE_TTL, data)
}
