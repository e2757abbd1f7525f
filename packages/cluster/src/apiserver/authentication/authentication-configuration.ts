/** The file of `--authentication-config` (apiserver.config.k8s.io AuthenticationConfiguration). */
export interface AuthenticationConfiguration {
  readonly apiVersion?: string
  readonly kind?: string
  readonly jwt?: readonly JwtConfiguration[]
  readonly anonymous?: {
    readonly enabled?: boolean
    readonly conditions?: readonly { readonly path?: string }[]
  }
}

/** One issuer of tokens, and what its claims come to. */
export interface JwtConfiguration {
  readonly issuer: {
    readonly url?: string
    readonly discoveryURL?: string
    /** PEM. */
    readonly certificateAuthority?: string
    readonly audiences?: readonly string[]
    readonly audienceMatchPolicy?: string
    readonly egressSelectorType?: string
  }
  readonly claimValidationRules?: readonly ClaimRule[]
  readonly claimMappings?: ClaimMappings
  readonly userValidationRules?: readonly UserRule[]
}

/** A claim that must have a value, or an expression that must hold. */
export interface ClaimRule {
  readonly claim?: string
  readonly requiredValue?: string
  readonly expression?: string
  readonly message?: string
}

/** An expression over the user that must hold. */
export interface UserRule {
  readonly expression?: string
  readonly message?: string
}

/** A claim with a prefix, or an expression over all claims. */
export interface Mapping {
  readonly claim?: string
  readonly prefix?: string
  readonly expression?: string
}

/** Which claims make which fields of a user. */
export interface ClaimMappings {
  readonly username?: Mapping
  readonly groups?: Mapping
  readonly uid?: Pick<Mapping, 'claim' | 'expression'>
  readonly extra?: readonly { readonly key?: string; readonly valueExpression?: string }[]
}

/** `--oidc-*` as one issuer of a configuration (kubernetes/pkg/kubeapiserver/options ToAuthenticationConfig). */
export function ofOidcFlags(flags: {
  readonly issuerUrl: string
  readonly clientId: string
  readonly certificateAuthority?: string
  readonly usernameClaim: string
  readonly usernamePrefix?: string
  readonly groupsClaim?: string
  readonly groupsPrefix?: string
  readonly requiredClaims: ReadonlyMap<string, string>
}): JwtConfiguration {
  const { issuerUrl, usernameClaim, groupsClaim, groupsPrefix = '' } = flags
  // A dash is no prefix; without one, what is no address is told apart by its issuer.
  const prefix =
    flags.usernamePrefix === '-'
      ? ''
      : (flags.usernamePrefix ?? (usernameClaim === 'email' ? '' : `${issuerUrl}#`))
  return {
    issuer: {
      url: issuerUrl,
      audiences: [flags.clientId],
      ...(flags.certificateAuthority ? { certificateAuthority: flags.certificateAuthority } : {}),
    },
    claimValidationRules: [...flags.requiredClaims].map(([claim, requiredValue]) => ({
      claim,
      requiredValue,
    })),
    claimMappings: {
      username: { claim: usernameClaim, prefix },
      ...(groupsClaim ? { groups: { claim: groupsClaim, prefix: groupsPrefix } } : {}),
    },
  }
}
