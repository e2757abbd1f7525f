import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { CertificateSigningRequest } from 'kubewright/kinds/certificates.k8s.io/v1'
import { SubjectAccessReview } from 'kubewright/kinds/authorization.k8s.io/v1'
import { timeText, type WriteOptions } from 'kubewright/machinery'
import { AS_CONTROLLER, deleteThis, updateStatus } from '../workload/writes.ts'
import { SIGNING_DURATION, untilCleaned, validity } from './lifetime.ts'
import { isKubeletClient, type RequestedSubject, SIGNERS } from './signers.ts'
import { certificateUsages } from './usages.ts'
import type * as Library from './x509.ts'
import type { SigningAuthority } from './x509.ts'

/** Loaded when the first request comes: most clusters never see one. */
const library = (): Promise<typeof Library> => import('./x509.ts')

const hasCondition = (request: CertificateSigningRequest, ...types: readonly string[]): boolean =>
  (request.status?.conditions ?? []).some((it) => types.includes(it.type) && it.status === 'True')

/** Signs approved requests for Kubernetes' own signers (kubernetes/pkg/controller/certificates/signer); nobody does without an authority. */
export function requestSigningController(
  authority: () => SigningAuthority | undefined,
): ControllerDefinition {
  return controller(CertificateSigningRequest, {
    name: 'certificatesigningrequest-signing-controller',
    pace: false,
    resync: 0,
  }).reconcile(async (request, context) => {
    const { spec, status } = request
    const problemOf = SIGNERS[spec.signerName]
    const by = authority()
    const isDone = Boolean(status?.certificate) || hasCondition(request, 'Failed')
    if (!problemOf || !by || isDone || !hasCondition(request, 'Approved')) return
    const { endOf, sign, subjectOf } = await library()
    const usages = spec.usages ?? []
    const problem = problemOf(subjectOf(spec.request), usages)
    if (problem !== undefined) return void (await fail(request, problem, context))
    const time = validity(context.clock.now(), spec.expirationSeconds, endOf(by.certificate))
    const pem = await sign(spec.request, certificateUsages(usages), time, by)
    const certificate = Buffer.from(pem).toString('base64')
    await updateStatus(context, CertificateSigningRequest, {
      ...request,
      status: { ...status, certificate },
    })
  })
}

async function fail(
  request: CertificateSigningRequest,
  message: string,
  context: KeyContext,
): Promise<void> {
  const failed = {
    type: 'Failed',
    status: 'True',
    reason: 'SignerValidationFailure',
    message,
    lastUpdateTime: timeText(context.clock.now()),
  }
  const conditions = [...(request.status?.conditions ?? []), failed]
  const status = { ...request.status, conditions }
  await updateStatus(context, CertificateSigningRequest, { ...request, status })
}

const APPROVAL: WriteOptions = Object.freeze({ ...AS_CONTROLLER, subresource: 'approval' })

interface Permission {
  readonly subresource: string
  readonly isAbout: (request: CertificateSigningRequest, subject: RequestedSubject) => boolean
  readonly message: string
}

/** Who may have requests of which kind approved without being asked. */
const PERMISSIONS: readonly Permission[] = [
  {
    subresource: 'selfnodeclient',
    isAbout: ({ spec }, subject) => spec.username === subject.commonName,
    message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
  },
  {
    subresource: 'nodeclient',
    isAbout: () => true,
    message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
  },
]

/** Approves the requests of kubelets that may have them approved (kubernetes/pkg/controller/certificates/approver). */
export function requestApprovingController(): ControllerDefinition {
  return controller(CertificateSigningRequest, {
    name: 'certificatesigningrequest-approving-controller',
    pace: false,
    resync: 0,
  }).reconcile(async (request, context) => {
    const { spec, status } = request
    if (status?.certificate || hasCondition(request, 'Approved', 'Denied')) return
    const subject = (await library()).subjectOf(spec.request)
    if (!isKubeletClient(spec.signerName, subject, spec.usages ?? [])) return
    for (const { subresource, isAbout, message } of PERMISSIONS) {
      if (!isAbout(request, subject) || !(await may(request, subresource, context))) continue
      const approved = { type: 'Approved', status: 'True', reason: 'AutoApproved', message }
      const conditions = [...(status?.conditions ?? []), approved]
      const next = { ...request, status: { ...status, conditions } }
      await context.client.update(CertificateSigningRequest, next, APPROVAL)
      return
    }
  })
}

async function may(
  { spec }: CertificateSigningRequest,
  subresource: string,
  { client }: KeyContext,
): Promise<boolean> {
  const { username, uid, groups, extra } = spec
  const answer = await client.create(SubjectAccessReview, {
    metadata: {},
    spec: {
      ...(username === undefined ? {} : { user: username }),
      ...(uid === undefined ? {} : { uid }),
      ...(groups === undefined ? {} : { groups }),
      ...(extra === undefined ? {} : { extra }),
      resourceAttributes: {
        group: 'certificates.k8s.io',
        resource: 'certificatesigningrequests',
        verb: 'create',
        version: '*',
        subresource,
      },
    },
  })
  return answer.status?.allowed === true
}

/** Removes requests that have served their time (kubernetes/pkg/controller/certificates/cleaner). */
export function requestCleaner(): ControllerDefinition {
  return controller(CertificateSigningRequest, {
    name: 'certificatesigningrequest-cleaner-controller',
    pace: false,
    resync: 0,
  }).reconcile(async (request, context) => {
    const { certificate } = request.status ?? {}
    const wait = untilCleaned(request, await endOfIssued(certificate), context.clock.now())
    // A timer of weeks is set again after a while; one for ever is none.
    if (wait > 0) return Number.isFinite(wait) ? { requeueAfter: Math.min(wait, LONGEST) } : {}
    await deleteThis(context, CertificateSigningRequest, request)
    return undefined
  })
}

const LONGEST = SIGNING_DURATION / 365

async function endOfIssued(certificate: string | undefined): Promise<number | undefined> {
  if (!certificate) return undefined
  const { endOf } = await library()
  try {
    return endOf(Buffer.from(certificate, 'base64').toString('latin1'))
  } catch {
    return undefined
  }
}
