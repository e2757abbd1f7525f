import type { Client } from '../client/client.ts'
import { kindOf } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'

interface ClientConfig {
  readonly caBundle?: string
  readonly url?: string
  readonly service?: { readonly name: string; readonly namespace: string }
}

interface Configuration extends KubeObject {
  readonly webhooks?: readonly { readonly name: string; readonly clientConfig?: ClientConfig }[]
}

interface Definition extends KubeObject {
  readonly spec?: {
    readonly conversion?: {
      readonly strategy?: string
      readonly webhook?: { readonly clientConfig?: ClientConfig }
    }
  }
}

const REGISTRATION = 'admissionregistration.k8s.io/v1'
const CONFIGURATIONS = [
  ['MutatingWebhookConfiguration', 'mutatingwebhookconfigurations'],
  ['ValidatingWebhookConfiguration', 'validatingwebhookconfigurations'],
].map(([kind, plural]) => kindOf<Configuration>(REGISTRATION, kind!, plural!, 'Cluster'))
const DEFINITION = kindOf<Definition>(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
  'Cluster',
)

/** By whom webhooks are called: those of a Service, and those whose URL has one of the hosts. */
export interface Called {
  readonly service: { readonly name: string; readonly namespace: string }
  readonly hosts: readonly string[]
}

/**
 * Puts a bundle (PEM) into the `caBundle` of every webhook configuration and every definition's conversion that calls us, and leaves all
 * others, and all that already have it, alone. Answers with the names of what it changed.
 */
export async function injectBundle(
  client: Client,
  called: Called,
  bundle: string,
  fieldOwner: string,
): Promise<readonly string[]> {
  const caBundle = Buffer.from(bundle).toString('base64')
  const lacks = (it: ClientConfig | undefined): boolean =>
    callsUs(it, called) && it?.caBundle !== caBundle
  const options = { fieldOwner, force: true }
  const changed: string[] = []
  for (const kind of CONFIGURATIONS) {
    const { items } = await client.list(kind)
    for (const { metadata, webhooks = [] } of items) {
      if (!webhooks.some((it) => lacks(it.clientConfig))) continue
      const ours = webhooks
        .filter((it) => callsUs(it.clientConfig, called))
        .map(({ name }) => ({ name, clientConfig: { caBundle } }))
      await client.apply(kind, { metadata: { name: metadata.name! }, webhooks: ours }, options)
      changed.push(`${kind.kind} ${metadata.name}`)
    }
  }
  for (const { metadata, spec } of (await client.list(DEFINITION)).items) {
    if (!lacks(spec?.conversion?.webhook?.clientConfig)) continue
    const conversion = { webhook: { clientConfig: { caBundle } } }
    await client.apply(
      DEFINITION,
      { metadata: { name: metadata.name! }, spec: { conversion } },
      options,
    )
    changed.push(`${DEFINITION.kind} ${metadata.name}`)
  }
  return changed
}

function callsUs(config: ClientConfig | undefined, { service, hosts }: Called): boolean {
  if (!config) return false
  if (config.service)
    return config.service.name === service.name && config.service.namespace === service.namespace
  const { url = '' } = config
  return URL.canParse(url) && hosts.includes(new URL(url).hostname)
}
