import { AdmissionCompiler, type CelType } from 'kubewright/cel'
import type {
  ExpressionWarning,
  ValidatingAdmissionPolicy,
} from 'kubewright/kinds/admissionregistration.k8s.io/v1'
import { type GroupVersionKind, parseApiVersion } from 'kubewright/machinery'

/** A resource in one version, and the kind of its objects. */
export interface KnownResource {
  readonly resource: string
  readonly kind: GroupVersionKind
}

/** What type checking may ask of the server. */
export interface TypeSource {
  readonly resources: () => Promise<readonly KnownResource[]>
  readonly typeOf: (kind: GroupVersionKind) => Promise<CelType | undefined>
}

const MOST_KINDS = 10

/**
 * What the checker finds wrong with the expressions of a policy for each kind that its rules name outright
 * (apiserver/pkg/admission/plugin/policy/validating/typechecking.go).
 */
export async function typeWarnings(
  policy: ValidatingAdmissionPolicy,
  source: TypeSource,
): Promise<readonly ExpressionWarning[]> {
  const checks = await checksOf(policy, source)
  const warnings: ExpressionWarning[] = []
  const check = (fieldRef: string, expression: string): void => {
    const found = checks.flatMap((it) => it(expression))
    if (found.length > 0) warnings.push({ fieldRef, warning: found.join('\n') })
  }
  policy.spec?.validations?.forEach(({ expression, messageExpression }, i) => {
    check(`spec.validations[${i}].expression`, expression)
    if (messageExpression) check(`spec.validations[${i}].messageExpression`, messageExpression)
  })
  return warnings
}

/** Says what is wrong with an expression for one kind. */
type Check = (expression: string) => readonly string[]

async function checksOf(
  policy: ValidatingAdmissionPolicy,
  source: TypeSource,
): Promise<readonly Check[]> {
  const { paramKind, variables = [] } = policy.spec ?? {}
  const params = paramKind && (await source.typeOf(kindOf(paramKind)))
  const scope = { params: paramKind !== undefined, authorizer: 'without requestResource' } as const
  const checks: Check[] = []
  for (const kind of await kindsToCheck(policy, source)) {
    const object = await source.typeOf(kind)
    if (!object) continue
    const compiler = new AdmissionCompiler(true, { object, params })
    for (const it of variables) compiler.declare(it.name, it.expression, scope)
    const { group, version, kind: name } = kind
    checks.push((expression) => {
      const problem = compiler.problem(expression, scope)
      return problem === undefined ? [] : [`${group}/${version}, Kind=${name}: ${problem}\n`]
    })
  }
  return checks
}

function kindOf({
  apiVersion = '',
  kind = '',
}: {
  apiVersion?: string
  kind?: string
}): GroupVersionKind {
  return { ...parseApiVersion(apiVersion), kind }
}

/** The kinds that rules name without a wildcard, sorted; no more than ten of one rule. */
async function kindsToCheck(
  policy: ValidatingAdmissionPolicy,
  source: TypeSource,
): Promise<readonly GroupVersionKind[]> {
  const known = await source.resources()
  const kinds = new Map<string, GroupVersionKind>()
  for (const rule of policy.spec?.matchConstraints?.resourceRules ?? []) {
    const { apiGroups = [], apiVersions = [], resources = [] } = rule
    if ([...apiGroups, ...apiVersions].some((it) => it.includes('*'))) continue
    const plain = resources.filter((it) => !/[*/]/.test(it))
    const named = apiGroups
      .toSorted()
      .flatMap((group) =>
        apiVersions
          .toSorted()
          .flatMap((version) =>
            plain.toSorted().flatMap((resource) => kindsOf(known, group, version, resource)),
          ),
      )
    for (const it of named.slice(0, MOST_KINDS)) kinds.set(JSON.stringify(it), it)
    if (named.length >= MOST_KINDS) break
  }
  return [...kinds.values()].toSorted(byGroupVersionKind)
}

/** Whoever names no group means every one that has the resource in that version. */
function kindsOf(
  known: readonly KnownResource[],
  group: string,
  version: string,
  resource: string,
): readonly GroupVersionKind[] {
  return known
    .filter((it) => it.resource === resource && it.kind.version === version)
    .map((it) => it.kind)
    .filter((it) => group === '' || it.group === group)
}

function byGroupVersionKind(a: GroupVersionKind, b: GroupVersionKind): number {
  for (const name of ['group', 'version', 'kind'] as const) {
    if (a[name] !== b[name]) return a[name] < b[name] ? -1 : 1
  }
  return 0
}
