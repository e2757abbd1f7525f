import { isNotFound, type Client } from 'kubewright'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { Service } from 'kubewright/kinds/core/v1'
import { AppOTP } from '../kind.ts'

/** One act of the demonstration: what is done, and when it has worked. */
export interface Step {
  readonly title: string
  readonly act: (client: Client) => Promise<unknown>
  /** What was expected, for the sentence that says it did not happen. */
  readonly expected: string
  readonly done: (client: Client) => Promise<boolean>
}

const KEY = { namespace: 'default', name: 'appotp-sample' } as const

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
export const create = (sample: object): Step => ({
  title: 'kubectl apply -f operators/app-otp/config/samples/appotp_v1_appotp.yaml',
  act: (client) => client.apply(AppOTP, sample as never, { fieldOwner: 'demo' }),
  expected: 'two pods of nginx:1.22.0 Ready and deploymentStatus normal',
  done: (client) => normal(client, 2, 'nginx:1.22.0'),
})

/** What `--once` shows after the sample has been made. */
export const LATER: readonly Step[] = [
  {
    title:
      'kubectl patch appotp appotp-sample --type merge -p \'{"spec":{"image":"nginx:1.23.0"}}\'',
    act: (client) => merge(client, { image: 'nginx:1.23.0' }),
    expected: 'the pods rolled to nginx:1.23.0 and deploymentStatus normal',
    done: (client) => normal(client, 2, 'nginx:1.23.0'),
  },
  {
    title: 'kubectl patch appotp appotp-sample --type merge -p \'{"spec":{"size":4}}\'',
    act: (client) => merge(client, { size: 4 }),
    expected: 'four pods Ready',
    done: (client) => normal(client, 4, 'nginx:1.23.0'),
  },
  {
    title: 'kubectl delete service appotp-sample   # behind the operator’s back',
    act: (client) => client.delete(Service, KEY),
    expected: 'the Service back again',
    done: async (client) => (await client.find(Service, KEY)) !== undefined,
  },
  {
    title: 'kubectl delete appotp appotp-sample',
    act: (client) => client.delete(AppOTP, KEY),
    expected: 'the Deployment, the Service and the pods gone with it',
    done: async (client) => {
      const left = await Promise.all([
        client.find(Deployment, KEY),
        client.find(Service, KEY),
        client.find(AppOTP, KEY),
      ])
      return left.every((it) => it === undefined)
    },
  },
]

/** Deletes what an earlier run may have left in a data folder, so that the walk begins at its beginning. */
export async function clear(client: Client): Promise<void> {
  await client.delete(AppOTP, KEY).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
}
