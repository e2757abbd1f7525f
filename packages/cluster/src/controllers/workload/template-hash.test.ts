import assert from 'node:assert/strict'
import test from 'node:test'
import type { PodTemplateSpec } from 'kubewright/kinds/core/v1'
import { revisionData, revisionHash } from '../history/revisions.ts'
import { goPrint } from './go-print.ts'
import { templateHash } from './template-hash.ts'
import { TEMPLATES } from './templates.fixture.ts'

test('templates have the names that kube-controller-manager v1.36.3 gave them', () => {
  for (const it of TEMPLATES) {
    assert.equal(templateHash(it.deployment), it.hash)
    assert.equal(templateHash(it.set), it.daemon)
    assert.equal(revisionHash(revisionData(it.set as PodTemplateSpec), 0), it.stateful)
  }
})

test('a collision makes another name', () => {
  const [{ deployment } = { deployment: {} }] = TEMPLATES
  const names = [undefined, 0, 1, 256].map((it) => templateHash(deployment, it))
  assert.equal(new Set(names).size, names.length)
})

test('values are printed as spew prints them', () => {
  const quantity = (text: string): string => goPrint('resource.Quantity', text)
  const print = (value: string, scale: number, text: string, format: string): string =>
    `(resource.Quantity){i:(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)${scale}} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)${text} Format:(resource.Format)${format}}`
  assert.equal(quantity('100m'), print('100', -3, '100m', 'DecimalSI'))
  assert.equal(quantity('-1500m'), print('-1500', -3, '-1500m', 'DecimalSI'))
  assert.equal(quantity('65Mi'), print('68157440', 0, '65Mi', 'BinarySI'))
  assert.equal(quantity('64Mi'), print('67108864', 0, '', 'BinarySI'))
  assert.equal(quantity('2e3'), print('2', 3, '2e3', 'DecimalExponent'))
  assert.equal(goPrint('*int64', undefined), '(*int64)<nil>')
  assert.equal(goPrint('*int64', 3), '(*int64)3')
  assert.equal(goPrint('[]string', []), '([]string)<nil>')
  assert.equal(goPrint('map[string]string', { b: '2', a: '1' }), '(map[string]string)map[a:1 b:2]')
  assert.match(
    goPrint('intstr.IntOrString', 'http'),
    /\{Type:\(intstr.Type\)1 IntVal:\(int32\)0 StrVal:\(string\)http\}$/,
  )
})
