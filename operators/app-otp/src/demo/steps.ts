import { isNotFound, type Client } from 'kubewright'
import { Deployment, ReplicaSet } from 'kubewright/kinds/apps/v1'
import { Pod, Service } from 'kubewright/kinds/core/v1'
import { AppOTP } from '../kind.ts'
import { OWNER_LABEL } from '../workload.ts'

/** One act of the demonstration: what is done, and when it has worked. */
export interface Step {
  readonly title: string
  readonly act: (client: Client) => Promise<unknown>
  /** What was expected, for the sentence that says it did not happen. */
  readonly expected: string
  readonly done: (client: Client) => Promise<boolean>
}

/** The sample's key. */
export const KEY = { namespace: 'default', name: 'appotp-sample' } as const

const normal = async (client: Client, size: number, image: string): Promise<boolean> => {
  const app = await client.find(AppOTP, KEY)
  const deployment = await client.find(Deployment, KEY)
  const { status } = app ?? {}
  return (
    status?.deploymentStatus === 'normal' &&
    status.readyReplicas === size &&
    status.observedGeneration === app?.metadata.generation &&
    deployment?.spec.template.spec?.containers[0]?.image === image
  )
}

const merge = (client: Client, spec: object): Promise<unknown> =>
  client.patch(AppOTP, KEY, { type: 'merge', body: { spec } })

/** Makes the sample, as it stands in config/samples. */
export const create = (sample: AppOTP): Step => ({
  title: 'kubectl apply -f operators/app-otp/config/samples/appotp_v1_appotp.yaml',
  act: (client) => client.apply(AppOTP, sample, { fieldOwner: 'demo' }),
  expected: `${sample.spec.size} pods of ${sample.spec.image} Ready and deploymentStatus normal`,
  done: (client) => normal(client, sample.spec.size, sample.spec.image),
})

const upgrade: Step = {
  title: `kubectl patch appotp appotp-sample --type merge -p '{"spec":{"image":"nginx:1.23.0"}}'`,
  act: (client) => merge(client, { image: 'nginx:1.23.0' }),
  expected: 'the pods rolled to nginx:1.23.0 and deploymentStatus normal',
  done: (client) => normal(client, 2, 'nginx:1.23.0'),
}

const scale: Step = {
  title: `kubectl patch appotp appotp-sample --type merge -p '{"spec":{"size":4}}'`,
  act: (client) => merge(client, { size: 4 }),
  expected: '4 pods Ready',
  done: (client) => normal(client, 4, 'nginx:1.23.0'),
}

/** Deletes a child behind the operator's back; another one by the same name is it coming back. */
const repair = (): Step => {
  let lost: string | undefined
  return {
    title: 'kubectl delete service appotp-sample   # behind the operator’s back',
    act: async (client) => {
      lost = (await client.get(Service, KEY)).metadata.uid
      await client.delete(Service, KEY)
    },
    expected: 'the Service back again',
    done: async (client) => {
      const found = await client.find(Service, KEY)
      return found !== undefined && found.metadata.uid !== lost
    },
  }
}

const remove: Step = {
  title: 'kubectl delete appotp appotp-sample',
  act: (client) => client.delete(AppOTP, KEY),
  expected: 'the Deployment, the Service and the pods gone with it',
  done: isGone,
}

/** What `--once` shows after the sample has been made. */
export const later = (): readonly Step[] => [upgrade, scale, repair(), remove]

/** Whether nothing is left of the sample. */
export async function isGone(client: Client): Promise<boolean> {
  const objects = await Promise.all([
    client.find(AppOTP, KEY),
    client.find(Deployment, KEY),
    client.find(Service, KEY),
  ])
  if (objects.some((it) => it !== undefined)) return false
  const of = { namespace: KEY.namespace, labelSelector: `${OWNER_LABEL}=${KEY.name}` }
  const [sets, pods] = await Promise.all([client.list(ReplicaSet, of), client.list(Pod, of)])
  return sets.items.length + pods.items.length === 0
}

/** Deletes what an earlier run may have left in a data folder, so that the walk begins at its beginning. */
export const clear: Step = {
  title: 'kubectl delete appotp appotp-sample   # left by an earlier run',
  act: (client) =>
    client.delete(AppOTP, KEY).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    }),
  expected: 'nothing left of the earlier run',
  done: isGone,
}
