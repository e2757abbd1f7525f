import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { Secret, ServiceAccount } from 'kubewright/kinds/core/v1'
import { isConflict, isNotFound, type KubeObject } from 'kubewright/machinery'
import { AS_CONTROLLER, deleteThis } from '../workload/writes.ts'

const TYPE = 'kubernetes.io/service-account-token'
const NAME = 'kubernetes.io/service-account.name'
const UID = 'kubernetes.io/service-account.uid'
const ISSUER = 'kubernetes/serviceaccount'
const CLAIM = 'kubernetes.io/serviceaccount'
const BY_ACCOUNT = 'service-account'

/** Signs the claims of a token that lies in a secret. */
export type SignToken = (claims: Readonly<Record<string, unknown>>) => Promise<string>

/** What token secrets are filled with. */
export interface TokenSecretOptions {
  readonly sign: SignToken
  /** The certificate authority of the API server, PEM; none where it is empty. */
  readonly rootCertificate: () => string
}

const isToken = (it: KubeObject): boolean => (it as Secret).type === TYPE
const accountKey = (it: Secret): readonly string[] => {
  const name = it.metadata.annotations?.[NAME]
  return isToken(it) && name ? [`${it.metadata.namespace}/${name}`] : []
}

/**
 * Fills secrets of the type `kubernetes.io/service-account-token` with a token that does not end, and deletes them when their account is
 * gone (kubernetes/pkg/controller/serviceaccount/tokens_controller.go).
 */
export function tokenSecretController(options: TokenSecretOptions): ControllerDefinition {
  return controller(Secret, { name: 'tokens-controller', pace: false, resync: 0 })
    .index(Secret, BY_ACCOUNT, accountKey)
    .where(({ object }) => isToken(object))
    .watches(ServiceAccount, (it, { lister }) =>
      lister(Secret).byIndex(BY_ACCOUNT, `${it.metadata.namespace}/${it.metadata.name}`),
    )
    .reconcileKey(async (key, context) => {
      const secret = context.lister(Secret).get(key)
      if (!secret)
        return forget(key as { readonly namespace: string; readonly name: string }, context)
      if (isToken(secret) && secret.metadata.annotations?.[NAME])
        await fill(secret, options, context)
    })
}

async function fill(
  secret: Secret,
  { sign, rootCertificate }: TokenSecretOptions,
  context: KeyContext,
): Promise<void> {
  const { namespace, annotations = {} } = secret.metadata
  const account = await context.client.find(ServiceAccount, {
    namespace: namespace!,
    name: annotations[NAME]!,
  })
  if (!account || (annotations[UID] && annotations[UID] !== account.metadata.uid))
    return deleteThis(context, Secret, secret)
  const data: Record<string, string> = {
    ...(rootCertificate() ? { 'ca.crt': base64(rootCertificate()) } : {}),
    namespace: base64(namespace!),
    ...secret.data,
  }
  if (rootCertificate()) data['ca.crt'] = base64(rootCertificate())
  data['token'] ||= base64(await sign(claimsOf(secret, account)))
  const known = { [NAME]: account.metadata.name!, [UID]: account.metadata.uid! }
  const isFull =
    Object.keys(data).every((it) => data[it] === secret.data?.[it]) &&
    annotations[UID] === known[UID]
  if (isFull) return
  const metadata = { ...secret.metadata, annotations: { ...annotations, ...known } }
  try {
    await context.client.update(Secret, { ...secret, metadata, data }, AS_CONTROLLER)
  } catch (error) {
    // Changed or gone: the next event tells.
    if (!isConflict(error) && !isNotFound(error)) throw error
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Flat, and without an end (kubernetes/pkg/serviceaccount/legacy.go LegacyClaims). */
function claimsOf(secret: Secret, account: ServiceAccount): Readonly<Record<string, unknown>> {
  const { namespace, name, uid } = account.metadata
  return {
    iss: ISSUER,
    sub: `system:serviceaccount:${namespace}:${name}`,
    [`${CLAIM}/namespace`]: namespace,
    [`${CLAIM}/secret.name`]: secret.metadata.name,
    [`${CLAIM}/service-account.name`]: name,
    [`${CLAIM}/service-account.uid`]: uid,
  }
}

/** An account names no secret that is gone. */
async function forget(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { lister, client }: KeyContext,
): Promise<void> {
  for (const account of lister(ServiceAccount).list({ namespace })) {
    if (!account.secrets?.some((it) => it.name === name)) continue
    const secrets = account.secrets.filter((it) => it.name !== name)
    await client.update(ServiceAccount, { ...account, secrets }, AS_CONTROLLER)
  }
}
