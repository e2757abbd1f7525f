import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kind } from './kind.ts'
import { s } from './words.ts'

test('a fragment gives the structural schema that Kubernetes’ own type has', () => {
  const App = kind('example.com/v1', 'App', {
    spec: {
      ports: s.containerPorts({ description: 'What it opens.' }),
      env: s.envVars().optional(),
    },
    status: { conditions: s.conditions() },
  })
  const { properties = {} } = App.crd().spec.versions[0]!.schema!.openAPIV3Schema!
  const ports = properties['spec']?.properties?.['ports']
  assert.equal(ports?.description, 'What it opens.')
  assert.deepEqual(ports?.['x-kubernetes-list-map-keys'], ['containerPort', 'protocol'])
  assert.equal(ports?.items?.properties?.['protocol']?.default, 'TCP')
  assert.deepEqual(properties['spec']?.required, ['ports'])
  const conditions = properties['status']?.properties?.['conditions']
  assert.equal(conditions?.['x-kubernetes-list-type'], 'map')
  assert.deepEqual(conditions?.items?.required, [
    'type',
    'status',
    'lastTransitionTime',
    'reason',
    'message',
  ])
})
