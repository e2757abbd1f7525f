import type { Container, Pod } from 'kubewright/kinds/core/v1'
import type { NodeSpec } from '../node/node-object.ts'
import type { Program, ShellContext } from '../shell/shell.ts'

/** What a program sees that runs in a container. */
export function shellContext(
  pod: Pod,
  container: Container,
  node: NodeSpec,
  more: Pick<ShellContext, 'now' | 'tty' | 'isLenient'>,
): ShellContext {
  const { name = '' } = pod.metadata
  const fields = fieldsOf(pod, node)
  const own = (container.env ?? []).map((it) => {
    const path = it.valueFrom?.fieldRef?.fieldPath
    return [it.name, it.value ?? (path === undefined ? '' : (fields[path] ?? ''))] as const
  })
  return {
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: '/root',
      ...Object.fromEntries(own),
    },
    hostname: pod.spec?.hostname ?? name,
    ...more,
  }
}

const fieldsOf = ({ metadata, spec, status }: Pod, node: NodeSpec): Record<string, string> => ({
  'metadata.name': metadata.name ?? '',
  'metadata.namespace': metadata.namespace ?? '',
  'metadata.uid': metadata.uid ?? '',
  'spec.nodeName': node.name,
  'spec.serviceAccountName': spec?.serviceAccountName ?? '',
  'status.hostIP': node.address,
  'status.podIP': status?.podIP ?? '',
  ...prefixed('metadata.labels', metadata.labels),
  ...prefixed('metadata.annotations', metadata.annotations),
})

const prefixed = (
  path: string,
  values: Readonly<Record<string, string>> | undefined,
): Record<string, string> =>
  Object.fromEntries(Object.entries(values ?? {}).map(([key, it]) => [`${path}['${key}']`, it]))

/** How a program meets the world: where it writes, waits and reads. */
export interface Drive {
  readonly write: (stream: 'stdout' | 'stderr', text: string) => Promise<void>
  readonly sleep: (ms: number) => Promise<void>
  readonly read: () => Promise<string | undefined>
}

/** Runs a program to its end. Resolves with its exit code; rejects when a part of its world does. */
export async function drive(program: Program, world: Drive): Promise<number> {
  let line: string | undefined
  for (;;) {
    const { done, value } = program.next(line)
    if (done) return value
    line = undefined
    if (value.is === 'write') await world.write(value.stream, value.text)
    else if (value.is === 'sleep') await world.sleep(value.ms)
    else line = await world.read()
  }
}

/** The lines of a stream, each with its end. */
export async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of stream) {
    rest += Buffer.from(chunk).toString().replaceAll('\r', '\n')
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      yield rest.slice(0, end + 1)
      rest = rest.slice(end + 1)
    }
  }
  if (rest !== '') yield rest
}
