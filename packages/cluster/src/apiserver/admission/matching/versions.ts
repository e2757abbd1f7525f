import type { GroupVersionKind, UnknownObject } from 'kubewright/machinery'
import type { Catalog } from '../../endpoints/catalog.ts'
import type { Served } from '../../endpoints/served.ts'
import type { Draft } from '../../registry/strategy.ts'
import type { AdmissionRequest } from '../admission.ts'
import { kindOf, kindUnder } from '../attributes.ts'
import type { GroupVersionResource } from './rules.ts'

/** As what a webhook or a policy sees a request: in the version of its resource that its rules name. */
export interface MatchedAs {
  readonly resource: GroupVersionResource
  readonly kind: GroupVersionKind
}

/** What a request brings, in some version. `object` may be changed in place if the version is the request's own. */
export interface Versioned {
  readonly object: Draft | undefined
  readonly old: UnknownObject | undefined
}

/** The request as it came. */
export const asItCame = (request: AdmissionRequest): MatchedAs => ({
  resource: request.context.resource,
  kind: kindOf(request),
})

/** The other versions, or groups, in which the same objects are served (runtime EquivalentResourceMapper). */
export function equivalentsOf(
  catalog: Catalog,
  { context: { resource }, subresource }: AdmissionRequest,
): readonly MatchedAs[] {
  return catalog
    .siblings(resource)
    .filter((it) => subresource === '' || it.subresources.some((sub) => sub.name === subresource))
    .map((info) => ({ resource: info, kind: kindUnder(info, subresource) }))
}

const sameKind = (a: GroupVersionKind, b: GroupVersionKind): boolean =>
  a.kind === b.kind && a.version === b.version && a.group === b.group

/** Brings what requests carry into other versions. */
export class Versions {
  readonly #catalog: () => Catalog

  constructor(catalog: () => Catalog) {
    this.#catalog = catalog
  }

  /** The objects of a request as `as`; what came in that version comes back as it is. Rejects with a sentence. */
  async of(request: AdmissionRequest, as: MatchedAs): Promise<Versioned> {
    const { object, old } = request
    if (sameKind(as.kind, kindOf(request))) return { object, old }
    const from = this.#served(request.context.resource)
    const to = this.#served(as.resource)
    return {
      object: object && ((await this.convert(object as UnknownObject, from, to)) as Draft),
      old: old && (await this.convert(old, from, to)),
    }
  }

  /** An object that was changed as `as`, in the request's own version again. Rejects with a sentence. */
  async back(object: Draft, request: AdmissionRequest, as: MatchedAs): Promise<Draft> {
    if (sameKind(as.kind, kindOf(request))) return object
    const from = this.#served(as.resource)
    const to = this.#served(request.context.resource)
    return (await this.convert(object as UnknownObject, from, to)) as Draft
  }

  /** An object of one version as another of the same kind; a copy. */
  async convert(object: UnknownObject, from: Served, to: Served): Promise<UnknownObject> {
    const copy = structuredClone(object) as unknown as Draft
    const stored = from.webhook
      ? await from.webhook.toStorage(copy)
      : (from.toStorage?.(copy) ?? copy)
    if (to.webhook) {
      const [converted] = await to.webhook.fromStorage([stored as UnknownObject])
      return structuredClone(converted!)
    }
    return structuredClone(to.fromStorage?.(stored as UnknownObject) ?? (stored as UnknownObject))
  }

  /** How objects of a kind are read and completed. Throws where nothing of it is served. */
  #served({ group, version, plural }: GroupVersionResource): Served {
    const found = this.#catalog().find(group, version, plural)
    if (!found)
      throw new Error(`unable to convert to ${group}/${version}, Resource=${plural}: unknown kind`)
    return found
  }
}
