import {
  type LabelSelector,
  type LabelSelectorSpec,
  notFound,
  selectorOf,
} from 'kubewright/machinery'
import type { Catalog } from '../../endpoints/catalog.ts'
import type { AdmissionRequest } from '../admission.ts'
import { isNamespaces, namespaceOf } from '../attributes.ts'
import { matchesName, matchesRule, type Rule } from './rules.ts'
import { asItCame, equivalentsOf, type MatchedAs } from './versions.ts'

/** Which requests a policy, or a binding of one, is about (admissionregistration/v1 MatchResources). */
export interface MatchResources {
  readonly namespaceSelector?: LabelSelectorSpec
  readonly objectSelector?: LabelSelectorSpec
  readonly resourceRules?: readonly Rule[]
  readonly excludeResourceRules?: readonly Rule[]
  readonly matchPolicy?: string
}

/** Tells whether requests are those that selectors and rules describe (admission/plugin/policy/matching, webhook/predicates). */
export class Matcher {
  readonly #catalog: () => Catalog
  readonly #selectors = new WeakMap<LabelSelectorSpec, LabelSelector>()

  constructor(catalog: () => Catalog) {
    this.#catalog = catalog
  }

  /** As what a request is matched; undefined where it is not. Rejects with the ApiError of a namespace that is not there. */
  async match(criteria: MatchResources, request: AdmissionRequest): Promise<MatchedAs | undefined> {
    const { resourceRules = [], excludeResourceRules = [], matchPolicy } = criteria
    if (!this.matchesObject(criteria.objectSelector, request)) return undefined
    if (this.byRules(excludeResourceRules, matchPolicy, request)) return undefined
    const matched =
      resourceRules.length === 0
        ? asItCame(request)
        : this.byRules(resourceRules, matchPolicy, request)
    if (!matched) return undefined
    return (await this.matchesNamespace(criteria.namespaceSelector, request)) ? matched : undefined
  }

  /** As what rules match a request: as it came, or where `policy` is Equivalent as another version of the same. */
  byRules(
    rules: readonly Rule[],
    policy: string | undefined,
    request: AdmissionRequest,
  ): MatchedAs | undefined {
    const { resource } = request.context
    const fits = (rule: Rule, as: MatchedAs['resource']): boolean =>
      matchesRule(rule, request, as) && matchesName(rule, request.name)
    if (rules.some((it) => fits(it, resource))) return asItCame(request)
    if (policy !== 'Equivalent' || rules.length === 0) return undefined
    const others = equivalentsOf(this.#catalog(), request)
    if (others.length === 0) return undefined
    for (const rule of rules) {
      const found = others.find((it) => fits(rule, it.resource))
      if (found) return found
    }
    return undefined
  }

  matchesObject(
    selector: LabelSelectorSpec | undefined,
    { object, old }: AdmissionRequest,
  ): boolean {
    const parsed = this.#selector(selector)
    if (!parsed) return true
    // What has no metadata, as the options of a CONNECT, has no labels to go by.
    return [object, old].some((it) => it?.metadata && parsed.matches(it.metadata.labels))
  }

  async matchesNamespace(
    selector: LabelSelectorSpec | undefined,
    request: AdmissionRequest,
  ): Promise<boolean> {
    const parsed = this.#selector(selector)
    if (!parsed) return true
    const { context, object, operation, subresource } = request
    const own = isNamespaces(context.resource)
    const namespace = namespaceOf(request)
    if (namespace === '' && !own) return true
    const written = operation === 'CREATE' || operation === 'UPDATE'
    if (own && subresource === '' && written) return parsed.matches(object!.metadata.labels)
    const found = await context.find('/namespaces', '', namespace)
    if (!found) throw notFound({ group: '', plural: 'namespaces' }, namespace)
    return parsed.matches(found.metadata.labels)
  }

  /** Undefined for a selector that selects everything. */
  #selector(spec: LabelSelectorSpec | undefined): LabelSelector | undefined {
    if (isEmpty(spec)) return undefined
    let known = this.#selectors.get(spec!)
    if (!known) this.#selectors.set(spec!, (known = selectorOf(spec)))
    return known
  }
}

const isEmpty = (selector: LabelSelectorSpec | undefined): boolean =>
  !selector?.matchExpressions?.length && Object.keys(selector?.matchLabels ?? {}).length === 0
