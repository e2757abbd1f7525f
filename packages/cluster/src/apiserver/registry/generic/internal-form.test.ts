import assert from 'node:assert/strict'
import test from 'node:test'
import { internalForm } from './internal-form.ts'

test('shows every field under its Go name, nothing as nil and zeros as Go has them', () => {
  assert.deepEqual(internalForm('Toleration', { key: 'a', tolerationSeconds: 5 }), {
    Key: 'a',
    Operator: '',
    Value: '',
    Effect: '',
    TolerationSeconds: 5,
  })
  assert.deepEqual(internalForm('EmptyDirVolumeSource', {}), { Medium: '', SizeLimit: null })
})

test('keeps selectors as they are published, labels by their keys', () => {
  const labelSelector = { matchLabels: { b: '1', a: '2' }, matchExpressions: [] }
  const form = internalForm('TopologySpreadConstraint', { maxSkew: 1, labelSelector })
  assert.equal(
    JSON.stringify((form as { readonly LabelSelector: unknown }).LabelSelector),
    '{"matchLabels":{"a":"2","b":"1"}}',
  )
})

test('has what a pod shares with its host in the security context, and its metadata flat', () => {
  const spec = { hostNetwork: true, securityContext: { runAsUser: 1 } }
  const form = internalForm('PodTemplateSpec', { metadata: { labels: { a: 'b' } }, spec }) as {
    readonly labels: unknown
    readonly Spec: { readonly SecurityContext: Readonly<Record<string, unknown>> }
  }
  const { HostNetwork, HostPID, HostUsers, RunAsUser } = form.Spec.SecurityContext
  assert.deepEqual(
    [form.labels, HostNetwork, HostPID, HostUsers, RunAsUser],
    [{ a: 'b' }, true, false, null, 1],
  )
})
