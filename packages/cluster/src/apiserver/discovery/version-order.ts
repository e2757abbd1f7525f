const KUBE_VERSION = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/
const STABILITY: Readonly<Record<string, number>> = { alpha: 0, beta: 1 }

/**
 * Orders version names as Kubernetes prefers them (apimachinery/pkg/version CompareKubeAwareVersionStrings, the other way round):
 * v10, v2, v1, v11beta2, v3beta1, v12alpha1, then all other names by the alphabet. For `toSorted`: negative where `a` comes first.
 */
export function compareVersions(a: string, b: string): number {
  const left = rankOf(a)
  const right = rankOf(b)
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0
  const index = left.findIndex((it, at) => it !== right[at])
  return index < 0 ? 0 : right[index]! - left[index]!
}

/** Stability, major and minor of a Kubernetes-like version name; undefined for any other name. */
function rankOf(version: string): readonly number[] | undefined {
  const found = KUBE_VERSION.exec(version)
  if (!found) return undefined
  const [, major, stability, minor] = found
  return [stability ? STABILITY[stability]! : 2, Number(major), Number(minor ?? 0)]
}
