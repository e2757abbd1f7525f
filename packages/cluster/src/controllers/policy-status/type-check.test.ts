import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { createClient } from 'kubewright/client'
import type {
  ExpressionWarning,
  ValidatingAdmissionPolicy,
} from 'kubewright/kinds/admissionregistration.k8s.io/v1'
import { createApiServer } from '../../apiserver/index.ts'
import { KindTypes, resourcesOf } from './schemas.ts'
import { typeWarnings } from './type-check.ts'

/** A policy, and the warnings that kube-controller-manager v1.36 wrote into its status. */
interface Row {
  readonly name: string
  readonly spec: object
  readonly warnings: readonly ExpressionWarning[]
}

const fileAt = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))

const ROWS = fileAt('testdata/type-check.json') as readonly Row[]
const WIDGETS = fileAt('../../apiserver/admission/testdata/widgets.json') as object

describe('the type check of policies', () => {
  const server = createApiServer()
  const client = createClient({ transport: server.fetch })
  const types = new KindTypes(client)

  before(async () => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', body: JSON.stringify(WIDGETS), headers }
    assert.equal((await server.fetch(new Request(`http://server${path}`, init))).status, 201)
  })

  after(() => server.close())

  for (const { name, spec, warnings } of ROWS) {
    test(name, async () => {
      const policy = { metadata: { name }, spec } as ValidatingAdmissionPolicy
      const found = await typeWarnings(policy, {
        resources: () => resourcesOf(client),
        typeOf: (kind) => types.typeOf(kind),
      })
      assert.deepEqual(found, warnings)
    })
  }
})
