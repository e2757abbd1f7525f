/** The environments of kube-apiserver 1.36 (pkg/cel/environment/base.go and pkg/cel/mutation). */
import type { CelType } from '../cel-type.ts'
import { DURATION, TIMESTAMP } from '../cel-type.ts'
import type { Library } from '../declaration.ts'
import type { Environment } from '../environment.ts'
import { createEnvironment } from '../environment.ts'
import { constructedType } from './construction.ts'
import { AUTHORIZER } from './authorizer.ts'
import { CIDR, IP } from './ip.ts'
import { FORMAT } from './named-format.ts'
import { JSON_PATCH } from './jsonpatch.ts'
import { KUBERNETES_LISTS } from './kubernetes-lists.ts'
import { LISTS } from './lists.ts'
import { OPTIONALS } from './optionals.ts'
import { QUANTITY } from './quantity.ts'
import { REGEX } from './regex.ts'
import { SEMVER } from './semver.ts'
import { SETS } from './sets.ts'
import { STANDARD } from './standard.ts'
import { STRINGS } from './strings.ts'
import { TWO_VARIABLE } from './two-variable.ts'
import { URLS } from './url.ts'

/** The scalar names of schemas that are not those of the language. */
const DECLARED: Library = {
  name: 'kubernetes.declared',
  functions: [],
  declaredTypes: { duration: DURATION, timestamp: TIMESTAMP },
}

/** In the order in which kube-apiserver adds them, which is the order of overloads in error cases. */
export const KUBERNETES_LIBRARIES: readonly Library[] = Object.freeze([
  STANDARD,
  URLS,
  REGEX,
  KUBERNETES_LISTS,
  AUTHORIZER,
  OPTIONALS,
  QUANTITY,
  STRINGS,
  SETS,
  IP,
  CIDR,
  FORMAT,
  TWO_VARIABLE,
  SEMVER,
  LISTS,
  DECLARED,
])

/** What validation rules, validating policies and match conditions are compiled under. */
export const KUBERNETES: Environment = createEnvironment({ libraries: KUBERNETES_LIBRARIES })

/** {@link KUBERNETES} with `Object{…}`, `JSONPatch{…}` and jsonpatch.escapeKey, for mutating policies. */
export const KUBERNETES_MUTATION: Environment = createEnvironment({
  libraries: [...KUBERNETES_LIBRARIES, JSON_PATCH],
  resolveType: (name): CelType | undefined => constructedType(name),
})
