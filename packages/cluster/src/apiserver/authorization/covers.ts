import type { PolicyRule } from './rbac.ts'

/** A rule of at most one verb, resource, resource name and URL. */
type Atom = PolicyRule

/** The parts of `wanted` that no rule of `held` allows, each as small as can be (component-helpers/auth/rbac/validation Covers). */
export function uncovered(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly PolicyRule[] {
  return wanted.flatMap(atomsOf).filter((atom) => !held.some((rule) => covers(rule, atom)))
}

function atomsOf(rule: PolicyRule): readonly Atom[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  const named = resourceNames.map((it) => ({ resourceNames: [it] }))
  const names = named.length > 0 ? named : [{}]
  return [
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          names.map((it) => ({ apiGroups: [group], resources: [resource], verbs: [verb], ...it })),
        ),
      ),
    ),
    ...nonResourceURLs.flatMap((url) =>
      verbs.map((verb) => ({ nonResourceURLs: [url], verbs: [verb] })),
    ),
  ]
}

const anyOrAll = (owned: readonly string[] = [], asked: readonly string[] = []): boolean =>
  owned.includes('*') || asked.every((it) => owned.includes(it))

function covers(rule: PolicyRule, atom: Atom): boolean {
  const names = rule.resourceNames ?? []
  return (
    anyOrAll(rule.verbs, atom.verbs) &&
    anyOrAll(rule.apiGroups, atom.apiGroups) &&
    (atom.resources ?? []).every((it) => coversResource(rule.resources ?? [], it)) &&
    (names.length === 0 ||
      (atom.resourceNames !== undefined && atom.resourceNames.every((it) => names.includes(it)))) &&
    (atom.nonResourceURLs ?? []).every((url) =>
      (rule.nonResourceURLs ?? []).some((it) => coversUrl(it, url)),
    )
  )
}

function coversResource(owned: readonly string[], resource: string): boolean {
  if (owned.includes('*') || owned.includes(resource)) return true
  const slash = resource.indexOf('/')
  return slash >= 0 && owned.includes(`*${resource.slice(slash)}`)
}

const coversUrl = (owned: string, url: string): boolean =>
  owned === url || (owned.endsWith('*') && url.startsWith(owned.replace(/\*+$/, '')))

/** Rules as a refusal lists them: those of one resource joined, one a line, sorted (policy_compact.go, CompactString). */
export function describeRules(rules: readonly PolicyRule[]): string {
  const groups = Map.groupBy(rules, (it) => JSON.stringify({ ...it, verbs: undefined }))
  const joined = [...groups.values()].flatMap((it) => {
    const [first] = it
    if (!first || first.nonResourceURLs) return it
    return [{ ...first, verbs: it.flatMap(({ verbs }) => verbs) }]
  })
  return [...new Set(joined.map(describe))].sort().join('\n')
}

function describe(rule: PolicyRule): string {
  const parts = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ] as const
  const told = parts.filter(([, it]) => it?.length).map(([name, it]) => `${name}:${quoted(it!)}`)
  return `{${told.join(', ')}}`
}

/** A list of strings as Go prints it with %q. */
export const quoted = (texts: readonly string[]): string =>
  `[${texts.map((it) => JSON.stringify(it)).join(' ')}]`
