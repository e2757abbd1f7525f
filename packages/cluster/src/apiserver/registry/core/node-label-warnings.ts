import { itemsAt, mapAt, textAt, textsAt, type Readable } from '../fields.ts'

const DEPRECATED: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region':
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone':
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type':
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods':
    'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
}

/** Why a label of nodes should not be used any more (kubernetes/pkg/api/node/util.go). */
export const nodeLabelWarning = (key: string): string | undefined => DEPRECATED[key]

/** The deprecated labels in a term that selects nodes, and the values that `checkValue` finds odd. */
export const selectorTermWarnings = (
  term: Readable,
  at: string,
  checkValue: (value: string) => readonly string[] = () => [],
): readonly string[] =>
  itemsAt(term, 'matchExpressions').flatMap((it, i) => {
    const key = textAt(it, 'key')
    const why = nodeLabelWarning(key)
    return [
      ...(why === undefined ? [] : [`${at}.matchExpressions[${i}].key: ${key} is ${why}`]),
      ...textsAt(it, 'values').flatMap((value, k) =>
        checkValue(value).map(
          (problem) => `${at}.matchExpressions[${i}].values[${k}]: ${value} is invalid, ${problem}`,
        ),
      ),
    ]
  })

/** The same for a label selector. */
export const labelSelectorWarnings = (
  selector: Readable | undefined,
  at: string,
): readonly string[] => [
  ...selectorTermWarnings(selector ?? {}, at),
  ...Object.keys(mapAt(selector, 'matchLabels')).flatMap((key) => {
    const why = nodeLabelWarning(key)
    return why === undefined ? [] : [`${at}.matchLabels.${key}: ${why}`]
  }),
]
