import { ApiError, failure, notFound, type UnknownObject } from 'kubewright/machinery'
import { objectAt, textAt, type Readable } from '../registry/fields.ts'
import type { AdmissionRequest } from './admission.ts'
import { refuse } from './refusal.ts'

const MIRROR = 'kubernetes.io/config.mirror'

/** What may be otherwise in a moment: whoever asked asks again. */
const later = (sentence: string): ApiError => new ApiError(failure(500, undefined, sentence))

async function found(
  { context }: AdmissionRequest,
  plural: string,
  namespace: string,
  name: string,
  what: string,
): Promise<UnknownObject> {
  const object = await context.find(`/${plural}`, namespace, name)
  if (object) return object
  const { message } = notFound({ group: '', plural }, name)
  const error = `while retrieving ${what} named in the PodCertificateRequest: ${message}`
  const { status } = notFound({ group: '', plural }, name)
  throw new ApiError({ ...status, message: error })
}

const quote = (text: string): string => JSON.stringify(text)

/**
 * A node asks for certificates of pods that run on it, as they are, and for nothing else
 * (kubernetes/plugin/pkg/admission/noderestriction admitPodCertificateRequest).
 */
export async function checkPodCertificate(request: AdmissionRequest, node: string): Promise<void> {
  const { operation, subresource, context, object } = request
  const verb = operation.toUpperCase()
  if (operation !== 'CREATE') throw refuse(request, `unexpected operation ${verb}`)
  if (subresource !== '') throw refuse(request, `unexpected subresource ${subresource}`)
  const spec = objectAt(object, 'spec') ?? {}
  const named = (name: string): string => textAt(spec, name)
  if (named('nodeName') !== node)
    throw refuse(
      request,
      `PodCertificateRequest.Spec.NodeName=${quote(named('nodeName'))}, which is not the requesting node ${quote(node)}`,
    )
  const pod = `${context.namespace}/${named('podName')}`
  const { metadata } = await found(request, 'nodes', '', node, `node ${quote(node)}`)
  if (metadata.uid !== named('nodeUID'))
    throw later(
      `PodCertificateRequest for pod ${quote(pod)} names node UID ${quote(named('nodeUID'))}, inconsistent with the running node (${quote(metadata.uid ?? '')})`,
    )
  await checkPod(request, spec, pod)
  await checkAccount(request, spec, pod)
}

async function checkPod(request: AdmissionRequest, spec: Readable, shown: string): Promise<void> {
  const { namespace } = request.context
  const name = textAt(spec, 'podName')
  const pod = await found(request, 'pods', namespace, name, `pod ${quote(shown)}`)
  const { uid = '', annotations } = pod.metadata
  const running = objectAt(pod, 'spec')
  const [wantedUid, node] = [textAt(spec, 'podUID'), textAt(spec, 'nodeName')]
  if (uid !== wantedUid)
    throw later(
      `PodCertificateRequest for pod ${quote(shown)} contains pod UID (${quote(wantedUid)}) which differs from running pod ${quote(uid)}`,
    )
  if (textAt(running, 'nodeName') !== node)
    throw refuse(
      request,
      `pod ${quote(shown)} is not running on node ${quote(node)} named in the PodCertificateRequest`,
    )
  if (annotations && MIRROR in annotations)
    throw refuse(request, `pod ${quote(shown)} is a mirror pod`)
  const [asked, own] = [textAt(spec, 'serviceAccountName'), textAt(running, 'serviceAccountName')]
  if (asked !== own)
    throw refuse(
      request,
      `PodCertificateRequest for pod ${quote(shown)} contains serviceAccountName (${quote(asked)}) that differs from running pod (${quote(own)})`,
    )
}

async function checkAccount(request: AdmissionRequest, spec: Readable, pod: string): Promise<void> {
  const { namespace } = request.context
  const name = textAt(spec, 'serviceAccountName')
  const what = `service account ${quote(`${namespace}/${name}`)}`
  const { metadata } = await found(request, 'serviceaccounts', namespace, name, what)
  const [asked, own] = [textAt(spec, 'serviceAccountUID'), metadata.uid ?? '']
  if (asked !== own)
    throw later(
      `PodCertificateRequest for pod ${quote(pod)} names service account UID ${quote(asked)}, which differs from the running service account (${quote(own)})`,
    )
}
