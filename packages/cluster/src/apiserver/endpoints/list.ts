import { stringifyExact } from 'kubewright/base'
import { ApiError, apiVersionOf, badRequest, expired, failure } from 'kubewright/machinery'
import { OFFERS, type OutputType } from '../codec/negotiate.ts'
import { PROTOBUF } from '../codec/protobuf.ts'
import { protobufList } from '../codec/protobuf-encode.ts'
import type { Answer } from '../http/message.ts'
import { Compacted, type Stored } from '../storage/storage.ts'
import { partialMetadata, tableOf } from '../table/table.ts'
import { includeObjectOf, jsonAnswer, notAnObject, outputOf, protobufAnswer } from './answers.ts'
import type { Call } from './call.ts'
import { decodeContinue, encodeContinue } from './continue-token.ts'
import { type ListOptions, listOptions } from './list-options.ts'
import { listBytes } from './list-text.ts'
import { versionOfList, waitFor } from './resource-version.ts'
import { type Selection, selectionOf } from './selection.ts'

/** GET of a collection. */
export async function list(call: Call): Promise<Answer> {
  const { exchange } = call
  const output = outputOf(exchange, OFFERS.list)
  const options = listOptions(exchange.request.query)
  const selection = selectionOf(call)
  const found = await listed(call, options, selection)
  return listAnswer(call, output, found)
}

/** A page of a list. */
export interface Listed {
  readonly items: readonly Stored[]
  /** Undefined where what is listed is not stored. */
  readonly revision: number | undefined
  readonly continue: string
  /** Undefined where nobody counted: with a selector, or on the last page. */
  readonly remaining: number | undefined
  /** The shard that was asked for, as the answer repeats it. */
  readonly shard: string | undefined
}

/** Reads a page by the rules of resourceVersion, resourceVersionMatch, limit and continue. Throws an ApiError. */
export async function listed(
  call: Call,
  options: ListOptions,
  selection: Selection,
): Promise<Listed & { readonly revision: number }> {
  const plan = await planOf(call, options, selection)
  try {
    const found = await readPage(call, plan, selection)
    return { ...found, shard: selection.shard?.text }
  } catch (error) {
    if (!(error instanceof Compacted)) throw error
    throw plan.continued === undefined
      ? expired('The resourceVersion for the provided list is too old.')
      : expiredToken(plan.continued)
  }
}

interface Plan {
  /** Undefined: as it stands now. */
  readonly at: number | undefined
  readonly start: string
  readonly limit: number
  /** Where the token of an earlier page says to go on, after the prefix. */
  readonly continued: string | undefined
}

/** What the versions, the limit and the token ask for (apiserver/pkg/storage ValidateListOptions and cacher/watch_cache.go). */
async function planOf(call: Call, options: ListOptions, selection: Selection): Promise<Plan> {
  const { resourceVersion, resourceVersionMatch: match } = options
  const limit = resourceVersion === '0' ? 0 : options.limit
  if (options.continue !== '') return continuedPlan(call, options, selection, limit)
  const asked = versionOfList(resourceVersion)
  await waitFor(call.parts, asked, call.exchange.request.signal, resourceVersion || '0')
  const { prefix, key } = selection
  const byLimit = match === '' && limit > 0 && asked > 0 && key === undefined
  const at = match === 'Exact' || byLimit ? asked : undefined
  return { at, start: prefix, limit, continued: undefined }
}

async function continuedPlan(
  { parts, exchange }: Call,
  options: ListOptions,
  { prefix }: Selection,
  limit: number,
): Promise<Plan> {
  const { revision, start } = decodeContinue(options.continue)
  if (options.resourceVersion !== '' && options.resourceVersion !== '0')
    throw badRequest('specifying resource version is not allowed when using continue')
  await waitFor(parts, revision, exchange.request.signal)
  const at = revision < 0 ? undefined : revision
  return { at, start: prefix + start, limit, continued: start }
}

type PageRead = Omit<Listed, 'shard' | 'revision'> & { readonly revision: number }

async function readPage(call: Call, plan: Plan, selection: Selection): Promise<PageRead> {
  const { key } = selection
  if (key !== undefined && plan.continued === undefined) return readOne(call, plan, selection, key)
  const { prefix } = selection
  const items: Stored[] = []
  let { start, at } = plan
  let seen = 0
  for (;;) {
    const limit = plan.limit > 0 ? plan.limit - items.length : 0
    const page = await call.parts.storage.list({
      prefix,
      start,
      limit: limit > 0 && !selection.all ? limit + SELECTED_PAGE : limit,
      ...(at === undefined ? {} : { at }),
    })
    at = page.revision
    await call.views.prepare(page.items)
    for (let i = 0; i < page.items.length; i++) {
      const stored = page.items[i]!
      start = `${stored.key}\0`
      seen++
      if (!selection.matches(stored, () => call.views.of(stored).object)) continue
      items.push(stored)
      if (items.length !== plan.limit) continue
      const left = page.items.length - 1 - i + page.remaining
      if (left === 0) break
      return {
        items,
        revision: page.revision,
        continue: encodeContinue({ revision: page.revision, start: start.slice(prefix.length) }),
        // A shard is not counted: what it leaves out counts as what remains.
        remaining: selection.unselective ? seen + left - plan.limit : undefined,
      }
    }
    if (page.remaining === 0)
      return { items, revision: page.revision, continue: '', remaining: undefined }
  }
}

/** A list that one object alone can be in is neither paged nor counted. */
async function readOne(
  call: Call,
  { at }: Plan,
  selection: Selection,
  key: string,
): Promise<PageRead> {
  const page = await call.parts.storage.list({
    prefix: key,
    limit: 1,
    ...(at === undefined ? {} : { at }),
  })
  const items = page.items.filter((it) => it.key === key)
  await call.views.prepare(items)
  return {
    items: items.filter((it) => selection.matches(it, () => call.views.of(it).object)),
    revision: page.revision,
    continue: '',
    remaining: undefined,
  }
}

/** With a selector, more is read at a time than may match. */
const SELECTED_PAGE = 500

const TOKEN_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

/** The 410 that offers to go on with whatever stands now. */
function expiredToken(start: string): ApiError {
  const status = failure(410, 'Expired', TOKEN_TOO_OLD)
  return new ApiError({
    ...status,
    metadata: { continue: encodeContinue({ revision: -1, start }) },
  })
}

/** A page as it was asked for: as objects, as a Table, or as their metadata. */
export function listAnswer(call: Call, output: OutputType, found: Listed): Answer {
  const { info, table } = call.served
  if (output.as?.kind === 'Table') {
    const objects = found.items.map((it) => call.views.of(it).object)
    const value = tableOf(objects, table, {
      version: output.as.version,
      metadata: metadataOf(found, false),
      includeObject: includeObjectOf(call.exchange),
      now: call.parts.clock.now(),
    })
    return jsonAnswer(200, output, stringifyExact(value))
  }
  if (output.as?.kind === 'PartialObjectMetadata') throw notAnObject(call.exchange, info.listKind)
  if (output.mediaType === PROTOBUF && !output.as) {
    const items = found.items.map((it) => call.views.message(it))
    const list = { apiVersion: apiVersionOf(info), kind: info.listKind }
    return protobufAnswer(200, protobufList(list, metadataOf(found, false), items))
  }
  if (output.as) return jsonAnswer(200, output, partialListText(call, found, output.as.version))
  const metadata = JSON.stringify(metadataOf(found, info.custom))
  const kind = JSON.stringify(info.listKind)
  const apiVersion = JSON.stringify(apiVersionOf(info))
  // Go holds a list of custom resources as a map, which it writes by key.
  const [head, end] = info.custom
    ? [`{"apiVersion":${apiVersion},"items":[`, `],"kind":${kind},"metadata":${metadata}}`]
    : [`{"kind":${kind},"apiVersion":${apiVersion},"metadata":${metadata},"items":[`, ']}']
  const tails = found.items.map((it) => call.views.itemTail(it))
  if (output.mediaType !== 'application/json' || output.pretty)
    return jsonAnswer(200, output, listBytes(head, tails, end).toString())
  const headers = { 'content-type': output.mediaType }
  return { status: 200, headers, body: listBytes(head, tails, `${end}\n`) }
}

function partialListText(call: Call, found: Listed, version: string): string {
  const metadata = JSON.stringify(metadataOf(found, false))
  const items = found.items.map((it) =>
    JSON.stringify(partialMetadata(call.views.of(it).object, `meta.k8s.io/${version}`)),
  )
  // Go appends to a list that is not there yet.
  const list = items.length > 0 ? `[${items.join(',')}]` : 'null'
  return `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${version}","metadata":${metadata},"items":${list}}`
}

/** A list of custom resources always says `continue`, and has its fields in the order of their names. */
export function metadataOf(found: Omit<Listed, 'items'>, custom: boolean): object {
  const version = found.revision === undefined ? {} : { resourceVersion: String(found.revision) }
  const remaining = found.remaining === undefined ? {} : { remainingItemCount: found.remaining }
  const shard = found.shard === undefined ? {} : { shardInfo: { selector: found.shard } }
  if (custom) return { continue: found.continue, ...remaining, ...version, ...shard }
  const token = found.continue === '' ? {} : { continue: found.continue }
  return { ...version, ...token, ...remaining, ...shard }
}
