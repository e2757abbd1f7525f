/** Bits of the key-usage extension, and extended key usages in the order in which Go writes them, by what a request calls them. */
export interface CertificateUsages {
  /** As RFC 5280 4.2.1.3 numbers them: bit 0 is 1. */
  readonly bits: number
  /** Object identifiers. */
  readonly extended: readonly string[]
}

const BITS: Readonly<Record<string, number>> = {
  signing: 1 << 0,
  'digital signature': 1 << 0,
  'content commitment': 1 << 1,
  'key encipherment': 1 << 2,
  'data encipherment': 1 << 3,
  'key agreement': 1 << 4,
  'cert sign': 1 << 5,
  'crl sign': 1 << 6,
  'encipher only': 1 << 7,
  'decipher only': 1 << 8,
}

const EXTENDED: readonly (readonly [usage: string, oid: string])[] = [
  ['any', '2.5.29.37.0'],
  ['server auth', '1.3.6.1.5.5.7.3.1'],
  ['client auth', '1.3.6.1.5.5.7.3.2'],
  ['code signing', '1.3.6.1.5.5.7.3.3'],
  ['email protection', '1.3.6.1.5.5.7.3.4'],
  ['s/mime', '1.3.6.1.5.5.7.3.4'],
  ['ipsec end system', '1.3.6.1.5.5.7.3.5'],
  ['ipsec tunnel', '1.3.6.1.5.5.7.3.6'],
  ['ipsec user', '1.3.6.1.5.5.7.3.7'],
  ['timestamping', '1.3.6.1.5.5.7.3.8'],
  ['ocsp signing', '1.3.6.1.5.5.7.3.9'],
  ['microsoft sgc', '1.3.6.1.4.1.311.10.3.3'],
  ['netscape sgc', '2.16.840.1.113730.4.1'],
]

/** What a certificate may be used for, from a request's usages (certificates/authority keyUsagesFromStrings); the API knows no others. */
export function certificateUsages(usages: readonly string[]): CertificateUsages {
  const bits = usages.reduce((sum, it) => sum | (BITS[it] ?? 0), 0)
  const extended = EXTENDED.filter(([usage]) => usages.includes(usage)).map(([, oid]) => oid)
  return { bits, extended: [...new Set(extended)] }
}
