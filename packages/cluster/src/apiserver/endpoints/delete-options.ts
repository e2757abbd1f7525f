import { badRequest, invalid } from 'kubewright/machinery'
import { parseBody, SyntaxProblem } from '../codec/body.ts'
import { goKindOf } from '../codec/go-json-error.ts'
import { BUILTIN_INPUT, negotiateInput } from '../codec/negotiate.ts'
import { openEnvelope, PROTOBUF, readEnvelope } from '../codec/protobuf.ts'
import { WireProblem } from '../codec/protobuf-wire.ts'
import { type DeletionRequest, validateDeletion } from '../registry/generic/before.ts'
import type { Exchange } from './exchange.ts'
import { bodyBytes } from './decode.ts'
import { booleanOf, integerOf } from './write-options.ts'

/** Reads the DeleteOptions of a request, from its body or else from its query, and checks them. Throws an ApiError. */
export async function deleteOptions({ request, audit }: Exchange): Promise<DeletionRequest> {
  const bytes = await bodyBytes(request)
  const options =
    bytes.length === 0 ? fromQuery(request.query) : fromBody(bytes, request.header('content-type'))
  if (bytes.length > 0)
    audit?.requested({ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...options })
  const errors = validateDeletion(options)
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors)
  return options
}

function fromQuery(query: URLSearchParams): DeletionRequest {
  const gracePeriodSeconds = integerOf(query, 'gracePeriodSeconds')
  const orphanDependents = booleanOf(query, 'orphanDependents')
  const propagationPolicy = query.get('propagationPolicy')
  const dryRun = query.getAll('dryRun')
  const preconditions = preconditionsIn(query)
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === null ? {} : { propagationPolicy }),
    ...(dryRun.length === 0 ? {} : { dryRun }),
    ...(preconditions === undefined ? {} : { preconditions }),
  }
}

/** What the object must still be, each under a name of its own (meta/v1 Convert_url_Values_To_v1_DeleteOptions). */
function preconditionsIn(query: URLSearchParams): DeletionRequest['preconditions'] {
  const uid = query.get('uid')
  const resourceVersion = query.get('resourceVersion')
  if (!uid && !resourceVersion) return undefined
  return { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) }
}

function fromBody(bytes: Buffer, contentType: string | undefined): DeletionRequest {
  const mediaType = negotiateInput(contentType, BUILTIN_INPUT)
  if (mediaType === PROTOBUF) return fromProtobuf(bytes)
  try {
    const { value } = parseBody(bytes.toString('utf8'), mediaType, false)
    return checked(value)
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error
    throw badRequest(`couldn't get version/kind; json parse error: ${error.message}`)
  }
}

function fromProtobuf(bytes: Buffer): DeletionRequest {
  try {
    return checked(readEnvelope(openEnvelope(bytes)))
  } catch (error) {
    if (error instanceof WireProblem) throw badRequest(error.message)
    throw error
  }
}

/** The fields of DeleteOptions and the Go types that they must have. */
const FIELDS: Readonly<Record<string, readonly [type: string, fits: (it: unknown) => boolean]>> = {
  gracePeriodSeconds: ['int64', (it) => Number.isInteger(it) || typeof it === 'bigint'],
  orphanDependents: ['bool', (it) => typeof it === 'boolean'],
  propagationPolicy: ['v1.DeletionPropagation', (it) => typeof it === 'string'],
  dryRun: ['[]string', (it) => Array.isArray(it)],
  preconditions: ['v1.Preconditions', (it) => typeof it === 'object' && !Array.isArray(it)],
}

function checked(value: unknown): DeletionRequest {
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKindOf(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    )
  }
  const body = (value ?? {}) as Record<string, unknown>
  const { kind = 'DeleteOptions', apiVersion = 'v1' } = body
  if (kind !== 'DeleteOptions') {
    throw badRequest(
      `no kind "${String(kind)}" is registered for version "${String(apiVersion)}" in scheme "pkg/runtime/scheme.go:111"`,
    )
  }
  const options: Record<string, unknown> = {}
  for (const [name, [type, fits]] of Object.entries(FIELDS)) {
    const given = body[name]
    if (given === undefined || given === null) continue
    if (!fits(given)) {
      throw badRequest(
        `json: cannot unmarshal ${goKindOf(given)} into Go struct field DeleteOptions.${name} of type ${type}`,
      )
    }
    // No clock goes that far.
    options[name] = typeof given === 'bigint' ? Number(given) : given
  }
  return options as DeletionRequest
}
