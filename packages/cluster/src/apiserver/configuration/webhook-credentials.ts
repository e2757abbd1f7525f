import type { KubeConfig } from 'kubewright/client'
import type { FindCredentials, WebhookCredentials } from '../http/webhook-call.ts'
import { textOf } from './read-file.ts'

type User = NonNullable<NonNullable<KubeConfig['users']>[number]['user']>

/**
 * How a kubeconfig says that the server proves itself to webhooks: its users are named for the places, `name.namespace.svc:port` or a
 * host, with or without the port 443, `*.namespace.svc` for all below, and `*` for all others (apiserver/pkg/util/webhook
 * authentication.go). Rejects with the `FlagError` of a file that cannot be read.
 */
export async function credentialsIn(config: KubeConfig): Promise<FindCredentials> {
  const users = new Map<string, WebhookCredentials>()
  for (const { name, user } of config.users ?? []) users.set(name, await credentialsOf(user))
  const context = config.contexts?.find((it) => it.name === config['current-context'])
  const usual = users.get('*') ?? users.get(context?.context.user ?? '')
  return (place) => {
    const host = place.replace(/:443$/, '')
    return find(users, place) ?? (host === place ? undefined : find(users, host)) ?? usual
  }
}

function find(
  users: ReadonlyMap<string, WebhookCredentials>,
  place: string,
): WebhookCredentials | undefined {
  const steps = place.split('.')
  const names = [
    place,
    ...steps
      .keys()
      .drop(1)
      .map((i) => `*.${steps.slice(i).join('.')}`),
  ]
  const name = names.find((it) => users.has(it))
  return name === undefined ? undefined : users.get(name)
}

async function credentialsOf(user: User): Promise<WebhookCredentials> {
  const pem = (data: string | undefined, file: string | undefined): Promise<string> | string =>
    data ? Buffer.from(data, 'base64').toString() : file ? textOf(file) : ''
  const cert = await pem(user['client-certificate-data'], user['client-certificate'])
  const key = await pem(user['client-key-data'], user['client-key'])
  const token = user.tokenFile ? (await textOf(user.tokenFile)).trim() : user.token
  const { username, password = '' } = user
  const basic = username && Buffer.from(`${username}:${password}`).toString('base64')
  return {
    ...(cert ? { cert, key } : {}),
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(basic && !token ? { authorization: `Basic ${basic}` } : {}),
  }
}
