import type { AdmissionPlugin } from './admission.ts'
import { LIMIT_RANGER } from './limit-ranger.ts'
import { NAMESPACE_LIFECYCLE } from './namespace-lifecycle.ts'
import { POD_SECURITY } from './pod-security.ts'
import { PRIORITY } from './priority.ts'
import { RESOURCE_QUOTA } from './resource-quota.ts'
import { RUNTIME_CLASS_ADMISSION } from './runtime-class.ts'
import { SERVICE_ACCOUNT_ADMISSION } from './service-account.ts'
import {
  CLAIM_RESIZE,
  DEFAULT_INGRESS_CLASS,
  DEFAULT_STORAGE_CLASS,
  DEFAULT_TOLERATION_SECONDS,
  STORAGE_OBJECT_IN_USE_PROTECTION,
  TAINT_NODES_BY_CONDITION,
} from './small-defaults.ts'

/**
 * The built-in plugins that v1.36 has on by default, in its order (kubernetes/pkg/kubeapiserver/options/plugins.go). Policies and
 * webhooks belong before the last one, which counts what is left.
 */
export const ADMISSION_PLUGINS: readonly AdmissionPlugin[] = Object.freeze([
  NAMESPACE_LIFECYCLE,
  LIMIT_RANGER,
  SERVICE_ACCOUNT_ADMISSION,
  TAINT_NODES_BY_CONDITION,
  POD_SECURITY,
  PRIORITY,
  DEFAULT_TOLERATION_SECONDS,
  DEFAULT_STORAGE_CLASS,
  STORAGE_OBJECT_IN_USE_PROTECTION,
  CLAIM_RESIZE,
  RUNTIME_CLASS_ADMISSION,
  DEFAULT_INGRESS_CLASS,
  RESOURCE_QUOTA,
])

/** Which plugins a server runs, as kube-apiserver's flag --disable-admission-plugins names them. */
export function withoutPlugins(
  plugins: readonly AdmissionPlugin[],
  disabled: readonly string[],
): readonly AdmissionPlugin[] {
  return plugins.filter((it) => !disabled.includes(it.name))
}
