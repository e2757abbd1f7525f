import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { IPAddress, ServiceCIDR } from 'kubewright/kinds/networking.k8s.io/v1'
import { type ConditionDraft, hasFinalizer, setConditions, timeText } from 'kubewright/machinery'
import { patchMetadata, sameMeaning, updateStatus } from '../workload/writes.ts'

const FINALIZER = 'networking.k8s.io/service-cidr-finalizer'
const READY: ConditionDraft = {
  type: 'Ready',
  status: 'True',
  reason: '',
  message: 'Kubernetes Service CIDR is ready',
}
const ENDING: ConditionDraft = {
  type: 'Ready',
  status: 'False',
  reason: 'Terminating',
  message:
    'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
}

/** Whether an IPv4 address lies in an IPv4 network, or an IPv6 one in one whose text it begins with. */
export function contains(cidr: string, address: string): boolean {
  const [network = '', bits = '32'] = cidr.split('/')
  if (network.includes(':') || address.includes(':')) {
    return network.includes(':') && address.startsWith(network.replace(/:*$/, ''))
  }
  const number = (text: string): number =>
    text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  const size = 2 ** (32 - Number(bits))
  return Math.floor(number(network) / size) === Math.floor(number(address) / size)
}

/** Says of ServiceCIDRs that they are ready, and keeps those that are being deleted until no address needs them (kubernetes/pkg/controller/servicecidrs). */
export function serviceCidrController(): ControllerDefinition {
  return controller(ServiceCIDR, { name: 'service-cidr-controller', pace: false, resync: 0 })
    .watches(IPAddress, (_, { lister }) =>
      lister(ServiceCIDR)
        .list()
        .filter((it) => it.metadata.deletionTimestamp !== undefined),
    )
    .reconcileKey(async ({ name }, context) => {
      const cidr = context.lister(ServiceCIDR).get(name)
      if (!cidr) return
      if (cidr.metadata.deletionTimestamp !== undefined) return finish(cidr, context)
      if (!hasFinalizer(cidr, FINALIZER)) {
        const finalizers = [...(cidr.metadata.finalizers ?? []), FINALIZER]
        const held = await patchMetadata(context, ServiceCIDR, cidr, { finalizers })
        if (held) await tell(held, READY, context)
      } else await tell(cidr, READY, context)
    })
}

async function finish(cidr: ServiceCIDR, context: KeyContext): Promise<void> {
  if (!hasFinalizer(cidr, FINALIZER)) return
  if (needed(cidr, context)) return tell(cidr, ENDING, context)
  const finalizers = cidr.metadata.finalizers?.filter((it) => it !== FINALIZER) ?? []
  await patchMetadata(context, ServiceCIDR, cidr, { finalizers })
}

/** An address needs a network when no other one holds it. */
function needed(cidr: ServiceCIDR, { lister }: KeyContext): boolean {
  const others = lister(ServiceCIDR)
    .list()
    .filter(
      (it) => it.metadata.uid !== cidr.metadata.uid && it.metadata.deletionTimestamp === undefined,
    )
    .flatMap((it) => it.spec?.cidrs ?? [])
  return lister(IPAddress)
    .list()
    .map((it) => it.metadata.name ?? '')
    .filter((address) => (cidr.spec?.cidrs ?? []).some((it) => contains(it, address)))
    .some((address) => !others.some((it) => contains(it, address)))
}

async function tell(cidr: ServiceCIDR, draft: ConditionDraft, context: KeyContext): Promise<void> {
  const current = cidr.status?.conditions as Parameters<typeof setConditions>[0]
  const conditions = setConditions(current, [draft], { now: timeText(context.clock.now()) })
  if (sameMeaning(current ?? [], conditions)) return
  await updateStatus(context, ServiceCIDR, { ...cidr, status: { ...cidr.status, conditions } })
}
