import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestProblemOf } from './certificate-request.ts'
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509'

const KEYS = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

async function request(): Promise<Uint8Array<ArrayBuffer>> {
  const keys = await crypto.subtle.generateKey(KEYS, true, ['sign', 'verify'])
  const made = await Pkcs10CertificateRequestGenerator.create({
    name: 'CN=a',
    keys,
    signingAlgorithm: KEYS,
  })
  return new Uint8Array(made.rawData)
}

/** As kube-apiserver v1.36.3 answered. */
test('what is wrong with a request that cannot be read is told in the words of Go', async () => {
  const fine = await request()
  const bytes = (...it: readonly number[]): Uint8Array<ArrayBuffer> => new Uint8Array(it)
  const params =
    '{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}'
  assert.equal(await requestProblemOf(fine), undefined)
  const answers: readonly (readonly [Uint8Array<ArrayBuffer>, string])[] = [
    [bytes(), 'asn1: syntax error: sequence truncated'],
    [bytes(0x30, 0), 'asn1: syntax error: sequence truncated'],
    [fine.slice(0, 100), 'asn1: syntax error: data truncated'],
    [new Uint8Array([...fine, 1, 2]), 'asn1: syntax error: trailing data'],
    [
      new Uint8Array(Buffer.from('hello world')),
      `asn1: structure error: tags don't match (16 vs {class:1 tag:8 length:101 isCompound:true}) ${params} certificateRequest @2`,
    ],
    [
      bytes(0x30, 3, 2, 1, 1),
      `asn1: structure error: tags don't match (16 vs {class:0 tag:2 length:1 isCompound:false}) ${params} tbsCertificateRequest @2`,
    ],
  ]
  for (const [input, wanted] of answers) assert.equal(await requestProblemOf(input), wanted)
})

test('a request that its key did not sign is refused', async () => {
  const forged = await request()
  forged[forged.length - 1]! ^= 1
  assert.equal(await requestProblemOf(forged), 'x509: ECDSA verification failure')
})
