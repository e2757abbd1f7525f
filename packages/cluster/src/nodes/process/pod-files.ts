import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pod } from 'kubewright/kinds/core/v1'
import type { Mount } from './ground/ground.ts'

/** How a pod is known in its network. */
export interface PodNames {
  readonly hostname: string
  readonly podIP: string
  /** Where names of services are asked for. */
  readonly nameserver: string
}

/** The domain of a cluster. */
export const CLUSTER_DOMAIN = 'cluster.local'

/** Writes what every container of a pod sees of its network: /etc/hosts, /etc/hostname and /etc/resolv.conf. Answers with where they belong. */
export async function writePodFiles(
  folder: string,
  pod: Pod,
  names: PodNames,
): Promise<readonly Mount[]> {
  const files: readonly (readonly [name: string, text: string])[] = [
    ['hosts', hostsText(pod, names)],
    ['hostname', `${names.hostname}\n`],
    ['resolv.conf', await resolverText(pod, names)],
  ]
  await mkdir(join(folder, 'etc'), { recursive: true })
  for (const [name, text] of files) await writeFile(join(folder, 'etc', name), text)
  return files.map(([name]) => ({
    from: join(folder, 'etc', name),
    to: `/etc/${name}`,
    readOnly: false,
  }))
}

/** The lines of /etc/hosts that the kubelet writes (kubelet_pods.go managedHostsFileContent). */
export function hostsText({ spec, metadata }: Pod, { hostname, podIP }: PodNames): string {
  const domain = spec?.subdomain
    ? `${hostname}.${spec.subdomain}.${metadata.namespace}.svc.${CLUSTER_DOMAIN}\t`
    : ''
  const aliases = (spec?.hostAliases ?? []).map(
    (it) => `${it.ip}\t${(it.hostnames ?? []).join('\t')}\n`,
  )
  return [
    '# Kubernetes-managed hosts file.\n',
    '127.0.0.1\tlocalhost\n',
    '::1\tlocalhost ip6-localhost ip6-loopback\n',
    'fe00::\tip6-localnet\n',
    'fe00::\tip6-mcastprefix\n',
    'fe00::1\tip6-allnodes\n',
    'fe00::2\tip6-allrouters\n',
    `${podIP}\t${domain}${hostname}\n`,
    ...(aliases.length > 0 ? ['\n# Entries added by HostAliases.\n', ...aliases] : []),
  ].join('')
}

/** What a pod's resolver asks: the cluster first, or what the machine asks, or what the pod says alone (kubelet network/dns). */
async function resolverText({ spec, metadata }: Pod, { nameserver }: PodNames): Promise<string> {
  const { dnsPolicy = 'ClusterFirst', dnsConfig = {}, hostNetwork } = spec ?? {}
  const isCluster =
    dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && !hostNetwork)
  const own = {
    nameservers: dnsConfig.nameservers ?? [],
    searches: dnsConfig.searches ?? [],
    options: (dnsConfig.options ?? []).map((it) =>
      it.value ? `${it.name}:${it.value}` : (it.name ?? ''),
    ),
  }
  if (isCluster) {
    const searches = [`${metadata.namespace}.svc`, 'svc', ''].map((it) =>
      `${it}.${CLUSTER_DOMAIN}`.replace(/^\./, ''),
    )
    return resolver(
      [nameserver, ...own.nameservers],
      [...searches, ...own.searches],
      ['ndots:5', ...own.options],
    )
  }
  if (dnsPolicy === 'None') return resolver(own.nameservers, own.searches, own.options)
  return readFile('/etc/resolv.conf', 'utf8').catch(() => '')
}

function resolver(
  nameservers: readonly string[],
  searches: readonly string[],
  options: readonly string[],
): string {
  // The last of two options of one name counts.
  const byName = new Map(options.map((it) => [it.split(':')[0], it]))
  return [
    ...(searches.length > 0 ? [`search ${[...new Set(searches)].join(' ')}\n`] : []),
    ...nameservers.map((it) => `nameserver ${it}\n`),
    ...(byName.size > 0 ? [`options ${[...byName.values()].join(' ')}\n`] : []),
  ].join('')
}
