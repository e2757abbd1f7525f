import { notFound, type UnknownObject } from 'kubewright/machinery'
import type { Authorizer } from '../endpoints/authorizer.ts'
import { itemsAt, objectAt, textAt, textsAt, type Readable } from '../registry/fields.ts'
import type { AdmissionRequest } from './admission.ts'
import { refuse } from './refusal.ts'

/** A node gets tokens only for pods that run on it, for audiences that they use (noderestriction admitServiceAccount). Rejects with the refusal. */
export async function checkNodeToken(
  request: AdmissionRequest,
  node: string,
  authorizer: Authorizer,
): Promise<void> {
  const { context, object } = request
  const spec = objectAt(object, 'spec')
  const bound = objectAt(spec, 'boundObjectRef')
  const name = textAt(bound, 'name')
  if (textAt(bound, 'apiVersion') !== 'v1' || textAt(bound, 'kind') !== 'Pod' || name === '') {
    throw refuse(request, 'node requested token not bound to a pod')
  }
  const uid = textAt(bound, 'uid')
  if (uid === '') throw refuse(request, 'node requested token with a pod binding without a uid')
  const pod = await context.find('/pods', context.namespace, name)
  if (!pod) throw notFound({ group: '', plural: 'pods' }, name)
  if (uid !== pod.metadata.uid) {
    throw refuse(
      request,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  }
  if (textAt(objectAt(pod, 'spec'), 'nodeName') !== node) {
    throw refuse(request, 'node requested token bound to a pod scheduled on a different node')
  }
  const problem = await audienceProblem(request, pod, textsAt(spec, 'audiences'), authorizer)
  if (problem !== undefined) throw refuse(request, problem)
}

async function audienceProblem(
  request: AdmissionRequest,
  pod: UnknownObject,
  audiences: readonly string[],
  authorizer: Authorizer,
): Promise<string | undefined> {
  if (audiences.length > 1) return 'node may only request 0 or 1 audiences'
  const [audience = ''] = audiences
  if (await uses(request, pod, audience)) return undefined
  const { user, namespace } = request.context
  const { allowed } = await authorizer({
    kind: 'resource',
    user,
    verb: 'request-serviceaccounts-token-audience',
    group: '',
    version: 'v1',
    resource: audience,
    subresource: '',
    namespace,
    name: request.name,
  })
  if (allowed) return undefined
  return `audience ${JSON.stringify(audience)} not found in pod spec volume, ${user.name} is not authorized to request tokens for this audience`
}

/** Whether a volume of a pod wants tokens for an audience: by itself, or through the driver that serves it. */
async function uses(
  request: AdmissionRequest,
  pod: UnknownObject,
  audience: string,
): Promise<boolean> {
  for (const volume of itemsAt(objectAt(pod, 'spec'), 'volumes')) {
    const sources = itemsAt(objectAt(volume, 'projected'), 'sources')
    const tokens = sources.flatMap((it): readonly Readable[] => {
      const token = objectAt(it, 'serviceAccountToken')
      return token ? [token] : []
    })
    if (tokens.some((it) => textAt(it, 'audience') === audience)) return true
    const driver = await driverOf(request, pod, volume)
    if (driver === '') continue
    const found = await request.context.find('storage.k8s.io/csidrivers', '', driver)
    const wanted = itemsAt(objectAt(found, 'spec'), 'tokenRequests')
    if (wanted.some((it) => textAt(it, 'audience') === audience)) return true
  }
  return false
}

/** The CSI driver behind a volume; empty for none. */
async function driverOf(
  { context }: AdmissionRequest,
  pod: UnknownObject,
  volume: Readonly<Record<string, unknown>>,
): Promise<string> {
  const direct = objectAt(volume, 'csi')
  if (direct) return textAt(direct, 'driver')
  const claimName = objectAt(volume, 'ephemeral')
    ? `${pod.metadata.name}-${textAt(volume, 'name')}`
    : textAt(objectAt(volume, 'persistentVolumeClaim'), 'claimName')
  if (claimName === '') return ''
  const claim = await context.find('/persistentvolumeclaims', context.namespace, claimName)
  const volumeName = textAt(objectAt(claim, 'spec'), 'volumeName')
  const persistent = await context.find('/persistentvolumes', '', volumeName)
  return textAt(objectAt(objectAt(persistent, 'spec'), 'csi'), 'driver')
}
