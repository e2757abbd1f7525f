import type { Clock } from 'kubewright/base'
import type { AccessFamilies } from './request-families.ts'

/** Measures how long it takes to find out who asks, and whether he may. Times are the clock's. */
export class AccessMeter {
  readonly #families: AccessFamilies
  readonly #clock: Clock

  constructor(families: AccessFamilies, clock: Clock) {
    this.#families = families
    this.#clock = clock
  }

  /** When something begins. */
  start(): number {
    return this.#clock.now()
  }

  /** Somebody was recognised, under a name that is told for the server's own users alone; or was not. */
  authenticated(result: 'success' | 'failure' | 'error', since: number, name: string = ''): void {
    const { attempts, users, authentication } = this.#families
    attempts.add([result])
    authentication.observe((this.#clock.now() - since) / 1000, [result])
    if (result === 'success') users.add([COMPRESSED.has(name) ? name : 'other'])
  }

  authorized(result: 'allowed' | 'denied' | 'no-opinion' | 'error', since: number): void {
    const { decisions, authorization } = this.#families
    decisions.add([result])
    authorization.observe((this.#clock.now() - since) / 1000, [result])
  }
}

/** The names that are counted apart; all others are `other` (endpoints/filters/metrics.go compressUsername). */
const COMPRESSED: ReadonlySet<string> = new Set([
  'admin',
  'client',
  'kube_proxy',
  'kubelet',
  'system:serviceaccount:kube-system:default',
])
