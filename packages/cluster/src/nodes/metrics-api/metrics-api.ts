import { parseLabelSelector, timeText } from 'kubewright/machinery'
import type { Answer, ApiRequest, InProcessApi } from '../../apiserver/index.ts'
import { jsonAnswer, messageOf } from '../kubelet-api/plain-answer.ts'
import type { KubeletHost } from '../kubelet-api/pod-access.ts'
import { measuredPods, nodeUsage, refOf } from '../kubelet-api/usage.ts'
import { asTable, wantsTable } from './table.ts'

/** What the metrics API tells of. */
export interface MetricsSource {
  /** The kubelets whose nodes and pods are measured. */
  readonly hosts: () => readonly KubeletHost[]
  /** The labels of all nodes, by name. */
  readonly nodeLabels: () => Promise<ReadonlyMap<string, Labels>>
}

type Labels = Readonly<Record<string, string>>

/** A measurement as it is served: of a node, or of a pod with its containers (metrics.k8s.io/v1beta1). */
export interface Metrics {
  readonly kind: 'NodeMetrics' | 'PodMetrics'
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly creationTimestamp: string
    readonly labels?: Labels
  }
  readonly timestamp: string
  readonly window: string
  readonly usage?: Amounts
  readonly containers?: readonly { readonly name: string; readonly usage: Amounts }[]
}

interface Amounts {
  readonly cpu: string
  readonly memory: string
}

const GROUP_VERSION = 'metrics.k8s.io/v1beta1'

const RESOURCES = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: GROUP_VERSION,
  resources: [
    {
      name: 'nodes',
      singularName: '',
      namespaced: false,
      kind: 'NodeMetrics',
      verbs: ['get', 'list'],
    },
    {
      name: 'pods',
      singularName: '',
      namespaced: true,
      kind: 'PodMetrics',
      verbs: ['get', 'list'],
    },
  ],
}

/** `metrics.k8s.io/v1beta1` for nodes in this process, as a metrics-server serves it: what `kubectl top` and autoscalers read. */
export function metricsApi(source: MetricsSource): InProcessApi {
  return async (request) => {
    const [, , , ...steps] = request.path.split('/').filter((it) => it !== '')
    if (steps.length === 0) return jsonAnswer(RESOURCES)
    if (request.method !== 'GET') return notAllowed
    const [resource, namespace, name] = addressed(steps)
    if (resource === undefined) return notFound('the server could not find the requested resource')
    try {
      const all = resource === 'nodes' ? await nodesOf(source) : podsOf(source)
      const found = all.filter(
        (it) => namespace === undefined || it.metadata.namespace === namespace,
      )
      return name === undefined
        ? list(found, resource, request)
        : one(found, resource, name, request)
    } catch (error) {
      return failure(400, 'BadRequest', messageOf(error))
    }
  }
}

type Resource = 'nodes' | 'pods'

/** What a path names: `nodes/a`, `pods`, `namespaces/n/pods/a`. */
function addressed(
  steps: readonly string[],
): readonly [resource?: Resource, namespace?: string | undefined, name?: string] {
  if (steps[0] === 'nodes') return ['nodes', undefined, steps[1]] as never
  if (steps[0] === 'pods') return ['pods']
  if (steps[0] === 'namespaces' && steps[2] === 'pods') return ['pods', steps[1], steps[3]] as never
  return []
}

async function nodesOf({ hosts, nodeLabels }: MetricsSource): Promise<readonly Metrics[]> {
  const labels = await nodeLabels()
  const all = hosts().filter((it) => labels.has(it.node))
  return all.map((host) => {
    const usage = nodeUsage(host)
    return {
      kind: 'NodeMetrics' as const,
      metadata: {
        name: host.node,
        creationTimestamp: timeText(host.now()),
        labels: labels.get(host.node)!,
      },
      timestamp: timeText(usage.at),
      window: `${usage.window / 1000}s`,
      usage: amounts(usage),
    }
  })
}

const podsOf = ({ hosts }: MetricsSource): readonly Metrics[] =>
  hosts()
    .flatMap((host) =>
      measuredPods(host)
        .filter(({ pod }) => pod.status?.phase === 'Running')
        .map(({ pod, containers }): Metrics => {
          const { namespace, name } = refOf(pod)
          const { labels } = pod.metadata
          return {
            kind: 'PodMetrics',
            metadata: {
              name,
              namespace,
              creationTimestamp: timeText(host.now()),
              ...(labels && { labels }),
            },
            timestamp: timeText(Math.min(...containers.map((it) => it.at))),
            window: `${Math.max(...containers.map((it) => it.window)) / 1000}s`,
            containers: containers.map((it) => ({ name: it.name, usage: amounts(it) })),
          }
        }),
    )
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))

const keyOf = ({ metadata }: Metrics): string => `${metadata.namespace}/${metadata.name}`

/** As a metrics-server writes amounts: billionths of a core, and kibibytes. */
const amounts = (usage: {
  readonly cpuCores: number
  readonly workingSetBytes: number
}): Amounts => ({
  cpu: `${Math.round(usage.cpuCores * 1e9)}n`,
  memory: `${Math.round(usage.workingSetBytes / 1024)}Ki`,
})

function list(all: readonly Metrics[], resource: Resource, request: ApiRequest): Answer {
  const selector = parseLabelSelector(request.query.get('labelSelector') ?? '')
  const field = /^metadata\.name==?(.+)$/.exec(request.query.get('fieldSelector') ?? '')?.[1]
  const items = all.filter(
    ({ metadata }) =>
      selector.matches(metadata.labels ?? {}) && (field === undefined || metadata.name === field),
  )
  if (wantsTable(request)) return jsonAnswer(asTable(items))
  const kind = resource === 'nodes' ? 'NodeMetricsList' : 'PodMetricsList'
  return jsonAnswer({
    kind,
    apiVersion: GROUP_VERSION,
    metadata: {},
    items: items.map(withoutKind),
  })
}

/** In a list only the list says what its items are. */
const withoutKind = (it: Metrics): object => ({ ...it, kind: undefined })

function one(
  all: readonly Metrics[],
  resource: Resource,
  name: string,
  request: ApiRequest,
): Answer {
  const found = all.find((it) => it.metadata.name === name)
  const what = resource === 'nodes' ? 'nodemetrics' : 'podmetrics'
  if (!found) return notFound(`${what}.metrics.k8s.io ${JSON.stringify(name)} not found`)
  if (wantsTable(request)) return jsonAnswer(asTable([found]))
  return jsonAnswer({ apiVersion: GROUP_VERSION, ...found })
}

function failure(code: number, reason: string, message: string): Answer {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    code,
  }
  return { ...jsonAnswer(status), status: code }
}

const notFound = (message: string): Answer => failure(404, 'NotFound', message)
const notAllowed: Answer = failure(
  405,
  'MethodNotAllowed',
  'the server does not allow this method on the requested resource',
)
