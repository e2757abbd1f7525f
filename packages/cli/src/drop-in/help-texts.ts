import { FLAGS, versionInfo } from '@kubewright/cluster/apiserver'
import { ETCD_VERSION } from './etcd.ts'
import { ETCD_FLAGS } from './etcd-flags.ts'
import type { DropIn } from './launcher.ts'

/**
 * What `--help` prints. Suites look in it for the flags that a release has, one at the start of a line; the names are those of the
 * real programs, what they mean is told by their documentation.
 */
export const HELP: Readonly<Record<DropIn, string>> = {
  'kube-apiserver': [
    'kube-apiserver, answered by kubewright: the API server of Kubernetes in one Node process.',
    '',
    'Usage:',
    '  kube-apiserver [flags]',
    '',
    'Flags:',
    '',
    ...[...FLAGS].map(([name, it]) => `      --${name}${it.type === 'bool' ? '' : ` ${it.type}`}`),
    '',
  ].join('\n'),
  etcd: [
    'etcd, answered by kubewright: keeps the data folder of the kube-apiserver beside it. It speaks no gRPC.',
    '',
    'Usage:',
    '  etcd [flags]',
    '',
    'Flags:',
    ...ETCD_FLAGS.map((it) => `  --${it}`),
    '',
  ].join('\n'),
}

/** What `--version` prints. */
export const VERSION_TEXT: Readonly<Record<DropIn, string>> = {
  'kube-apiserver': `Kubernetes ${versionInfo['gitVersion']}`,
  etcd: `etcd Version: ${ETCD_VERSION}\nGit SHA: kubewright`,
}
