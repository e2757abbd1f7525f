import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startCluster, type Cluster } from '@kubewright/cluster/testing'
import {
  createClient,
  isForbidden,
  type DeclaredKind,
  type Kind,
  type KubeObject,
  type Manager,
} from 'kubewright'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { Lease } from 'kubewright/kinds/coordination.k8s.io/v1'
import { Namespace, ServiceAccount } from 'kubewright/kinds/core/v1'
import { parse } from 'yaml'
import { loadApp } from '../src/generate/load-app.ts'
import { manifestsOf } from '../src/generate/manifests.ts'
import { openProject } from '../src/project.ts'

const OPERATORS = fileURLToPath(new URL('../../../operators', import.meta.url))
const NAMES = ['app-otp', 'my-app', 'memcached'] as const

for (const name of NAMES) {
  const root = path.join(OPERATORS, name)

  test(`the manifests of ${name} are those that generate writes today`, async () => {
    const { project } = await openProject(root)
    const { owned, samples } = manifestsOf(project, await loadApp(root))
    for (const [file, text] of Object.entries(owned))
      assert.equal(await readFile(path.join(root, file), 'utf8'), text, file)
    for (const folder of ['config/crd', 'config/rbac']) {
      const files = (await readdir(path.join(root, folder))).map((it) => `${folder}/${it}`)
      assert.deepEqual(
        files.filter((it) => !(it in owned)),
        [],
        'nothing is left of earlier names',
      )
    }
    for (const file of Object.keys(samples)) await readFile(path.join(root, file))
  })

  test(`${name} works as the service account that generate gives it, and may do nothing else`, async () => {
    await using cluster = await startCluster()
    const { client } = cluster
    const { project } = await openProject(root)
    const namespace = `${project.projectName}-system`
    await client.create(Namespace, { metadata: { name: namespace } })
    const { kinds } = await loadApp(root)
    for (const folder of ['config/crd', 'config/rbac'])
      for (const object of await objectsIn(path.join(root, folder))) await apply(cluster, object)
    const operator = await asServiceAccount(
      cluster,
      namespace,
      `${project.projectName}-controller-manager`,
    )
    const { app } = (await import(path.join(root, 'src/app.ts'))) as { app: Manager }
    await using running = await app.start({
      transport: operator,
      leaderElection: { namespace },
      cache: { freeze: true },
    })
    await running.elected
    assert.equal((await client.list(Lease, { namespace })).items.length, 1)
    const [sample] = await objectsIn(path.join(root, 'config/samples'))
    const made = await apply(cluster, sample!)
    const [kind] = kinds as [DeclaredKind]
    const key = `default/${made.metadata.name}`
    await cluster.until(kind, key, isReady, { timeout: 20_000 })
    await client.delete(Deployment, key)
    await cluster.until(Deployment, key, (it) => (it.status?.readyReplicas ?? 0) > 0)
    await client.delete(kind, key)
    await cluster.untilGone(kind, key)
    await cluster.untilGone(Deployment, key)

    const limited = createClient({ transport: operator })
    await assert.rejects(limited.list(Namespace), isForbidden)
    await assert.rejects(limited.delete(Namespace, namespace), isForbidden)
  })
}

const isReady = (object: KubeObject): boolean => {
  const { status } = object as KubeObject & {
    readonly status?: {
      readonly conditions?: readonly { readonly type: string; readonly status: string }[]
    }
  }
  return (status?.conditions ?? []).some(
    (it) => ['Available', 'Ready'].includes(it.type) && it.status === 'True',
  )
}

/** The objects of a folder's files, its kustomization aside. */
async function objectsIn(folder: string): Promise<readonly KubeObject[]> {
  const files = (await readdir(folder)).filter((it) => it !== 'kustomization.yaml').sort()
  return Promise.all(
    files.map(async (it) => parse(await readFile(path.join(folder, it), 'utf8')) as KubeObject),
  )
}

/** As kubectl does: the kind is looked up, and its namespace is the default one where it has none. */
async function apply({ client }: Cluster, object: KubeObject): Promise<KubeObject> {
  const { apiVersion = '', kind = '' } = object
  client.kinds.refresh()
  const found: Kind = await client.kinds.get(apiVersion, kind)
  const namespaced = found.scope === 'Namespaced'
  const namespace = object.metadata.namespace ?? (namespaced ? 'default' : undefined)
  const metadata = { ...object.metadata, ...(namespace ? { namespace } : {}) }
  return client.apply(found, { ...object, metadata } as never)
}

interface TokenRequest extends KubeObject {
  readonly spec: object
  readonly status?: { readonly token: string }
}

/** The way to the server of whoever has a token of a service account (`kubectl create token`). */
async function asServiceAccount(
  { client, fetch }: Cluster,
  namespace: string,
  name: string,
): Promise<Cluster['fetch']> {
  const tokens = client.subresource<TokenRequest>(ServiceAccount, { namespace, name }, 'token')
  const { status } = await tokens.create({
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { expirationSeconds: 3600 },
  } as never)
  return (request) => {
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${status!.token}`)
    return fetch(new Request(request, { headers }))
  }
}
