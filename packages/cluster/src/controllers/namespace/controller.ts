import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { Namespace, Pod } from 'kubewright/kinds/core/v1'
import { isNotFound } from 'kubewright/machinery'
import { AS_CONTROLLER, updateStatus } from '../workload/writes.ts'
import { conditionsDiffer, type Remains, terminationConditions } from './conditions.ts'
import { deleteContent } from './content.ts'

const FINALIZER = 'kubernetes'
const FIRST_LOOK = 20
const LAST_LOOK = 8000

/** Empties namespaces that are being deleted, and lets them go when they are empty (kubernetes/pkg/controller/namespace). */
export function namespaceController(): ControllerDefinition {
  const looks = new Map<string, number>()
  return controller(Namespace, { name: 'namespace-controller', pace: false, resync: 0 })
    .where(
      ({ type, object }) => type === 'delete' || object.metadata.deletionTimestamp !== undefined,
    )
    .watches(Pod, (pod) => [pod.metadata.namespace!], { where: ({ type }) => type === 'delete' })
    .reconcileKey(async ({ name }, context) => {
      const namespace = context.lister(Namespace).get(name)
      if (!namespace) return void looks.delete(name)
      const finalizers = namespace.spec?.finalizers ?? []
      if (namespace.metadata.deletionTimestamp === undefined || finalizers.length === 0) return
      const remains = await deleteContent(context.client, name)
      const told = await tell(namespace, remains, context)
      if (isEmpty(remains)) return finalize(told, context)
      const look = looks.get(name) ?? 0
      looks.set(name, look + 1)
      return { requeueAfter: Math.min(FIRST_LOOK * 2 ** look, LAST_LOOK) }
    })
}

function isEmpty(it: Remains): boolean {
  return it.byResource.size === 0 && it.errors.length === 0 && it.discoveryError === undefined
}

async function tell(
  namespace: Namespace,
  remains: Remains,
  context: KeyContext,
): Promise<Namespace> {
  const conditions = terminationConditions(namespace, remains, context.clock.now())
  if (!conditionsDiffer(namespace.status?.conditions, conditions)) return namespace
  const status = { ...namespace.status, conditions }
  return updateStatus(context, Namespace, { ...namespace, status })
}

async function finalize(namespace: Namespace, { client }: KeyContext): Promise<void> {
  const finalizers = namespace.spec?.finalizers?.filter((it) => it !== FINALIZER) ?? []
  const body = { ...namespace, spec: { ...namespace.spec, finalizers } }
  try {
    await client
      .subresource<Namespace>(Namespace, namespace.metadata.name!, 'finalize')
      .update(body, AS_CONTROLLER)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
