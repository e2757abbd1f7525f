import { parseApiVersion } from 'kubewright/machinery'
import { definitionName, META_V1 } from '../resources/builtins.ts'
import { PREFIX } from './protobuf.ts'
import { messageWriter } from './protobuf-write.ts'
import { WireWriter } from './protobuf-wire-writer.ts'

/** What an object says it is; discovery of old leaves its version out. */
interface Named {
  readonly apiVersion?: string | undefined
  readonly kind?: string | undefined
}

/** An object in protobuf, as an answer carries it. Throws an Error for a kind that has no message. */
export const protobufBytes = (object: Named): Buffer =>
  protobufEnvelope(object, protobufMessage(object))

/** The bare message of an object; its own kind and version are not in it. Throws an Error for a kind that has none. */
export function protobufMessage(object: Named): Buffer {
  const writer = new WireWriter()
  messageWriter(messageName(object))(writer, object)
  return writer.bytes()
}

/** Packages of messages that no resource has, by group and version. */
const PACKAGES: Readonly<Record<string, string>> = {
  'meta.k8s.io/v1': META_V1,
  'meta.k8s.io/v1beta1': 'io.k8s.apimachinery.pkg.apis.meta.v1beta1',
  'apidiscovery.k8s.io/v2': 'io.k8s.api.apidiscovery.v2',
}

function messageName({ apiVersion = 'v1', kind = '' }: Named): string {
  // Of both versions of meta.k8s.io it is the same.
  if (kind === 'PartialObjectMetadata') return `${META_V1}.${kind}`
  const home = PACKAGES[apiVersion]
  if (home !== undefined) return `${home}.${kind}`
  return definitionName({ ...parseApiVersion(apiVersion), kind }) ?? `${META_V1}.${kind}`
}

// Numbers of runtime.Unknown, of lists and of WatchEvent, with their wire type.
const TYPE_META = 0x0a
const API_VERSION = 0x0a
const KIND = 0x12
const RAW = 0x12
const NO_ENCODING_NO_TYPE: Uint8Array = Uint8Array.of(0x1a, 0, 0x22, 0)
const LIST_META = 0x0a
const LIST_ITEM = 0x12
const EVENT_TYPE = 0x0a
const EVENT_OBJECT = 0x12
const EXTENSION_RAW = 0x0a
/** Where the length of a frame stands. */
const FRAME: Uint8Array = new Uint8Array(4)

/** Wraps a message with what it is (runtime.Unknown; apimachinery/pkg/runtime/serializer/protobuf). */
export function protobufEnvelope(named: Named, message: Buffer): Buffer {
  return Buffer.concat([envelopeHead(named, message.length), message, NO_ENCODING_NO_TYPE])
}

function envelopeHead({ apiVersion = '', kind = '' }: Named, length: number): Buffer {
  const writer = new WireWriter()
  writer.varint(length)
  writer.varint(RAW)
  field(writer, TYPE_META, () => {
    field(writer, KIND, () => writer.text(kind))
    field(writer, API_VERSION, () => writer.text(apiVersion))
  })
  writer.raw(PREFIX)
  return writer.bytes()
}

/** A list of messages, as an answer carries it. */
export function protobufList(list: Named, metadata: object, items: readonly Buffer[]): Buffer {
  const writer = new WireWriter()
  for (let i = items.length - 1; i >= 0; i--) {
    field(writer, LIST_ITEM, () => writer.raw(items[i]!))
  }
  field(writer, LIST_META, () => messageWriter(`${META_V1}.ListMeta`)(writer, metadata))
  return protobufEnvelope(list, writer.bytes())
}

/** An event of a watch, framed: its length in four bytes, then a WatchEvent with an object in its envelope. */
export function protobufEvent(type: string, envelope: Buffer): Buffer {
  const writer = new WireWriter()
  field(writer, EVENT_OBJECT, () => field(writer, EXTENSION_RAW, () => writer.raw(envelope)))
  field(writer, EVENT_TYPE, () => writer.text(type))
  writer.raw(FRAME)
  const frame = writer.bytes()
  frame.writeUInt32BE(frame.length - FRAME.length)
  return frame
}

function field(writer: WireWriter, tag: number, write: () => void): void {
  const before = writer.length
  write()
  writer.varint(writer.length - before)
  writer.varint(tag)
}
