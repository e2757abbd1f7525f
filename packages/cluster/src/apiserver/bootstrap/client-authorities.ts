import type { Clock, Random } from 'kubewright/base'
import { timeText, type UnknownObject } from 'kubewright/machinery'
import type { FrontProxyOptions } from '../authentication/front-proxy.ts'
import { fillSystemFields } from '../endpoints/system-fields.ts'
import type { Storage } from '../storage/storage.ts'
import { writeObject } from './advertised.ts'

/** Whose certificates a server believes, for the servers behind it that must believe the same. */
export interface ClientAuthorities {
  /** PEM text; empty where no client certificates are believed. */
  readonly clients: string
  readonly frontProxy?: FrontProxyOptions | undefined
}

const NAME = 'extension-apiserver-authentication'
const KEY = `/configmaps/kube-system/${NAME}`

/** Tells in a config map whose certificates are believed (kubernetes/pkg/controlplane/controller/clusterauthenticationtrust). */
export function publishAuthorities(
  storage: Storage,
  clock: Clock,
  random: Random,
  authorities: ClientAuthorities,
): Promise<void> {
  const data = dataOf(authorities)
  return writeObject(storage, KEY, (stored) => {
    if (stored) return { ...stored.object, data }
    const metadata: Record<string, unknown> = { name: NAME, namespace: 'kube-system' }
    fillSystemFields(metadata as never, clock, random)
    const managedFields = [ownerOf(data, timeText(clock.now()))]
    return {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { ...metadata, managedFields },
      data,
    } as unknown as UnknownObject
  })
}

function dataOf({ clients, frontProxy }: ClientAuthorities): Readonly<Record<string, string>> {
  const data: Record<string, string> = {}
  if (clients !== '') data['client-ca-file'] = clients
  if (!frontProxy) return data
  const lists = {
    'requestheader-allowed-names': frontProxy.allowedNames,
    'requestheader-client-ca-file': undefined,
    'requestheader-extra-headers-prefix': frontProxy.extraPrefixes,
    'requestheader-group-headers': frontProxy.groupHeaders,
    'requestheader-uid-headers': frontProxy.uidHeaders,
    'requestheader-username-headers': frontProxy.usernameHeaders,
  }
  for (const [name, list] of Object.entries(lists)) {
    if (list === undefined) data[name] = frontProxy.authorities.join('')
    else if (name !== 'requestheader-uid-headers' || list.length > 0) {
      data[name] = JSON.stringify(list)
    }
  }
  return data
}

const ownerOf = (data: Readonly<Record<string, string>>, time: string): object => ({
  manager: 'kube-apiserver',
  operation: 'Update',
  apiVersion: 'v1',
  time,
  fieldsType: 'FieldsV1',
  fieldsV1: {
    'f:data': { '.': {}, ...Object.fromEntries(Object.keys(data).map((it) => [`f:${it}`, {}])) },
  },
})
