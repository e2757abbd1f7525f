import 'reflect-metadata'
import { Pkcs10CertificateRequest } from '@peculiar/x509'

/** The organizations that a certificate request (PEM in base64) asks to be issued for. Throws an Error for what is no request. */
export function organizationsIn(base64: string): readonly string[] {
  const pem = Buffer.from(base64, 'base64').toString('latin1')
  return new Pkcs10CertificateRequest(pem).subjectName.getField('O')
}

/** The common names of the same. Throws as well. */
export function commonNamesIn(base64: string): readonly string[] {
  const pem = Buffer.from(base64, 'base64').toString('latin1')
  return new Pkcs10CertificateRequest(pem).subjectName.getField('CN')
}
