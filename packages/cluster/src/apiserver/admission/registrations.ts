import type { UnknownObject } from 'kubewright/machinery'
import { follow } from '../storage/follow.ts'
import type { Storage } from '../storage/storage.ts'
import type {
  Binding,
  Bound,
  MutatingPolicySpec,
  Policy,
  PolicySpec,
  ValidatingPolicySpec,
} from './policies/policy.ts'

const GROUP = 'admissionregistration.k8s.io'
const PREFIX = `${GROUP}/`

/** What is registered to take part in admission, each list by name. Empty lists mean that there is nothing to ask. */
export interface Registered {
  readonly mutatingWebhooks: readonly UnknownObject[]
  readonly validatingWebhooks: readonly UnknownObject[]
  readonly mutatingPolicies: readonly Bound<MutatingPolicySpec>[]
  readonly validatingPolicies: readonly Bound<ValidatingPolicySpec>[]
}

/**
 * What is stored in the group admissionregistration.k8s.io, read again only when it has changed: a request that concerns nobody
 * costs nothing. Policies that nothing binds are left out, bindings of policies that are not there too.
 */
export class Registrations {
  readonly #storage: Storage
  #following = false
  #current: Registered | undefined

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /** Begins to notice changes; until then every look reads the store. Ends with the signal. */
  follow(signal: AbortSignal): void {
    this.#following = true
    void this.#watch(signal)
  }

  /** What is registered, if that is known without asking the store. */
  get current(): Registered | undefined {
    return this.#current
  }

  /** What is registered. */
  async load(): Promise<Registered> {
    if (this.#current) return this.#current
    const { items } = await this.#storage.list({ prefix: PREFIX })
    const byKind = (plural: string): readonly UnknownObject[] =>
      items.filter((it) => it.key.startsWith(`${PREFIX}${plural}/`)).map((it) => it.object)
    const found: Registered = {
      mutatingWebhooks: byKind('mutatingwebhookconfigurations'),
      validatingWebhooks: byKind('validatingwebhookconfigurations'),
      mutatingPolicies: bound(
        byKind('mutatingadmissionpolicies'),
        byKind('mutatingadmissionpolicybindings'),
      ),
      validatingPolicies: bound(
        byKind('validatingadmissionpolicies'),
        byKind('validatingadmissionpolicybindings'),
      ),
    }
    if (this.#following) this.#current = found
    return found
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const forget = (): void => {
      this.#current = undefined
    }
    await follow(this.#storage, PREFIX, forget, signal)
    this.#following = false
    this.#current = undefined
  }
}

function bound<Spec extends PolicySpec>(
  policies: readonly UnknownObject[],
  bindings: readonly UnknownObject[],
): readonly Bound<Spec>[] {
  return (policies as readonly Policy<Spec>[])
    .map((policy) => ({
      policy,
      bindings: (bindings as readonly Binding[]).filter(
        (it) => it.spec.policyName === policy.metadata.name,
      ),
    }))
    .filter((it) => it.bindings.length > 0)
}
