import type { Service } from 'kubewright/kinds/core/v1'

type ServicePort = NonNullable<NonNullable<Service['spec']>['ports']>[number]

/** The variables that tell a container where services are (kubernetes/pkg/kubelet/envvars): `REDIS_SERVICE_HOST` and its like. */
export function serviceVariables(
  services: readonly Service[],
  namespace: string,
  links: boolean,
): ReadonlyMap<string, string> {
  const seen = services.filter((it) => isSeen(it, namespace, links))
  return new Map(seen.flatMap((it) => [...variablesOf(it)]))
}

/** The API server's own is seen everywhere, those of the namespace where links are asked for. */
function isSeen({ metadata, spec }: Service, namespace: string, links: boolean): boolean {
  if (!spec?.clusterIP || spec.clusterIP === 'None') return false
  if (metadata.namespace === 'default' && metadata.name === 'kubernetes') return true
  return links && metadata.namespace === namespace
}

const variableName = (name: string): string => name.replaceAll('-', '_').toUpperCase()

function* variablesOf({ metadata, spec }: Service): Generator<readonly [string, string]> {
  const prefix = variableName(metadata.name ?? '')
  const address = spec?.clusterIP ?? ''
  const ports = spec?.ports ?? []
  const [first] = ports
  yield [`${prefix}_SERVICE_HOST`, address]
  if (!first) return
  yield [`${prefix}_SERVICE_PORT`, String(first.port)]
  for (const it of ports)
    if (it.name) yield [`${prefix}_SERVICE_PORT_${variableName(it.name)}`, String(it.port)]
  yield [`${prefix}_PORT`, urlOf(address, first)]
  for (const it of ports) yield* linkOf(prefix, address, it)
}

const protocolOf = ({ protocol = 'TCP' }: ServicePort): string => protocol.toLowerCase()

const urlOf = (address: string, port: ServicePort): string =>
  `${protocolOf(port)}://${address.includes(':') ? `[${address}]` : address}:${port.port}`

function* linkOf(
  prefix: string,
  address: string,
  port: ServicePort,
): Generator<readonly [string, string]> {
  const name = `${prefix}_PORT_${port.port}_${protocolOf(port).toUpperCase()}`
  yield [name, urlOf(address, port)]
  yield [`${name}_PROTO`, protocolOf(port)]
  yield [`${name}_PORT`, String(port.port)]
  yield [`${name}_ADDR`, address]
}
