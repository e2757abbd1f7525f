import { crc32 } from 'node:zlib'
import { Entry, WarmObjects } from './entry.ts'
import { type Snapshot, StorageFailure, type Stored } from './storage.ts'

/**
 * The text of a snapshot, version 1: lines of JSON in UTF-8, each ended by a line feed.
 *
 *     {"format":"kubewright-snapshot","version":1,"revision":1203,"objects":2}
 *     [1201,"/configmaps/default/a",{"kind":"ConfigMap","apiVersion":"v1","metadata":{…}}]
 *     [1203,"/namespaces//default",{…}]
 *     {"sum":2834923841}
 *
 * The head has the revision of the store and how many objects follow, in the order of their keys: each with the revision of its last
 * write, its key (`<storage key>/<namespace>/<name>`, the namespace empty where there is none) and itself. `sum` is the CRC-32 of all
 * bytes before its line.
 */
const FORMAT = 'kubewright-snapshot'
const VERSION = 1

/** Writes a snapshot. It holds Secrets as they are. */
export function encodeSnapshot({ revision, items }: Snapshot): Buffer {
  const head = { format: FORMAT, version: VERSION, revision, objects: items.length }
  const lines = [Buffer.from(`${JSON.stringify(head)}\n`)]
  for (let start = 0; start < items.length; start += 1000) {
    const part = items.slice(start, start + 1000)
    lines.push(Buffer.from(part.map(lineOf).join('')))
  }
  const body = Buffer.concat(lines)
  return Buffer.concat([body, Buffer.from(`${JSON.stringify({ sum: crc32(body) })}\n`)])
}

const lineOf = ({ key, revision, json }: Stored): string =>
  `[${revision},${JSON.stringify(key)},${json}]\n`

/**
 * Reads a snapshot. `name` is what errors call it. Throws a {@link StorageFailure} for what is none, is not whole, or is of a version
 * that this one does not know.
 */
export function decodeSnapshot(bytes: Buffer, name: string = 'the snapshot'): Snapshot {
  const headEnd = bytes.indexOf(10)
  const head = headOf(bytes.subarray(0, Math.max(headEnd, 0)).toString(), name)
  const tail = bytes.lastIndexOf(10, bytes.length - 2) + 1
  if (tail <= headEnd || sumIn(bytes.subarray(tail).toString()) !== crc32(bytes.subarray(0, tail)))
    throw new StorageFailure(
      `${name} is cut short or damaged: its sum does not fit what it holds; take another copy`,
    )
  const items: Stored[] = []
  const warm = new WarmObjects({ freeze: false })
  for (let start = headEnd + 1; start < tail;) {
    const end = bytes.indexOf(10, start)
    items.push(storedOf(bytes.subarray(start, end).toString(), warm))
    start = end + 1
  }
  return { revision: head.revision, items }
}

interface Head {
  readonly format?: unknown
  readonly version?: unknown
  readonly revision: number
}

function headOf(line: string, name: string): Head {
  let head: Head | undefined
  try {
    head = JSON.parse(line) as Head
  } catch {
    head = undefined
  }
  if (head?.format !== FORMAT)
    throw new StorageFailure(
      `${name} is no snapshot of a cluster: it does not begin with ${FORMAT}`,
    )
  if (head.version !== VERSION)
    throw new StorageFailure(
      `${name} has version ${String(head.version)}, and this one reads version ${VERSION}: read it with what wrote it`,
    )
  return head
}

const sumIn = (line: string): number | undefined => {
  const found = /^\{"sum":(\d+)\}\n?$/.exec(line)
  return found ? Number(found[1]) : undefined
}

const START = /^\[(\d+),("(?:[^"\\]|\\.)*"),/

/** The text of the object is taken as it is: nobody needs it parsed before somebody asks for it. */
function storedOf(line: string, warm: WarmObjects): Stored {
  const [start, revision, key] = START.exec(line)!
  return Entry.ofJson(
    JSON.parse(key!) as string,
    Number(revision),
    line.slice(start.length, -1),
    warm,
  )
}
