import { quoted } from './tty.ts'

/** The bridge that all pods hang on. */
const BRIDGE = 'kubewright0'

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'] as const

/**
 * Makes a cluster's network and its devices, as a POSIX shell reads it: a bridge with the pods' gateway and the nodes' addresses, and every
 * address of services at home where the gateway program listens.
 */
export function networkScript(
  {
    pods,
    services,
    nodes,
  }: { readonly pods: string; readonly services: string; readonly nodes: readonly string[] },
  devices: string,
): string {
  const folder = quoted(devices)
  return [
    'ip link set lo up',
    `ip link add ${BRIDGE} type bridge`,
    `ip addr add ${gatewayOf(pods)}/${prefixOf(pods)} dev ${BRIDGE}`,
    ...nodes.map((it) => `ip addr add ${it}/32 dev ${BRIDGE}`),
    `ip link set ${BRIDGE} up`,
    `ip route add local ${services} dev lo`,
    unprivilegedPorts,
    `mount -t tmpfs -o mode=755 dev ${folder}`,
    `cd ${folder}`,
    'mkdir shm pts',
    ...DEVICES.map((it) => `touch ${it}; mount --bind /dev/${it} ${it}`),
    'mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts pts',
    'ln -s pts/ptmx ptmx',
    'ln -s /proc/self/fd fd',
    'ln -s /proc/self/fd/0 stdin',
    'ln -s /proc/self/fd/1 stdout',
    'ln -s /proc/self/fd/2 stderr',
  ].join('\n')
}

/** As container runtimes have it: nobody needs to be root for a low port. */
const unprivilegedPorts =
  'echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start 2>/dev/null || true'

/** Connects the network of a process with the cluster's. `number` makes the name of the link. */
export function podNetworkScript(pid: number, address: string, number: number): string {
  const link = `kw${number.toString(36)}`
  const inside = [
    'ip link set lo up',
    `ip addr add ${address}/${PREFIX} dev eth0`,
    'ip link set eth0 up',
    `ip route add default via ${gatewayOf(`${address}/${PREFIX}`)}`,
    unprivilegedPorts,
  ].join('\n')
  return [
    `ip link add ${link} type veth peer name eth0 netns ${pid}`,
    `ip link set ${link} master ${BRIDGE} up`,
    `nsenter -t ${pid} -n -- /bin/sh -euc ${quoted(inside)}`,
  ].join('\n')
}

/** All pods of a cluster are neighbours. */
const PREFIX = 16

const prefixOf = (range: string): string => range.slice(range.indexOf('/') + 1)

/** The first address of a range of /16: `10.244.0.1`. */
function gatewayOf(range: string): string {
  const [a, b] = range.split('.')
  return `${a}.${b}.0.1`
}
