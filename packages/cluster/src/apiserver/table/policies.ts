import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from 'kubewright/kinds/admissionregistration.k8s.io/v1'
import type { APIService } from 'kubewright/kinds/apiregistration.k8s.io/v1'
import type { CertificateSigningRequest } from 'kubewright/kinds/certificates.k8s.io/v1'
import type {
  FlowSchema,
  PriorityLevelConfiguration,
} from 'kubewright/kinds/flowcontrol.apiserver.k8s.io/v1'
import type { LabelSelector } from 'kubewright/kinds/meta/v1'
import type { PodDisruptionBudget } from 'kubewright/kinds/policy/v1'
import type { ClusterRoleBinding, RoleBinding } from 'kubewright/kinds/rbac.authorization.k8s.io/v1'
import { age, humanDuration } from './age.ts'
import { orNone } from './format.ts'
import { printer, type Printer } from './printer.ts'

function bindingCells(it: RoleBinding | ClusterRoleBinding, now: number): readonly unknown[] {
  const of = (kind: string) => (it.subjects ?? []).filter((each) => each.kind === kind)
  const names = (kind: string): string =>
    of(kind)
      .map((each) => each.name)
      .join(', ')
  return [
    it.metadata.name,
    `${it.roleRef.kind}/${it.roleRef.name}`,
    age(it.metadata.creationTimestamp, now),
    names('User'),
    names('Group'),
    of('ServiceAccount')
      .map((each) => `${each.namespace ?? ''}/${each.name}`)
      .join(', '),
  ]
}

const REQUEST_STATES = ['Denied', 'Approved']

function requestStatus({ status }: CertificateSigningRequest): string {
  const has = (type: string): boolean => status?.conditions?.some((it) => it.type === type) ?? false
  const state = REQUEST_STATES.find(has) ?? 'Pending'
  return `${state}${has('Failed') ? ',Failed' : ''}${status?.certificate ? ',Issued' : ''}`
}

function requestCells(it: CertificateSigningRequest, now: number): readonly unknown[] {
  const seconds = it.spec.expirationSeconds
  return [
    it.metadata.name,
    age(it.metadata.creationTimestamp, now),
    orNone(it.spec.signerName),
    it.spec.username ?? '',
    seconds === undefined ? '<none>' : humanDuration(seconds * 1000),
    requestStatus(it),
  ]
}

const paramKind = (
  it: { readonly apiVersion?: string; readonly kind?: string } | undefined,
): string => (it ? `${it.apiVersion ?? ''}/${it.kind ?? ''}` : '<unset>')

interface ParamRef {
  readonly name?: string
  readonly namespace?: string
  readonly selector?: LabelSelector
}

/** Where the parameters of a policy are; a name without a namespace may be of any. */
function paramText(ref: ParamRef | undefined): string {
  if (ref?.name) return `${ref.namespace || '*'}/${ref.name}`
  return ref?.selector ? goText(ref.selector) : '<unset>'
}

/** A label selector as Go prints its struct. */
function goText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`)
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  )
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`
}

function policyBindingCells(
  { metadata, spec }: ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding,
  now: number,
): readonly unknown[] {
  const { policyName = '', paramRef } = spec
  return [metadata.name, policyName, paramText(paramRef), age(metadata.creationTimestamp, now)]
}

const webhookCells = (
  { metadata, webhooks }: MutatingWebhookConfiguration | ValidatingWebhookConfiguration,
  now: number,
): readonly unknown[] => [
  metadata.name,
  webhooks?.length ?? 0,
  age(metadata.creationTimestamp, now),
]

function flowSchemaCells({ metadata, spec, status }: FlowSchema, now: number): readonly unknown[] {
  return [
    metadata.name,
    spec.priorityLevelConfiguration.name,
    spec.matchingPrecedence ?? 0,
    spec.distinguisherMethod?.type ?? '<none>',
    age(metadata.creationTimestamp, now),
    status?.conditions?.find((it) => it.type === 'Dangling')?.status ?? '?',
  ]
}

/** By precedence, then by name: the order in which requests are matched. */
function flowSchemaOrder(a: FlowSchema, b: FlowSchema): number {
  const byPrecedence = (a.spec.matchingPrecedence ?? 0) - (b.spec.matchingPrecedence ?? 0)
  return byPrecedence || (a.metadata.name! < b.metadata.name! ? -1 : 1)
}

function priorityLevelCells(
  { metadata, spec }: PriorityLevelConfiguration,
  now: number,
): readonly unknown[] {
  const { limited } = spec
  const queuing = limited?.limitResponse?.queuing
  return [
    metadata.name,
    spec.type,
    limited ? (limited.nominalConcurrencyShares ?? 0) : '<none>',
    queuing ? (queuing.queues ?? 0) : '<none>',
    queuing ? (queuing.handSize ?? 0) : '<none>',
    queuing ? (queuing.queueLengthLimit ?? 0) : '<none>',
    age(metadata.creationTimestamp, now),
  ]
}

function apiServiceCells({ metadata, spec, status }: APIService, now: number): readonly unknown[] {
  const { service } = spec
  const available = status?.conditions?.find((it) => it.type === 'Available')
  const why = available?.status !== 'True' && available?.reason ? ` (${available.reason})` : ''
  return [
    metadata.name,
    service ? `${service.namespace ?? ''}/${service.name ?? ''}` : 'Local',
    available ? `${available.status}${why}` : 'Unknown',
    age(metadata.creationTimestamp, now),
  ]
}

/** Printers of what governs: admission, authorization, disruption, flow control, certificates. */
export const POLICIES: Readonly<Record<string, Printer>> = {
  'admissionregistration.k8s.io/mutatingadmissionpolicies': printer<MutatingAdmissionPolicy>(
    ({ metadata, spec }, now) => [
      metadata.name,
      spec.mutations?.length ?? 0,
      paramKind(spec.paramKind),
      age(metadata.creationTimestamp, now),
    ],
  ),
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings':
    printer<MutatingAdmissionPolicyBinding>(policyBindingCells),
  'admissionregistration.k8s.io/mutatingwebhookconfigurations':
    printer<MutatingWebhookConfiguration>(webhookCells),
  'admissionregistration.k8s.io/validatingadmissionpolicies': printer<ValidatingAdmissionPolicy>(
    ({ metadata, spec }, now) => [
      metadata.name,
      spec.validations?.length ?? 0,
      paramKind(spec.paramKind),
      age(metadata.creationTimestamp, now),
    ],
  ),
  'admissionregistration.k8s.io/validatingadmissionpolicybindings':
    printer<ValidatingAdmissionPolicyBinding>(policyBindingCells),
  'admissionregistration.k8s.io/validatingwebhookconfigurations':
    printer<ValidatingWebhookConfiguration>(webhookCells),
  'apiregistration.k8s.io/apiservices': printer<APIService>(apiServiceCells),
  'certificates.k8s.io/certificatesigningrequests':
    printer<CertificateSigningRequest>(requestCells),
  'flowcontrol.apiserver.k8s.io/flowschemas': printer<FlowSchema>(flowSchemaCells, {
    compare: flowSchemaOrder,
  }),
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations':
    printer<PriorityLevelConfiguration>(priorityLevelCells),
  'policy/poddisruptionbudgets': printer<PodDisruptionBudget>(({ metadata, spec, status }, now) => [
    metadata.name,
    String(spec.minAvailable ?? 'N/A'),
    String(spec.maxUnavailable ?? 'N/A'),
    status?.disruptionsAllowed ?? 0,
    age(metadata.creationTimestamp, now),
  ]),
  'rbac.authorization.k8s.io/clusterrolebindings': printer<ClusterRoleBinding>(bindingCells),
  'rbac.authorization.k8s.io/rolebindings': printer<RoleBinding>(bindingCells),
}
