import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ApiServer, createApiServer } from '../index.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices'

const version = (name: string, served: boolean, storage: boolean): object => ({
  name,
  served,
  storage,
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
})

const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [version('v1', true, true), version('v2', true, false), version('v3', false, false)],
  },
}

interface ApiService {
  readonly metadata: { readonly name: string; readonly uid: string }
  readonly spec: object
  readonly status?: object
}

interface Reply {
  readonly status: number
  readonly body: unknown
}

async function ask(server: ApiServer, method: string, path: string, body?: object): Promise<Reply> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const request = new Request(`http://server${path}`, {
    method,
    headers: { 'content-type': type, 'user-agent': 'kubectl/v1.36.3' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const answer = await server.fetch(request)
  return { status: answer.status, body: await answer.json() }
}

const service = async (server: ApiServer, name: string): Promise<ApiService | undefined> => {
  const { status, body } = await ask(server, 'GET', `${SERVICES}/${name}`)
  return status === 200 ? (body as ApiService) : undefined
}

/** Asks until the answer is as wanted; the wait ends with the test. */
async function until<T>(get: () => Promise<T>, isWanted: (it: T) => boolean): Promise<T> {
  for (;;) {
    const it = await get()
    if (isWanted(it)) return it
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const groups = async (server: ApiServer): Promise<readonly string[]> => {
  const { body } = await ask(server, 'GET', '/apis')
  return (body as { groups: { name: string }[] }).groups.map((it) => it.name)
}

async function withWidgets(): Promise<ApiServer> {
  const server = createApiServer({ admission: [] })
  await ask(server, 'POST', DEFINITIONS, widgets)
  await until(() => service(server, 'v2.example.com'), Boolean)
  return server
}

describe('the APIServices of custom groups', { timeout: 30_000 }, () => {
  test('are made for each version that a definition serves', async () => {
    await using server = await withWidgets()
    const { metadata, ...rest } = (await service(server, 'v1.example.com'))!
    const { uid, ...told } = metadata as unknown as Record<string, unknown>
    assert.match(String(uid), /^[0-9a-f-]{36}$/)
    const time = told['creationTimestamp']
    delete told['resourceVersion']
    assert.deepEqual(told, {
      name: 'v1.example.com',
      creationTimestamp: time,
      labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' },
      managedFields: [
        {
          manager: 'kube-apiserver',
          operation: 'Update',
          apiVersion: 'apiregistration.k8s.io/v1',
          time,
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': {
              'f:labels': { '.': {}, 'f:kube-aggregator.kubernetes.io/automanaged': {} },
            },
            'f:spec': {
              'f:group': {},
              'f:groupPriorityMinimum': {},
              'f:version': {},
              'f:versionPriority': {},
            },
          },
        },
      ],
    })
    assert.deepEqual(rest, {
      kind: 'APIService',
      apiVersion: 'apiregistration.k8s.io/v1',
      spec: {
        group: 'example.com',
        version: 'v1',
        groupPriorityMinimum: 1000,
        versionPriority: 100,
      },
      status: {
        conditions: [
          {
            type: 'Available',
            status: 'True',
            lastTransitionTime: time,
            reason: 'Local',
            message: 'Local APIServices are always available',
          },
        ],
      },
    })
    assert.equal(await service(server, 'v3.example.com'), undefined)
  })

  test('come back when somebody deletes or changes one, and go with the version', async () => {
    await using server = await withWidgets()
    const first = (await service(server, 'v1.example.com'))!
    await ask(server, 'DELETE', `${SERVICES}/v1.example.com`)
    const again = await until(
      () => service(server, 'v1.example.com'),
      (it) => it !== undefined && it.metadata.uid !== first.metadata.uid,
    )
    await ask(server, 'PATCH', `${SERVICES}/v1.example.com`, { spec: { versionPriority: 7 } })
    const right = await until(
      () => service(server, 'v1.example.com'),
      (it) => JSON.stringify(it?.spec) === JSON.stringify(again?.spec),
    )
    assert.equal(right?.metadata.uid, again?.metadata.uid)

    await ask(server, 'PATCH', `${DEFINITIONS}/widgets.example.com`, {
      spec: {
        versions: [version('v1', true, true), version('v2', false, false)],
      },
    })
    await until(
      () => service(server, 'v2.example.com'),
      (it) => it === undefined,
    )
    assert.ok((await groups(server)).includes('example.com'))
    await ask(server, 'DELETE', `${DEFINITIONS}/widgets.example.com`)
    await until(
      () => service(server, 'v1.example.com'),
      (it) => it === undefined,
    )
    assert.ok(!(await groups(server)).includes('example.com'))
  })

  test('that somebody made are left alone, and stand in discovery by their priorities', async () => {
    await using server = await withWidgets()
    const made = {
      metadata: { name: 'v1.nothing.example.com' },
      spec: {
        group: 'nothing.example.com',
        version: 'v1',
        groupPriorityMinimum: 30,
        versionPriority: 5,
      },
    }
    await ask(server, 'POST', SERVICES, made)
    const told = await until(
      () => service(server, 'v1.nothing.example.com'),
      (it) => it?.status !== undefined && 'conditions' in it.status,
    )
    const { reason } = (told!.status as { conditions: { reason: string }[] }).conditions[0]!
    assert.equal(reason, 'Local')
    // As kube-apiserver v1.36.3 answers: whatever is registered is told, served or not.
    const last = async (): Promise<readonly string[]> => (await groups(server)).slice(-2)
    await until(last, (it) => it.join() === 'example.com,nothing.example.com')

    await ask(server, 'DELETE', `${SERVICES}/v1.apps`)
    await until(
      () => groups(server),
      (it) => !it.includes('apps'),
    )
    assert.equal((await ask(server, 'GET', '/apis/apps/v1/deployments')).status, 200)
    assert.equal((await ask(server, 'GET', '/apis/apps')).status, 200)
    assert.equal(await service(server, 'v1.apps'), undefined)

    const priorities = { groupPriorityMinimum: 18001, versionPriority: 500 }
    await ask(server, 'PATCH', `${SERVICES}/v1.autoscaling`, { spec: priorities })
    await until(
      () => groups(server),
      (it) => it[1] === 'autoscaling',
    )
    const { body } = await ask(server, 'GET', '/apis/autoscaling')
    assert.deepEqual(
      (body as { versions: { version: string }[] }).versions.map((it) => it.version),
      ['v1', 'v2'],
    )
  })
})
