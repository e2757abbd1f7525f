import {
  ApiError,
  badRequest,
  failure,
  internalError,
  notFound,
  type UnknownObject,
} from 'kubewright/machinery'
import { absent, type Call, keyOf, viewed } from '../endpoints/call.ts'
import type { Answer, ApiRequest } from '../http/message.ts'
import type { Dial } from '../http/dial.ts'
import { addressesOf, type UpstreamTls } from '../http/upstream.ts'
import type { Connecting } from './connecting.ts'
import { forward, isUpgrade } from './forward.ts'
import {
  isGlobalUnicast,
  kubeletPlace,
  type Place,
  placeUrl,
  podPlace,
  type ProxyId,
  proxyId,
  servicePlace,
} from './location.ts'
import { containerOf, logOptions, logQuery, portsQuery, streamQuery } from './pod-options.ts'
import { windowed } from './window.ts'

type Connect = (call: Call, connecting: Connecting) => Promise<Answer>

/** The subresources that are a connection and no object, by `pods/log`. */
export const CONNECTS: Readonly<Record<string, Connect>> = {
  'pods/log': podLog,
  'pods/exec': (call, connecting) => podStream(call, connecting, 'exec'),
  'pods/attach': (call, connecting) => podStream(call, connecting, 'attach'),
  'pods/portforward': portForward,
  'pods/proxy': podProxy,
  'services/proxy': serviceProxy,
  'nodes/proxy': nodeProxy,
}

// What a kubelet answers.

async function podLog(call: Call, connecting: Connecting): Promise<Answer> {
  const { request } = call.exchange
  const options = logOptions(request.query, call.name)
  const pod = await podOf(call)
  const container = containerOf(pod, options.container)
  const node = nodeNameOf(pod)
  // A pod that waits for a node has written nothing yet.
  if (node === '') return { status: 204, headers: {} }
  const path = `/containerLogs/${call.namespace}/${call.name}/${container}`
  const query = logQuery(options)
  const answer = await askKubelet(call, connecting, node, {
    method: 'GET',
    path,
    query,
    isInsecure: options.insecure,
  })
  if (answer.status < 200 || answer.status > 206) throw await refusedLog(call, answer)
  return {
    status: 200,
    headers: { 'content-type': 'text/plain' },
    ...(answer.body === undefined ? {} : { body: answer.body }),
  }
}

/** The longest error of a kubelet that is passed on, in bytes (registry/generic/rest/response_checker.go). */
const MAX_ERROR = 50_000

async function refusedLog({ name }: Call, { status, body }: Answer): Promise<ApiError> {
  const text = await textOf(body)
  if (status === 500) return internalError(text)
  if (status === 400) return badRequest(text)
  const details = { kind: 'pods/log', name }
  if (status === 404) {
    const message = `the server could not find the requested resource ( pods/log ${name})`
    return new ApiError(failure(404, 'NotFound', message, details))
  }
  if (status === 403)
    return new ApiError(failure(403, 'Forbidden', `${text} ( pods/log ${name})`, details))
  const message = `the server responded with the status code ${status} but did not return more information ( pods/log ${name})`
  return new ApiError(failure(status, undefined, message, details))
}

async function textOf(body: Answer['body']): Promise<string> {
  if (body === undefined) return ''
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  let text = ''
  for await (const chunk of body) {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    if (text.length > MAX_ERROR) break
  }
  return text.slice(0, MAX_ERROR)
}

async function podStream(
  call: Call,
  connecting: Connecting,
  verb: 'exec' | 'attach',
): Promise<Answer> {
  const { query } = call.exchange.request
  const pod = await podOf(call)
  const container = containerOf(pod, query.get('container') ?? '')
  const path = `/${verb}/${call.namespace}/${call.name}/${container}`
  return upgraded(call, connecting, pod, path, streamQuery(query, verb === 'exec'))
}

async function portForward(call: Call, connecting: Connecting): Promise<Answer> {
  const query = portsQuery(call.exchange.request.query)
  const pod = await podOf(call)
  return upgraded(call, connecting, pod, `/portForward/${call.namespace}/${call.name}`, query)
}

async function upgraded(
  call: Call,
  connecting: Connecting,
  pod: UnknownObject,
  path: string,
  query: URLSearchParams,
): Promise<Answer> {
  const node = nodeNameOf(pod)
  if (node === '') throw badRequest(`pod ${call.name} does not have a host assigned`)
  const find = await nodeOf(call, node)
  const { request } = call.exchange
  if (!isUpgrade(request)) throw badRequest('Upgrade request required')
  const asked = { method: request.method, path, query, isInsecure: false }
  try {
    return await kubeletAnswer(call, connecting, node, find, asked)
  } catch (error) {
    throw plainError(500, `error dialing backend: ${(error as Error).message}`)
  }
}

/** What a kubelet is asked. */
interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly isInsecure: boolean
}

async function askKubelet(
  call: Call,
  connecting: Connecting,
  node: string,
  asked: Asked,
): Promise<Answer> {
  const object = await nodeOf(call, node)
  try {
    return await kubeletAnswer(call, connecting, node, object, asked)
  } catch (error) {
    const url = kubeletUrl(kubeletPlace(object), asked)
    throw plainError(500, `Get ${JSON.stringify(url.href)}: ${(error as Error).message}`)
  }
}

function kubeletAnswer(
  { exchange }: Call,
  { findKubelet, kubeletTls }: Connecting,
  node: string,
  object: UnknownObject,
  asked: Asked,
): Promise<Answer> {
  const request: ApiRequest = {
    ...exchange.request,
    method: asked.method,
    path: asked.path,
    query: asked.query,
  }
  const own = findKubelet(node)
  if (own) return own(request)
  const insecure = asked.isInsecure || kubeletTls.ca === undefined
  return forward(request, {
    url: kubeletUrl(kubeletPlace(object), asked),
    tls: { ...kubeletTls, insecure },
  })
}

function kubeletUrl(place: Place, { path, query }: Asked): URL {
  const url = placeUrl(place)
  url.pathname = path
  url.search = query.toString()
  return url
}

// What pods, services and nodes answer themselves.

async function podProxy(call: Call, { allowLoopback, dial }: Connecting): Promise<Answer> {
  const id = idOf(call, 'pod')
  const pod = await podOf({ ...call, name: id.name })
  return proxied(call, podPlace(pod, id, allowLoopback), undefined, dial)
}

async function serviceProxy(call: Call, { pick, dial }: Connecting): Promise<Answer> {
  const id = idOf(call, 'service')
  const { storage } = call.parts
  const place = await servicePlace(storage, call.namespace, call.name, id, pick)
  return proxied(call, place, undefined, dial)
}

async function nodeProxy(call: Call, { findKubelet, kubeletTls }: Connecting): Promise<Answer> {
  const id = idOf(call, 'node')
  const node = (await call.parts.storage.get(`/nodes//${id.name}`))?.object
  if (!node) throw notFound(call.served.info, id.name)
  const place = kubeletPlace(node)
  const isKubelet = id.port === '' || id.port === place.port
  const own = isKubelet ? findKubelet(id.name) : undefined
  const { exchange } = call
  if (own) return own({ ...exchange.request, path: pathBehind(call) })
  await mustBeProxyable(place.host)
  const tls = { ...kubeletTls, insecure: kubeletTls.ca === undefined }
  return proxied(
    call,
    isKubelet ? place : { ...place, scheme: id.scheme, port: id.port },
    isKubelet ? tls : undefined,
  )
}

/** Nobody may have the server talk to itself (registry/core/node/strategy.go isProxyableHostname). */
async function mustBeProxyable(host: string): Promise<void> {
  const found = await addressesOf(host).catch((error: Error) => {
    throw badRequest(error.message)
  })
  if (!found.every(isGlobalUnicast)) throw badRequest('address not allowed')
}

function idOf({ name }: Call, kind: string): ProxyId {
  const id = proxyId(name)
  if (!id) throw badRequest(`invalid ${kind} request ${JSON.stringify(name)}`)
  return id
}

/** What stands after `/proxy` in a path, as it was sent. */
function pathBehind({ exchange, name }: Call): string {
  const { path } = exchange.request
  const marker = `/${name}/proxy`
  const at = decodedIndex(path, marker)
  return at < 0 ? '' : path.slice(at)
}

/** Where the text after `marker` begins in a path that may be percent-encoded before it. */
function decodedIndex(path: string, marker: string): number {
  const steps = path.split('/')
  for (let i = 1; i < steps.length; i++) {
    if (steps[i] !== 'proxy') continue
    const before = decodeURIComponent(steps[i - 1]!)
    if (`/${before}/proxy` === marker) return steps.slice(0, i + 1).join('/').length
  }
  return -1
}

async function proxied(call: Call, place: Place, tls?: UpstreamTls, dial?: Dial): Promise<Answer> {
  const { request } = call.exchange
  const behind = pathBehind(call)
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const query = request.query.toString()
  if (behind === '' && isRead && !isUpgrade(request)) {
    const location = `${request.path}/${query === '' ? '' : `?${query}`}`
    return { status: 301, headers: { location } }
  }
  const url = placeUrl(place)
  const prefix = request.path.slice(0, request.path.length - behind.length)
  url.pathname = behind === '' ? '/' : behind
  url.search = query
  const forwarded = ['x-forwarded-uri', request.path] as const
  try {
    const answer = await forward(request, {
      url,
      headers: [forwarded],
      ...(tls ? { tls } : { tls: { insecure: true } }),
      ...(dial ? { dial } : {}),
    })
    return answer.tunnel ? answer : windowed(answer, prefix, url.host, request.header('host') ?? '')
  } catch (error) {
    if (isUpgrade(request))
      throw plainError(500, `error dialing backend: ${(error as Error).message}`)
    const message = `error trying to reach service: ${(error as Error).message}`
    throw new ApiError(failure(503, 'ServiceUnavailable', message))
  }
}

// What all of them need.

async function podOf(call: Call): Promise<UnknownObject> {
  const stored = await call.parts.storage.get(keyOf(call))
  if (!stored) throw absent(call)
  return viewed(call, stored)
}

const nodeNameOf = (pod: UnknownObject): string =>
  (pod['spec'] as { readonly nodeName?: string } | undefined)?.nodeName ?? ''

/** The node of a pod. A missing one is told as kube-apiserver tells it: as a missing object of the kind that was asked for. */
async function nodeOf({ parts, served }: Call, name: string): Promise<UnknownObject> {
  const node = (await parts.storage.get(`/nodes//${name}`))?.object
  if (!node) throw notFound(served.info, name)
  return node
}

const plainError = (code: number, message: string): ApiError =>
  new ApiError(failure(code, undefined, message))
