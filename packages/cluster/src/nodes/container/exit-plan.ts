import type { Container, Pod } from 'kubewright/kinds/core/v1'
import { controllerOf } from 'kubewright/machinery'
import { type Exit, judgeCommand } from './command.ts'

/**
 * When and how a container will end, from its start on, as far as its pod tells; undefined when it runs until it is stopped. Its command
 * decides first, and its image: servers are known by name. What is left unknown runs for ever where the pod is a server, and succeeds where
 * it is meant to end: in an init container, in a Job, and where a command is given to a pod that is not always restarted.
 */
export function expectedExit(pod: Pod, container: Container, init: boolean): Exit | undefined {
  const words = [...(container.command ?? entrypointOf(container)), ...(container.args ?? [])]
  const verdict = words.length > 0 ? judgeCommand(words) : ({ is: 'unknown' } as const)
  switch (verdict.is) {
    case 'ends':
      return verdict.exit
    case 'runs':
      return undefined
    case 'unknown':
      if (words.length === 0 && isServer(container.image)) return undefined
      return meantToEnd(pod, words, init) ? { ms: 0, code: 0 } : undefined
  }
}

/** Images of servers: without a command they run wherever they are, in a Job too. */
const SERVERS =
  /^(pause|nginx|httpd|caddy|haproxy|envoy|redis|memcached|postgres|mysql|mariadb|mongo|etcd|rabbitmq|registry)(-|$)/

const isServer = (image: string | undefined): boolean => SERVERS.test(imageName(image))

/** What an image starts where no command is given, of those that are known for it. */
const entrypointOf = ({ image }: Container): readonly string[] =>
  imageName(image) === 'agnhost' ? ['/agnhost'] : []

/** `nginx` of `registry.example/library/nginx:1.27`. */
const imageName = (image = ''): string =>
  image.slice(image.lastIndexOf('/') + 1).replace(/[:@].*$/, '')

function meantToEnd(pod: Pod, words: readonly string[], init: boolean): boolean {
  if (init || controllerOf(pod)?.kind === 'Job') return true
  return words.length > 0 && pod.spec?.restartPolicy !== 'Always'
}

/** The exit code of a container that is told to stop: servers leave in peace, other programs are killed (128 + SIGKILL). */
export function stoppedCode(pod: Pod, container: Container): number {
  if (controllerOf(pod)?.kind === 'Job') return 137
  return (container.command ?? container.args) === undefined ? 0 : 137
}
