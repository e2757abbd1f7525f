import { join } from 'node:path'
import type { Container, Pod } from 'kubewright/kinds/core/v1'
import { commandLine } from './environment/command-line.ts'
import { containerVariables, type EnvironmentSources } from './environment/environment.ts'
import { expand } from './environment/expand.ts'
import type { ExecSpec, LaunchSpec, Mount, SecurityLimits } from './ground/ground.ts'
import type { ImageProgram } from './image/image-map.ts'
import { identityOf } from './image/users.ts'
import { containerMounts } from './volume/mounts.ts'

/** What a container needs beside its spec before it can be started. */
export interface ContainerNeeds {
  readonly image: ImageProgram
  readonly sources: EnvironmentSources
  /** Where the pod's volumes lie, by name. */
  readonly volumes: ReadonlyMap<string, string>
  /** What every container of the pod has besides: /etc/hosts and its like. */
  readonly podMounts: readonly Mount[]
  readonly hostname: string
  /** The container's own folder. */
  readonly folder: string
  /** The number of whoever runs the cluster. */
  readonly self: number
}

/** The search path of a container whose image names none. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Finds out all that it takes to start a container. Rejects with a ContainerConfigError where something is missing. */
export async function planContainer(
  pod: Pod,
  container: Container,
  needs: ContainerNeeds,
): Promise<LaunchSpec> {
  const { image, folder } = needs
  const { identity, home } = identityOf(pod, container, image, needs.self)
  const own = containerVariables(pod, container, needs.sources)
  const variables = withImage(own, image, needs, home)
  const mounts = await containerMounts(container, needs.volumes, variables)
  return {
    argv: commandLine(container, image, variables, placeOf(needs.sources)),
    variables,
    workingDir: container.workingDir || image.workingDir,
    identity,
    mounts: [...needs.podMounts, ...mounts, terminationMount(container, folder)],
    folder: join(folder, 'root'),
    image: { root: image.root, files: image.files ?? [], programs: image.programs ?? {} },
    security: limitsOf(container),
    stdin: container.stdin ?? false,
    tty: container.tty ?? false,
  }
}

/** The container's variables before the image's, and those that every container has. The image's may speak of the pod. */
function withImage(
  own: ReadonlyMap<string, string>,
  { env = {} }: ImageProgram,
  { hostname, sources }: ContainerNeeds,
  home: string,
): ReadonlyMap<string, string> {
  const base = new Map([
    ['PATH', PATH],
    ['HOSTNAME', hostname],
    ['HOME', home],
  ])
  const known = new Map([...placeOf(sources), ...own])
  for (const [name, value] of Object.entries(env))
    base.set(
      name,
      expand(value, (it) => known.get(it)),
    )
  return new Map([...base, ...own])
}

/** What an image's entry may name beside the container's variables. */
const placeOf = ({ podIP, hostIP }: EnvironmentSources): ReadonlyMap<string, string> =>
  new Map([
    ['POD_IP', podIP],
    ['HOST_IP', hostIP],
  ])

/** Where a container's last words are read from. */
export const terminationFile = (folder: string): string => join(folder, 'termination-log')

const terminationMount = (
  { terminationMessagePath = '/dev/termination-log' }: Container,
  folder: string,
): Mount => ({ from: terminationFile(folder), to: terminationMessagePath, readOnly: false })

function limitsOf({ securityContext = {} }: Container): SecurityLimits {
  const { privileged = false, readOnlyRootFilesystem = false, capabilities } = securityContext
  return {
    privileged,
    readOnlyRoot: readOnlyRootFilesystem,
    noNewPrivileges: securityContext.allowPrivilegeEscalation === false,
    add: capabilities?.add ?? [],
    drop: capabilities?.drop ?? [],
  }
}

/** A command beside a container's first process, with the same variables. */
export function execSpec(
  { variables }: LaunchSpec,
  command: readonly string[],
  { stdin = false, tty = false }: { readonly stdin?: boolean; readonly tty?: boolean } = {},
): ExecSpec {
  const [program = '', ...args] = command
  const more: readonly [string, string][] = tty ? [['TERM', 'xterm']] : []
  return { argv: [program, ...args], variables: new Map([...variables, ...more]), stdin, tty }
}
