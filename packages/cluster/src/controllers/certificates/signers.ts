/** What a request to sign says of its owner. */
export interface RequestedSubject {
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly dnsNames: readonly string[]
  readonly ipAddresses: readonly string[]
  readonly emailAddresses: readonly string[]
  readonly uris: readonly string[]
}

const NODES = 'system:nodes'
const NODE_PREFIX = 'system:node:'

const CLIENT_KUBELET = 'kubernetes.io/kube-apiserver-client-kubelet'

/** The signers of kube-controller-manager, and what each asks of a request: a sentence, or undefined when it is content. */
export const SIGNERS: Readonly<
  Record<string, (subject: RequestedSubject, usages: readonly string[]) => string | undefined>
> = Object.freeze({
  'kubernetes.io/kube-apiserver-client': (_, usages) => clientProblem(usages),
  [CLIENT_KUBELET]: kubeletClientProblem,
  'kubernetes.io/kubelet-serving': kubeletServingProblem,
  'kubernetes.io/legacy-unknown': () => undefined,
})

const OPTIONAL = ['digital signature', 'key encipherment']

function clientProblem(usages: readonly string[]): string | undefined {
  const other = usages.find((it) => it !== 'client auth' && !OPTIONAL.includes(it))
  if (other !== undefined) return `invalid usage for client certificate: ${other}`
  if (usages.includes('client auth')) return undefined
  return 'missing required usage for client certificate: client auth'
}

function kubeletClientProblem(
  subject: RequestedSubject,
  usages: readonly string[],
): string | undefined {
  if (!isOfNodes(subject)) return NOT_OF_NODES
  if (subject.dnsNames.length > 0) return 'DNS subjectAltNames are not allowed'
  if (subject.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed'
  if (subject.ipAddresses.length > 0) return 'IP subjectAltNames are not allowed'
  if (subject.uris.length > 0) return 'URI subjectAltNames are not allowed'
  if (!subject.commonName.startsWith(NODE_PREFIX)) return NO_NODE
  return usagesProblem(usages, 'client auth')
}

function kubeletServingProblem(
  subject: RequestedSubject,
  usages: readonly string[],
): string | undefined {
  if (!isOfNodes(subject)) return NOT_OF_NODES
  if (subject.dnsNames.length + subject.ipAddresses.length === 0) {
    return 'DNS or IP subjectAltName is required'
  }
  if (subject.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed'
  if (subject.uris.length > 0) return 'URI subjectAltNames are not allowed'
  return (
    usagesProblem(usages, 'server auth') ??
    (subject.commonName.startsWith(NODE_PREFIX) ? undefined : NO_NODE)
  )
}

const NOT_OF_NODES = 'subject organization is not system:nodes'
const NO_NODE = 'subject common name does not begin with system:node:'

const isOfNodes = ({ organizations }: RequestedSubject): boolean =>
  organizations.length === 1 && organizations[0] === NODES

/** The usage in question and a digital signature; of RSA keys, key encipherment too. */
function usagesProblem(usages: readonly string[], main: string): string | undefined {
  const given = [...new Set(usages)].toSorted().join(' | ')
  const needed = [main, ...OPTIONAL].toSorted()
  const without = needed.filter((it) => it !== 'key encipherment')
  if (given === needed.join(' | ') || given === without.join(' | ')) return undefined
  return `usages did not match [${needed.join(' ')}]`
}

/** Whether a request is for the client certificate of a kubelet, as approval knows it (IsKubeletClientCSR). */
export const isKubeletClient = (
  signerName: string,
  subject: RequestedSubject,
  usages: readonly string[],
): boolean => signerName === CLIENT_KUBELET && kubeletClientProblem(subject, usages) === undefined
