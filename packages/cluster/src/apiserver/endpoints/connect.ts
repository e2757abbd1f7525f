import { ApiError, badRequest, failure, forbidden } from 'kubewright/machinery'
import type { AdmissionRequest } from '../admission/admission.ts'
import { mutateAll, validateAll } from '../admission/chain.ts'
import { attributesOf } from '../filters/authorization.ts'
import type { Answer } from '../http/message.ts'
import { CONNECTS } from '../proxy/connect.ts'
import { connectOptions } from '../proxy/connect-options.ts'
import type { Draft } from '../registry/strategy.ts'
import type { SubresourceInfo } from '../resources/resource.ts'
import { type Call, contextOf, timesOf } from './call.ts'

/** Verbs on a pod that somebody who may only read it must not reach by a GET that asks for another protocol. */
const CREATING: ReadonlySet<string> = new Set(['attach', 'exec', 'portforward'])

/** A request for a subresource that is a connection and no object (apiserver/pkg/endpoints/handlers/rest.go ConnectResource). */
export async function connected(call: Call, info: SubresourceInfo): Promise<Answer> {
  const path = `${call.served.info.plural}/${info.name}`
  const connect = CONNECTS[path]
  if (!connect) {
    const message = `${path} is not served here: it is no connection that this server knows`
    throw new ApiError(failure(501, undefined, message))
  }
  if (info.name === 'log') return connect(call, call.parts.connecting)
  if (call.exchange.request.query.get('dryRun')) throw badRequest('dryRun is not supported')
  await admit(call, info)
  if (CREATING.has(info.name)) await mustBeAllowedToCreate(call)
  return connect(call, call.parts.connecting)
}

async function admit(call: Call, { kind, group, version }: SubresourceInfo): Promise<void> {
  const request: AdmissionRequest = {
    operation: 'CONNECT',
    subresource: call.subresource,
    name: call.name,
    // Options have no metadata, and nobody stores them.
    object: connectOptions(
      kind,
      call.exchange.request.query,
      call.exchange.info,
    ) as unknown as Draft,
    options: {} as AdmissionRequest['options'],
    kind: { group, version, kind },
    context: contextOf(call, false),
    ...timesOf(call),
  }
  await mutateAll(call.parts.admission, request)
  await validateAll(call.parts.admission, request)
}

async function mustBeAllowedToCreate({ exchange, parts, served, name }: Call): Promise<void> {
  if (exchange.info.verb === 'create') return
  const { allowed, reason } = await parts.authorizer({ ...attributesOf(exchange), verb: 'create' })
  if (!allowed) throw forbidden(served.info, name, reason)
}
