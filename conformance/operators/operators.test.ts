import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTls } from '../../packages/cluster/src/apiserver/http/certificates.ts'
import { answersIn, answersText, compared } from './answers.ts'
import { CASES as CERT_MANAGER } from './cert-manager/cases.ts'
import { shown, tableShown } from './plain.ts'
import { LATE } from './play.ts'
import { CASES as PROMETHEUS } from './prometheus/cases.ts'

test('cases have names of their own', () => {
  for (const cases of [CERT_MANAGER, PROMETHEUS])
    assert.equal(new Set(cases.map((it) => it.name)).size, cases.length)
})

test('an object is shown without what differs from run to run', () => {
  const object = {
    kind: 'A',
    metadata: {
      name: 'web-7h2kd',
      uid: 'u',
      generation: 3,
      managedFields: [
        { manager: 'kubectl', operation: 'Apply' },
        { manager: 'a', operation: 'Update', subresource: 'status' },
      ],
    },
    spec: { at: '2026-01-02T03:04:05Z', retention: '7d' },
    status: {
      observedGeneration: 3,
      conditions: [
        { type: 'Ready', status: 'True', reason: 'R', message: 'm', observedGeneration: 2 },
      ],
    },
  }
  assert.equal(
    shown(object),
    `kind: A
metadata:
  managers:
    - a Update status
    - kubectl Apply
  name: web-<random>
spec:
  at: <time>
  retention: 7d
status:
  conditions:
    - "Ready True: R: m: of 2, and not 3"
  observedGeneration: now`,
  )
})

test('a Secret is shown by what it holds, and whether it belongs together', async () => {
  const { certificate, key, authority } = await makeTls('127.0.0.1', Date.now())
  const { key: other } = await makeTls('127.0.0.1', Date.now())
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  const secret = (own: string): object => ({
    kind: 'Secret',
    data: { 'tls.crt': base64(certificate), 'tls.key': base64(own), 'ca.crt': base64(authority) },
  })
  assert.match(shown(secret(key)), /tls\.key: "a private key: ec prime256v1"/)
  assert.match(shown(secret(key)), /pair: the key fits, and the certificate is by ca\.crt/)
  assert.match(shown(secret(other)), /pair: the key does not fit/)
})

test('a table is shown without ages and widths, complaints in order', () => {
  assert.equal(
    tableShown('a     True   (3m ago)   12s\n* y\n* x'),
    'a  True  (<age>)  <age>\n* x\n* y',
  )
})

test('answers are kept as text, and held against what was kept', () => {
  const answers = new Map([
    ['a', '$ kubectl get a\nx: 1'],
    ['b', '$ kubectl get b\ny: 2'],
  ])
  assert.deepEqual(answersIn(answersText(answers)), answers)
  assert.deepEqual(compared('a', 'x\ny', 'x\ny'), { name: 'a', outcome: 'passed' })
  assert.equal(compared('a', 'x\nz', 'x\ny').reason, '"z" and not "y"')
  assert.equal(compared('a', 'x', 'x\ny').reason, '"the end" and not "y"')
  assert.equal(compared('a', `x\n${LATE}`, `x\n${LATE}`).outcome, 'failed')
  assert.equal(compared('a', 'x', undefined).reason, 'no answer is recorded')
})
