import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'

/**
 * What PEM holds, without what differs from run to run: for each certificate whose it is, by whom, for what names and for how long; for a
 * key its kind. Undefined where a text is no PEM.
 */
export function pemShown(text: string): string | undefined {
  const blocks = text.match(/-----BEGIN [A-Z ]+-----[^-]+-----END [A-Z ]+-----/g)
  return blocks?.map(blockShown).join('\n')
}

function blockShown(block: string): string {
  if (block.includes('PRIVATE KEY')) return keyShown(block)
  if (block.includes('CERTIFICATE REQUEST')) return 'a certificate request'
  return certificateShown(new X509Certificate(block))
}

function keyShown(block: string): string {
  const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(block)
  const size = asymmetricKeyDetails?.modulusLength ?? asymmetricKeyDetails?.namedCurve ?? ''
  return `a private key: ${asymmetricKeyType} ${size}`.trim()
}

function certificateShown(it: X509Certificate): string {
  const hours = Math.round((Date.parse(it.validTo) - Date.parse(it.validFrom)) / 3_600_000)
  return [
    `a certificate of ${named(it.subject)} by ${named(it.issuer)}`,
    `for ${hours} h`,
    ...(it.ca ? ['an authority'] : []),
    ...(it.subjectAltName ? [it.subjectAltName] : []),
  ].join(', ')
}

const named = (name: string | undefined): string => (name ?? '').replaceAll('\n', ' ') || 'nobody'

/** Whether a pair belongs together, and is by an authority; all in PEM. */
export function pairShown(certificate: string, key: string, authority: string | undefined): string {
  const own = new X509Certificate(certificate)
  const fits = own.checkPrivateKey(createPrivateKey(key))
  if (!authority) return fits ? 'the key fits' : 'the key does not fit'
  const signed = own.verify(
    createPublicKey(
      new X509Certificate(authority).publicKey.export({ type: 'spki', format: 'pem' }),
    ),
  )
  return `the key ${fits ? 'fits' : 'does not fit'}, and the certificate ${signed ? 'is' : 'is not'} by ca.crt`
}
