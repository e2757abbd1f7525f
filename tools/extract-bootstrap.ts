/**
 * Writes what a fresh kube-apiserver makes for its flow control and its own groups into packages/cluster/src/apiserver/bootstrap/data:
 *
 *     node tools/extract-bootstrap.ts --kubeconfig admin.kubeconfig
 *
 * The server must be started with `--runtime-config api/all=true`, so that the priorities of every version are told.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { get as httpsGet } from 'node:https'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'

const DATA = new URL('../packages/cluster/src/apiserver/bootstrap/data/', import.meta.url)

interface Item {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly managedFields: readonly (object & { readonly time: string })[]
  }
  readonly spec: Readonly<Record<string, unknown>>
}

const { values } = parseArgs({ options: { kubeconfig: { type: 'string' } } })
if (!values.kubeconfig) {
  throw new Error('extract-bootstrap needs --kubeconfig of a fresh kube-apiserver.')
}
const config = parse(readFileSync(values.kubeconfig, 'utf8')) as {
  clusters: { cluster: { server: string; 'certificate-authority-data': string } }[]
  users: { user: { token: string } }[]
}
const { server, 'certificate-authority-data': ca } = config.clusters[0]!.cluster

async function list(path: string): Promise<readonly Item[]> {
  const options = {
    ca: Buffer.from(ca, 'base64'),
    headers: { authorization: `Bearer ${config.users[0]!.user.token}` },
  }
  const text = await new Promise<string>((resolve, reject) => {
    httpsGet(new URL(path, server), options, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    }).on('error', reject)
  })
  return (JSON.parse(text) as { items: readonly Item[] }).items
}

const specs = (items: readonly Item[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(items.map((it) => [it.metadata.name, it.spec]))

function write(name: string, content: unknown): void {
  const file = new URL(name, DATA)
  const text = `${JSON.stringify(content)}\n`
  writeFileSync(file, text)
  console.log(`${fileURLToPath(file)} ${text.length}`)
}

const FLOW = '/apis/flowcontrol.apiserver.k8s.io/v1'
write('flow-control.json', {
  flowSchemas: specs(await list(`${FLOW}/flowschemas`)),
  priorityLevels: specs(await list(`${FLOW}/prioritylevelconfigurations`)),
})

/** `[groupPriorityMinimum, versionPriority]` of each group and version, by `version.group`. */
const services = (await list('/apis/apiregistration.k8s.io/v1/apiservices')).map((it) => [
  it.metadata.name,
  [it.spec['groupPriorityMinimum'], it.spec['versionPriority']],
])
write('api-services.json', Object.fromEntries(services))

/** What a fresh server has objects of, by storage key. */
const KINDS: Readonly<Record<string, string>> = {
  '/namespaces': '/api/v1/namespaces',
  '/services': '/api/v1/services',
  '/endpoints': '/api/v1/endpoints',
  '/configmaps': '/api/v1/namespaces/kube-system/configmaps',
  'apiregistration.k8s.io/apiservices': '/apis/apiregistration.k8s.io/v1/apiservices',
  'coordination.k8s.io/leases': '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases',
  'discovery.k8s.io/endpointslices': '/apis/discovery.k8s.io/v1/endpointslices',
  'flowcontrol.apiserver.k8s.io/flowschemas': `${FLOW}/flowschemas`,
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': `${FLOW}/prioritylevelconfigurations`,
  'networking.k8s.io/ipaddresses': '/apis/networking.k8s.io/v1/ipaddresses',
  'networking.k8s.io/servicecidrs': '/apis/networking.k8s.io/v1/servicecidrs',
  'rbac.authorization.k8s.io/clusterrolebindings':
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  'rbac.authorization.k8s.io/clusterroles': '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  'rbac.authorization.k8s.io/rolebindings': '/apis/rbac.authorization.k8s.io/v1/rolebindings',
  'rbac.authorization.k8s.io/roles': '/apis/rbac.authorization.k8s.io/v1/roles',
  'scheduling.k8s.io/priorityclasses': '/apis/scheduling.k8s.io/v1/priorityclasses',
}

/** Who owns what of each object, but for the times: equal answers are told once, and found by the objects' storage keys. */
const sets = new Map<string, string[]>()
for (const [key, path] of Object.entries(KINDS)) {
  for (const { metadata } of await list(path)) {
    const owned = metadata.managedFields.map(({ time: _time, ...it }) => it)
    const text = JSON.stringify(owned)
    // A server's lease is named for the server.
    const name = metadata.name.replace(/^apiserver-.*/, 'apiserver')
    const found = sets.get(text) ?? []
    sets.set(text, [...found, `${key}/${metadata.namespace ?? ''}/${name}`])
  }
}
write(
  'managed-fields.json',
  [...sets].map(([text, keys]) => ({ keys, managedFields: JSON.parse(text) as unknown })),
)
