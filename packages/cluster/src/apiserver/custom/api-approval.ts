import { type FieldError, invalidValue, required } from 'kubewright/machinery'
import { type CrdCondition, type CustomResourceDefinition, hasFormat } from 'kubewright/schema'

/** The annotation with which definitions in Kubernetes' own groups show that they were approved (KEP-1111). */
export const APPROVED_ANNOTATION = 'api-approved.kubernetes.io'

type State = 'missing' | 'bypassed' | 'approved' | 'invalid'

const isProtected = (group: string): boolean => /(^|\.)(k8s|kubernetes)\.io$/.test(group)

const MORE = 'see https://github.com/kubernetes/enhancements/pull/1111'

function approvalState(crd: CustomResourceDefinition): readonly [State, string] {
  const text = crd.metadata.annotations?.[APPROVED_ANNOTATION] ?? ''
  const must = `protected groups must have approval annotation "${APPROVED_ANNOTATION}"`
  if (text === '') return ['missing', `${must}, ${MORE}`]
  if (text.startsWith('unapproved')) return ['bypassed', `not approved: ${JSON.stringify(text)}`]
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/]/.test(text) && hasFormat(text, 'uri'))
    return ['approved', `approved in ${text}`]
  return ['invalid', `${must} with either a URL or a reason starting with "unapproved", ${MORE}`]
}

/** What is wrong with the approval; what did not change since before is let be. */
export function approvalErrors(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): readonly FieldError[] {
  if (!isProtected(crd.spec.group)) return []
  const [state, reason] = approvalState(crd)
  if (old && approvalState(old)[0] === state) return []
  const path = `metadata.annotations[${APPROVED_ANNOTATION}]`
  if (state === 'missing') return [required(path, reason)]
  const text = crd.metadata.annotations?.[APPROVED_ANNOTATION]
  return state === 'invalid' ? [invalidValue(path, text, reason)] : []
}

const CONDITION: Readonly<Record<State, readonly ['True' | 'False', string]>> = {
  missing: ['False', 'MissingAnnotation'],
  bypassed: ['False', 'UnapprovedAnnotation'],
  approved: ['True', 'ApprovedAnnotation'],
  invalid: ['False', 'InvalidAnnotation'],
}

/** The condition KubernetesAPIApprovalPolicyConformant; undefined outside the protected groups. */
export function approvalCondition(crd: CustomResourceDefinition): CrdCondition | undefined {
  if (!isProtected(crd.spec.group)) return undefined
  const [state, message] = approvalState(crd)
  const [status, reason] = CONDITION[state]
  return { type: 'KubernetesAPIApprovalPolicyConformant', status, reason, message }
}
