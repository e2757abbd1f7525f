import type { Authorizer } from '../../endpoints/authorizer.ts'
import type { Catalog } from '../../endpoints/catalog.ts'
import type { Matcher } from '../matching/matcher.ts'
import type { Versions } from '../matching/versions.ts'
import type { AdmissionObserver } from '../observer.ts'
import type { Registrations } from '../registrations.ts'

/** What policies and webhooks work with. */
export interface PolicyParts {
  readonly registrations: Registrations
  readonly catalog: () => Catalog
  readonly matcher: Matcher
  readonly versions: Versions
  readonly authorizer: Authorizer
  readonly observe?: AdmissionObserver
}
