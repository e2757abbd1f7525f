import type { Clock } from 'kubewright/base'
import type { FindCredentials, ResolveService } from '../http/webhook-call.ts'
import { WebhookConditions } from '../webhooks/conditions.ts'
import { mutatingWebhooks } from '../webhooks/mutating.ts'
import { validatingWebhooks } from '../webhooks/validating.ts'
import type { AdmissionPlugin } from './admission.ts'
import { ALWAYS_ADMIT, ALWAYS_DENY } from './always.ts'
import {
  CERTIFICATE_SUBJECT_RESTRICTION,
  certificateApproval,
  certificateSigning,
  clusterTrustBundleAttest,
} from './certificates.ts'
import { type EventLimit, eventRateLimit } from './event-rate-limit.ts'
import { type ImagePolicy, imagePolicyWebhook } from './image-policy.ts'
import { LIMIT_RANGER } from './limit-ranger.ts'
import { NAMESPACE_EXISTS, namespaceAutoProvision } from './namespace-exists.ts'
import { NAMESPACE_LIFECYCLE } from './namespace-lifecycle.ts'
import { nodeRestriction } from './node-restriction.ts'
import { ownerReferences } from './owner-references.ts'
import { POD_GROUP_PROTECTION, POD_GROUP_WORKLOAD_EXISTS } from './pod-groups.ts'
import { type NodeSelectorConfiguration, podNodeSelector } from './pod-node-selector.ts'
import {
  ALWAYS_PULL_IMAGES,
  EXTENDED_RESOURCE_TOLERATION,
  LIMIT_HARD_ANTI_AFFINITY,
} from './pod-restrictions.ts'
import { POD_SECURITY, podSecurity, type PodSecurityConfiguration } from './pod-security.ts'
import { podTolerationRestriction, type TolerationConfiguration } from './pod-tolerations.ts'
import { POD_TOPOLOGY_LABELS } from './pod-topology-labels.ts'
import { NODE_DECLARED_FEATURES, POD_RESIZE } from './pod-updates.ts'
import { mutatingPolicies } from './policies/mutating-policies.ts'
import type { PolicyParts } from './policies/parts.ts'
import { validatingPolicies } from './policies/validating-policies.ts'
import { PRIORITY } from './priority.ts'
import { type LimitedResource, RESOURCE_QUOTA, resourceQuota } from './resource-quota.ts'
import { RUNTIME_CLASS_ADMISSION } from './runtime-class.ts'
import { DENY_SERVICE_EXTERNAL_IPS } from './service-external-ips.ts'
import { SERVICE_ACCOUNT_ADMISSION } from './service-account.ts'
import {
  CLAIM_RESIZE,
  DEFAULT_INGRESS_CLASS,
  DEFAULT_STORAGE_CLASS,
  DEFAULT_TOLERATION_SECONDS,
  STORAGE_OBJECT_IN_USE_PROTECTION,
  TAINT_NODES_BY_CONDITION,
} from './small-defaults.ts'

/** What plugins are made of. */
export interface AdmissionParts extends PolicyParts {
  readonly clock: Clock
  readonly resolveService: ResolveService
  /** Makes a namespace, as the server itself. Rejects with the ApiError of one that cannot be made. */
  readonly makeNamespace: (name: string) => Promise<void>
  readonly configuration?: AdmissionConfiguration
}

/** What plugins are told (the files that --admission-control-config-file names). */
export interface AdmissionConfiguration {
  readonly nodeSelectors?: NodeSelectorConfiguration
  readonly tolerations?: TolerationConfiguration
  readonly eventLimits?: readonly EventLimit[]
  readonly podSecurity?: PodSecurityConfiguration
  readonly limitedResources?: readonly LimitedResource[]
  readonly imagePolicy?: ImagePolicy
  /** How the server proves itself to mutating and to validating webhooks. */
  readonly mutatingCredentials?: FindCredentials
  readonly validatingCredentials?: FindCredentials
}

/** Which plugins a server runs beside those that are on by default, and without which of them, by name. */
export interface AdmissionSelection {
  readonly enable?: readonly string[]
  readonly disable?: readonly string[]
  readonly configuration?: AdmissionConfiguration
}

interface Entry {
  readonly name: string
  /** Whether it is on unless it is disabled. */
  readonly on: boolean
  readonly make: (parts: AdmissionParts) => AdmissionPlugin
  /** The plugin itself, where it needs no parts. */
  readonly plugin?: AdmissionPlugin
}

const plain = (plugin: AdmissionPlugin, on: boolean): Entry => ({
  name: plugin.name,
  on,
  make: () => plugin,
  plugin,
})
const on = (plugin: AdmissionPlugin): Entry => plain(plugin, true)
const off = (plugin: AdmissionPlugin): Entry => plain(plugin, false)
const made = (name: string, make: Entry['make']): Entry => ({ name, on: true, make })
/** On, and otherwise where it is told something. */
const configured = (
  plugin: AdmissionPlugin,
  make: (configuration: AdmissionConfiguration) => AdmissionPlugin | undefined,
): Entry => ({ ...on(plugin), make: (parts) => make(parts.configuration ?? {}) ?? plugin })
const offMade = (name: string, make: Entry['make']): Entry => ({ name, on: false, make })

/** A plugin whose feature gate v1.36 has off by default, and that then has no say in anything. */
const onInert = (name: string): Entry => on(Object.freeze({ name, handles: () => false }))

function unconfigured(name: string, why: string): never {
  throw new Error(
    `failed to initialize admission: couldn't init admission plugin ${JSON.stringify(name)}: ${why}`,
  )
}

/** Every plugin that there is, in the order in which v1.36 asks them (kubernetes/pkg/kubeapiserver/options/plugins.go). */
const ENTRIES: readonly Entry[] = Object.freeze([
  off(ALWAYS_ADMIT),
  offMade('NamespaceAutoProvision', namespaceAutoProvision),
  on(NAMESPACE_LIFECYCLE),
  off(NAMESPACE_EXISTS),
  off(LIMIT_HARD_ANTI_AFFINITY),
  on(LIMIT_RANGER),
  on(SERVICE_ACCOUNT_ADMISSION),
  offMade('NodeRestriction', nodeRestriction),
  on(TAINT_NODES_BY_CONDITION),
  off(ALWAYS_PULL_IMAGES),
  offMade('ImagePolicyWebhook', ({ configuration, clock }) =>
    configuration?.imagePolicy
      ? imagePolicyWebhook(configuration.imagePolicy, clock)
      : unconfigured('ImagePolicyWebhook', 'no config specified'),
  ),
  configured(POD_SECURITY, ({ podSecurity: it }) => it && podSecurity(it)),
  offMade('PodNodeSelector', (parts) => podNodeSelector(parts.configuration?.nodeSelectors ?? {})),
  on(PRIORITY),
  on(DEFAULT_TOLERATION_SECONDS),
  offMade('PodTolerationRestriction', (parts) =>
    podTolerationRestriction(parts.configuration?.tolerations ?? {}),
  ),
  offMade('EventRateLimit', (parts) =>
    eventRateLimit(parts.configuration?.eventLimits ?? [], parts.clock),
  ),
  off(EXTENDED_RESOURCE_TOLERATION),
  on(DEFAULT_STORAGE_CLASS),
  on(STORAGE_OBJECT_IN_USE_PROTECTION),
  on(POD_GROUP_PROTECTION),
  offMade('OwnerReferencesPermissionEnforcement', ownerReferences),
  on(CLAIM_RESIZE),
  on(RUNTIME_CLASS_ADMISSION),
  made('CertificateApproval', certificateApproval),
  made('CertificateSigning', certificateSigning),
  made('ClusterTrustBundleAttest', clusterTrustBundleAttest),
  on(CERTIFICATE_SUBJECT_RESTRICTION),
  on(DEFAULT_INGRESS_CLASS),
  off(DENY_SERVICE_EXTERNAL_IPS),
  on(POD_TOPOLOGY_LABELS),
  on(POD_GROUP_WORKLOAD_EXISTS),
  on(NODE_DECLARED_FEATURES),
  onInert('JobValidation'),
  on(POD_RESIZE),
  made('MutatingAdmissionPolicy', mutatingPolicies),
  made('MutatingAdmissionWebhook', (parts) =>
    mutatingWebhooks(withConditions(parts, parts.configuration?.mutatingCredentials)),
  ),
  made('ValidatingAdmissionPolicy', validatingPolicies),
  made('ValidatingAdmissionWebhook', (parts) =>
    validatingWebhooks(withConditions(parts, parts.configuration?.validatingCredentials)),
  ),
  configured(RESOURCE_QUOTA, ({ limitedResources: it }) => it && resourceQuota(it)),
  off(ALWAYS_DENY),
])

const withConditions = (
  parts: AdmissionParts,
  findCredentials: FindCredentials | undefined,
): Parameters<typeof mutatingWebhooks>[0] => ({
  ...parts,
  ...(findCredentials ? { findCredentials } : {}),
  conditions: new WebhookConditions(parts.authorizer),
})

/** The names of every plugin that there is, in order. */
export const ADMISSION_PLUGIN_NAMES: readonly string[] = Object.freeze(ENTRIES.map((it) => it.name))

/** The plugins that v1.36 has on by default and that need no more than the request. */
export const ADMISSION_PLUGINS: readonly AdmissionPlugin[] = Object.freeze(
  ENTRIES.flatMap((it) => (it.on && it.plugin ? [it.plugin] : [])),
)

/**
 * The plugins of a server in their order: those on by default, with and without those selected by name; or, for a list of plugins,
 * those of it with what is made of `parts` and on by default. Throws an Error with kube-apiserver's sentence for a name that is none,
 * or that is both enabled and disabled (apiserver/pkg/server/options/admission.go Validate).
 */
export function admissionPlugins(
  parts: AdmissionParts,
  selection: AdmissionSelection | readonly AdmissionPlugin[],
): readonly AdmissionPlugin[] {
  if (isList(selection)) return withMade(parts, selection)
  const { enable = [], disable = [], configuration } = selection
  checkNames(enable, disable)
  const all = configuration ? { ...parts, configuration } : parts
  return ENTRIES.filter(
    (it) => enable.includes(it.name) || (it.on && !disable.includes(it.name)),
  ).map((it) => it.make(all))
}

const isList = (
  it: AdmissionSelection | readonly AdmissionPlugin[],
): it is readonly AdmissionPlugin[] => Array.isArray(it)

/** Plugins of a caller's own stand before all others. */
function withMade(
  parts: AdmissionParts,
  listed: readonly AdmissionPlugin[],
): readonly AdmissionPlugin[] {
  const own = listed.filter((it) => !ADMISSION_PLUGIN_NAMES.includes(it.name))
  const known = ENTRIES.flatMap((entry) => {
    const found = listed.find((it) => it.name === entry.name)
    if (found) return [found]
    return entry.on && !entry.plugin ? [entry.make(parts)] : []
  })
  return [...own, ...known]
}

/** Whether a plugin runs in such a server. */
export const isSelected = (
  name: string,
  { enable = [], disable = [] }: Pick<AdmissionSelection, 'enable' | 'disable'>,
): boolean => {
  const entry = ENTRIES.find((it) => it.name === name)
  return enable.includes(name) || (entry?.on === true && !disable.includes(name))
}

function checkNames(enable: readonly string[], disable: readonly string[]): void {
  const unknown = (flag: string, names: readonly string[]): readonly string[] =>
    names
      .filter((it) => !ADMISSION_PLUGIN_NAMES.includes(it))
      .map((it) => `${flag} plugin ${JSON.stringify(it)} is unknown`)
  const both = enable.filter((it) => disable.includes(it)).toSorted()
  const problems = [
    ...unknown('enable-admission-plugins', enable),
    ...unknown('disable-admission-plugins', disable),
    ...(both.length > 0
      ? [`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`]
      : []),
  ]
  if (problems.length === 0) return
  throw new Error(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`)
}
