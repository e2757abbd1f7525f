import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createApiServer } from '@kubewright/cluster/apiserver'
import { createClient, kind, s } from 'kubewright'
import { CustomResourceDefinition } from 'kubewright/kinds/apiextensions.k8s.io/v1'
import { ConfigMap } from 'kubewright/kinds/core/v1'
import { app } from './first-operator.ts'

/** As the operator declares it. */
const Greeting = kind('example.com/v1', 'Greeting', {
  spec: { name: s.string({ minLength: 1 }) },
  status: { text: s.string(), conditions: s.conditions() },
})

test('the README shows the operator that is compiled and run here', async () => {
  const [readme, program] = await Promise.all(
    ['../README.md', './first-operator.ts'].map((it) =>
      readFile(new URL(it, import.meta.url), 'utf8'),
    ),
  )
  assert.ok(readme!.includes(program!), 'README.md must show test/first-operator.ts as it is')
  assert.ok(program!.trim().split('\n').length <= 30)
})

test('the first operator greets', async (t) => {
  const server = createApiServer({})
  t.after(() => server.close())
  const client = createClient({ transport: (request) => server.fetch(request) })
  await client.apply(CustomResourceDefinition, Greeting.crd())
  const greeted = Promise.withResolvers<void>()
  const running = await app.start({
    transport: (request) => server.fetch(request),
    observer: (event) => {
      if (event.type === 'written' && event.subresource === 'status') greeted.resolve()
    },
  })
  await client.create(Greeting, { metadata: { name: 'web' }, spec: { name: 'Ada' } })
  await greeted.promise
  assert.equal((await client.get(Greeting, 'web')).status?.text, 'Hello, Ada!')
  assert.equal((await client.get(ConfigMap, 'web')).data?.['text'], 'Hello, Ada!')
  await running.stop()
})
