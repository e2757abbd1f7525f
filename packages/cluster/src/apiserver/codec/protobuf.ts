import { parseApiVersion } from 'kubewright/machinery'
import { definitionName } from '../resources/builtins.ts'
import { messageReader } from './protobuf-message.ts'
import { WIRE, WireProblem, WireReader } from './protobuf-wire.ts'

/** The media type of objects in protobuf. */
export const PROTOBUF = 'application/vnd.kubernetes.protobuf'

/** What every such body begins with: `k8s` and a zero byte (apimachinery/pkg/runtime/serializer/protobuf). */
export const PREFIX: Buffer = Buffer.from([0x6b, 0x38, 0x73, 0x00])

/** A body before its message is read: what it says it is. */
export interface Envelope {
  readonly apiVersion: string
  readonly kind: string
  readonly raw: Buffer
}

/** Opens the runtime.Unknown that a body is wrapped in. Throws a WireProblem with the real server's sentence. */
export function openEnvelope(bytes: Buffer): Envelope {
  if (bytes.length === 0) throw new WireProblem('empty data')
  if (!bytes.subarray(0, PREFIX.length).equals(PREFIX)) {
    throw new WireProblem(
      `provided data does not appear to be a protobuf message, expected prefix [${PREFIX.join(' ')}]`,
    )
  }
  if (bytes.length === PREFIX.length) throw new WireProblem('empty body')
  return readUnknown(new WireReader(bytes.subarray(PREFIX.length)))
}

// Of runtime.Unknown only what is needed, and its bytes uncopied.
const TYPE_META = 1
const RAW = 2

function readUnknown(reader: WireReader): Envelope {
  let type: TypeMeta = {}
  let raw: Buffer = Buffer.alloc(0)
  while (!reader.done) {
    const tag = reader.varint()
    if (tag === fieldOf(TYPE_META)) type = reader.nested(messageReader(TYPE_META_NAME)) as TypeMeta
    else if (tag === fieldOf(RAW)) raw = reader.bytes()
    else reader.skip(tag & 7)
  }
  return { apiVersion: type.apiVersion ?? '', kind: type.kind ?? '', raw }
}

interface TypeMeta {
  readonly apiVersion?: string
  readonly kind?: string
}

const TYPE_META_NAME = 'io.k8s.apimachinery.pkg.runtime.TypeMeta'

const fieldOf = (number: number): number => number * 8 + WIRE.bytes

/** The object in an envelope, as its JSON would parse; only its name where its kind is not built in. Throws a WireProblem. */
export function readEnvelope({ apiVersion, kind, raw }: Envelope): Record<string, unknown> {
  const name = definitionName({ ...parseApiVersion(apiVersion), kind })
  if (name === undefined) return { apiVersion, kind }
  const object = messageReader(name)(new WireReader(raw)) as Record<string, unknown>
  return { apiVersion, kind, ...object }
}
