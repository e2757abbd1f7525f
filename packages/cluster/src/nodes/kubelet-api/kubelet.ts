import type { Pod } from 'kubewright/kinds/core/v1'
import type { Answer, ApiRequest } from '../../apiserver/http/message.ts'
import type { Kubelet } from '../../apiserver/proxy/connecting.ts'
import { logsAnswer } from './container-logs.ts'
import { containersOf, isRunning } from './container-state.ts'
import { jsonAnswer, plainAnswer } from './plain-answer.ts'
import type { ContainerRef, KubeletHost } from './pod-access.ts'
import { portForwardAnswer } from './streaming/port-forward.ts'
import { attachAnswer, execAnswer } from './streaming/run-command.ts'
import { refOf, resourceMetrics, statsSummary } from './usage.ts'

/** What answers a path: the first step of it, and what follows. */
type Serve = (
  host: KubeletHost,
  request: ApiRequest,
  steps: readonly string[],
) => Answer | Promise<Answer>

/** What a kubelet serves (kubernetes/pkg/kubelet/server/server.go). */
const ROUTES: Readonly<Record<string, Serve>> = {
  healthz: () => plainAnswer(200, 'ok'),
  pods: (host) => jsonAnswer(podList(host.pods())),
  runningpods: (host) => jsonAnswer(podList(host.pods().filter(runs))),
  stats: (host, _, [what]) => (what === 'summary' ? jsonAnswer(statsSummary(host)) : NOT_FOUND),
  metrics: (host, _, [what]) => (what === 'resource' ? metricsAnswer(host) : NOT_FOUND),
  containerLogs: (host, request, steps) =>
    inContainer(host, steps, (pod, of) => logsAnswer(host, pod, of, request)),
  exec: (host, request, steps) =>
    inContainer(host, steps, (pod, of) =>
      isRunning(pod, of.container)
        ? execAnswer(host.access, of, request)
        : plainAnswer(500, `container not found (${JSON.stringify(of.container)})`),
    ),
  attach: (host, request, steps) =>
    inContainer(host, steps, (pod, of) => {
      const container = containersOf(pod).find((it) => it.name === of.container)
      return container && isRunning(pod, of.container)
        ? attachAnswer(host.access, of, container.tty ?? false, request)
        : plainAnswer(500, `container ${of.container} not found in pod ${of.name}_${of.namespace}`)
    }),
  portForward: (host, request, steps) => {
    const pod = podOf(host, steps)
    if (!pod) return NO_POD
    const of = refOf(pod)
    return runs(pod)
      ? portForwardAnswer(host.access, of, request)
      : plainAnswer(500, `pod not found (${JSON.stringify(`${of.name}_${of.namespace}`)})`)
  },
}

const NOT_FOUND = plainAnswer(404, '404 page not found\n')
const NO_POD = plainAnswer(404, 'pod does not exist')

/** Answers for a node in this process what an API server would ask its kubelet over the network. */
export function kubelet(host: KubeletHost): Kubelet {
  return async (request) => {
    const [first = '', ...steps] = request.path.split('/').slice(1).map(decodeURIComponent)
    const serve = Object.hasOwn(ROUTES, first) ? ROUTES[first] : undefined
    return serve ? serve(host, request, steps) : NOT_FOUND
  }
}

const runs = (pod: Pod): boolean => containersOf(pod).some((it) => isRunning(pod, it.name))

/** `namespace/name[/uid]`, before a container or at the end. */
const podOf = (host: KubeletHost, [namespace, name]: readonly string[]): Pod | undefined =>
  host.pods().find((it) => it.metadata.name === name && it.metadata.namespace === namespace)

function inContainer(
  host: KubeletHost,
  steps: readonly string[],
  serve: (pod: Pod, of: ContainerRef) => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  const pod = podOf(host, steps)
  if (!pod) {
    return NO_POD
  }
  return serve(pod, { ...refOf(pod), container: steps.at(-1)! })
}

const podList = (pods: readonly Pod[]): object => ({
  kind: 'PodList',
  apiVersion: 'v1',
  metadata: {},
  items: pods,
})

const metricsAnswer = (host: KubeletHost): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
  body: resourceMetrics(host),
})
