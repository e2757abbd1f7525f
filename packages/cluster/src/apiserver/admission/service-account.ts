import type { UnknownObject } from 'kubewright/machinery'
import {
  ensureObject,
  flagAt,
  has,
  itemsAt,
  objectAt,
  textAt,
  type Fields,
} from '../registry/fields.ts'
import type { StrategyContext } from '../registry/strategy.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { isUnder, refuse } from './refusal.ts'

const MIRROR = 'kubernetes.io/config.mirror'
const ENFORCE = 'kubernetes.io/enforce-mountable-secrets'
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'
const VOLUME_PREFIX = 'kube-api-access-'
/** An hour and seven seconds: a token that warns before it refuses. */
const TOKEN_SECONDS = 3607
const ATTEMPTS = 10
const RETRY_MS = 100

async function admit(request: AdmissionRequest): Promise<void> {
  const spec = ensureObject(request.object!, 'spec')
  if (isMirror(request)) {
    refuseMirror(request, spec)
    return
  }
  const name = textAt(spec, 'serviceAccountName') || 'default'
  spec['serviceAccountName'] = name
  spec['serviceAccount'] = name
  const account = await accountOf(request, name)
  if (automounts(account, spec)) mountToken(spec, request.context)
  const secrets = itemsAt(account, 'imagePullSecrets')
  if (itemsAt(spec, 'imagePullSecrets').length === 0 && secrets.length > 0) {
    spec['imagePullSecrets'] = secrets.map((it) => ({ name: textAt(it, 'name') }))
  }
}

const isMirror = (request: AdmissionRequest): boolean =>
  request.object?.metadata.annotations?.[MIRROR] !== undefined

/** A new namespace's default account comes a moment after it, so that one is waited for. */
async function accountOf(request: AdmissionRequest, name: string): Promise<UnknownObject> {
  const { context } = request
  for (let i = 0; i < (name === 'default' ? ATTEMPTS : 1); i++) {
    if (i > 0) await context.clock.sleep(RETRY_MS + context.random.next() * RETRY_MS)
    const found = await context.find('/serviceaccounts', context.namespace, name)
    if (found) return found
  }
  throw refuse(
    request,
    `error looking up service account ${context.namespace}/${name}: serviceaccount "${name}" not found`,
  )
}

function automounts(account: UnknownObject, spec: Fields): boolean {
  const [first] = [spec, account].filter((it) => has(it, 'automountServiceAccountToken'))
  return first === undefined || flagAt(first, 'automountServiceAccountToken')
}

function mountToken(spec: Fields, context: StrategyContext): void {
  const volumes = itemsAt(spec, 'volumes')
  const held = volumes.find((it) => textAt(it, 'name').startsWith(VOLUME_PREFIX))
  const lacking = [...itemsAt(spec, 'initContainers'), ...itemsAt(spec, 'containers')].filter(
    (it) => !itemsAt(it, 'volumeMounts').some((each) => each['mountPath'] === MOUNT_PATH),
  )
  if (lacking.length === 0) return
  const name = held ? textAt(held, 'name') : VOLUME_PREFIX + suffix(context)
  for (const container of lacking) {
    const mount = { name, readOnly: true, mountPath: MOUNT_PATH }
    container['volumeMounts'] = [...itemsAt(container, 'volumeMounts'), mount]
  }
  if (!held) spec['volumes'] = [...volumes, { name, projected: tokenSource() }]
}

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

const suffix = (context: StrategyContext): string =>
  Array.from(
    { length: 5 },
    () => ALPHABET[Math.floor(context.random.next() * ALPHABET.length)],
  ).join('')

const tokenSource = (): Fields => ({
  sources: [
    { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [
          { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } },
        ],
      },
    },
  ],
  defaultMode: 0o644,
})

async function validate(request: AdmissionRequest): Promise<void> {
  const spec = objectAt(request.object, 'spec')
  if (isMirror(request)) {
    refuseMirror(request, spec)
    return
  }
  const { namespace, find } = request.context
  const name = textAt(spec, 'serviceAccountName')
  if (name === '') {
    throw refuse(
      request,
      `no service account specified for pod ${namespace}/${request.object?.metadata.name ?? ''}`,
    )
  }
  const account = await find('/serviceaccounts', namespace, name)
  if (account === undefined) {
    throw refuse(
      request,
      `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
    )
  }
  if (
    !['1', 't', 'T', 'TRUE', 'true', 'True'].includes(account.metadata.annotations?.[ENFORCE] ?? '')
  )
    return
  const problem = secretProblem(account, spec)
  if (problem !== undefined) throw refuse(request, problem)
}

function refuseMirror(request: AdmissionRequest, spec: Fields | undefined): void {
  if (textAt(spec, 'serviceAccountName') !== '') {
    throw refuse(request, 'a mirror pod may not reference service accounts')
  }
  const volumes = itemsAt(spec, 'volumes')
  if (volumes.some((it) => has(it, 'secret'))) {
    throw refuse(request, 'a mirror pod may not reference secrets')
  }
  const projected = volumes.flatMap((it) => itemsAt(objectAt(it, 'projected'), 'sources'))
  if (projected.some((it) => has(it, 'serviceAccountToken'))) {
    throw refuse(request, 'a mirror pod may not use ServiceAccountToken volume projections')
  }
}

/** Under the annotation, a pod may only use the secrets that its account names. */
function secretProblem(account: UnknownObject, spec: Fields | undefined): string | undefined {
  const allowed = new Set(itemsAt(account, 'secrets').map((it) => textAt(it, 'name')))
  const not = `is not allowed because service account ${account.metadata.name} does not reference that`
  for (const volume of itemsAt(spec, 'volumes')) {
    const secret = objectAt(volume, 'secret')
    const name = textAt(secret, 'secretName')
    if (secret && !allowed.has(name)) {
      return `volume with secret.secretName="${name}" ${not} secret`
    }
  }
  for (const [list, what] of [
    ['initContainers', 'init container'],
    ['containers', 'container'],
  ] as const) {
    for (const container of itemsAt(spec, list)) {
      const used = containerSecret(container, allowed)
      if (used) return `${what} ${textAt(container, 'name')} with ${used} ${not} secret`
    }
  }
  const pull = new Set(itemsAt(account, 'imagePullSecrets').map((it) => textAt(it, 'name')))
  const i = itemsAt(spec, 'imagePullSecrets').findIndex((it) => !pull.has(textAt(it, 'name')))
  if (i < 0) return undefined
  const name = textAt(itemsAt(spec, 'imagePullSecrets')[i], 'name')
  return `imagePullSecrets[${i}].name="${name}" ${not} imagePullSecret`
}

function containerSecret(container: Fields, allowed: ReadonlySet<string>): string | undefined {
  for (const variable of itemsAt(container, 'env')) {
    const ref = objectAt(objectAt(variable, 'valueFrom'), 'secretKeyRef')
    if (ref && !allowed.has(textAt(ref, 'name'))) {
      return `envVar ${textAt(variable, 'name')} referencing secret.secretName="${textAt(ref, 'name')}"`
    }
  }
  for (const from of itemsAt(container, 'envFrom')) {
    const ref = objectAt(from, 'secretRef')
    if (ref && !allowed.has(textAt(ref, 'name'))) {
      return `envFrom referencing secret.secretName="${textAt(ref, 'name')}"`
    }
  }
  return undefined
}

/** ServiceAccount: every pod runs as one, and finds its token mounted (kubernetes/plugin/pkg/admission/serviceaccount). */
export const SERVICE_ACCOUNT_ADMISSION: AdmissionPlugin = Object.freeze({
  name: 'ServiceAccount',
  handles: (request: AdmissionRequest) =>
    request.operation === 'CREATE' && request.subresource === '' && isUnder(request, '/pods'),
  admit,
  validate,
})
