import { ApiError, apiVersionOf, badRequest, expired, failure } from 'kubewright/machinery'
import type { OutputType } from '../codec/negotiate.ts'
import type { Answer } from '../http/message.ts'
import { Compacted, type Stored } from '../storage/storage.ts'
import { partialMetadata, tableOf } from '../table/table.ts'
import { includeObjectOf, jsonAnswer, outputOf, TRANSFORMS } from './answers.ts'
import { type Call, prefixOf } from './call.ts'
import { decodeContinue, encodeContinue, type ListOptions, listOptions } from './list-options.ts'
import { versionOfRead, waitFor } from './resource-version.ts'
import { type Selection, selectionOf } from './selection.ts'

/** GET of a collection. */
export async function list(call: Call): Promise<Answer> {
  const { exchange } = call
  const output = outputOf(exchange, TRANSFORMS.list)
  const options = listOptions(exchange.request.query, false)
  const selection = selectionOf(call)
  const found = await listed(call, options, selection)
  return listAnswer(call, output, found)
}

/** A page of a list. */
export interface Listed {
  readonly items: readonly Stored[]
  readonly revision: number
  readonly continue: string
  /** Undefined where nobody counted: with a selector, or on the last page. */
  readonly remaining: number | undefined
}

/** Reads a page by the rules of resourceVersion, resourceVersionMatch, limit and continue. Throws an ApiError. */
export async function listed(
  call: Call,
  options: ListOptions,
  selection: Selection,
): Promise<Listed> {
  const plan = await planOf(call, options)
  try {
    return await readPage(call, plan, selection)
  } catch (error) {
    if (!(error instanceof Compacted)) throw error
    throw options.continue === ''
      ? expired('The resourceVersion for the provided list is too old.')
      : expiredToken(call, plan)
  }
}

interface Plan {
  /** Undefined: as it stands now. */
  readonly at: number | undefined
  readonly start: string
  readonly limit: number
}

async function planOf(call: Call, options: ListOptions): Promise<Plan> {
  const { limit, resourceVersion } = options
  const prefix = prefixOf(call)
  const asked = versionOfRead(resourceVersion)
  if (options.continue !== '') {
    if (asked > 0) {
      throw badRequest('specifying resource version is not allowed when using continue')
    }
    const { revision, start } = decodeContinue(options.continue)
    return { at: revision < 0 ? undefined : revision, start: prefix + start, limit }
  }
  await waitFor(call.parts, asked, call.exchange.request.signal)
  if (resourceVersion === '0') return { at: undefined, start: prefix, limit: 0 }
  const exact =
    options.resourceVersionMatch === 'Exact' ||
    (options.resourceVersionMatch === '' && limit > 0 && asked > 0)
  return { at: exact ? asked : undefined, start: prefix, limit }
}

async function readPage(call: Call, plan: Plan, selection: Selection): Promise<Listed> {
  const prefix = prefixOf(call)
  const items: Stored[] = []
  let { start, at } = plan
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
      if (!selection.matches(call.views.of(stored).object)) continue
      items.push(stored)
      if (items.length !== plan.limit) continue
      const left = page.items.length - 1 - i + page.remaining
      return pageOf(items, page.revision, left, start.slice(prefix.length), selection.all)
    }
    if (page.remaining === 0) return pageOf(items, page.revision, 0, '', selection.all)
  }
}

/** With a selector, more is read at a time than may match. */
const SELECTED_PAGE = 500

function pageOf(
  items: readonly Stored[],
  revision: number,
  left: number,
  start: string,
  counted: boolean,
): Listed {
  const more = left > 0
  return {
    items,
    revision,
    continue: more ? encodeContinue({ revision, start }) : '',
    remaining: more && counted ? left : undefined,
  }
}

const TOKEN_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

/** The 410 that offers to go on with whatever stands now. */
function expiredToken(call: Call, plan: Plan): ApiError {
  const start = plan.start.slice(prefixOf(call).length)
  const status = failure(410, 'Expired', TOKEN_TOO_OLD)
  return new ApiError({
    ...status,
    metadata: { continue: encodeContinue({ revision: -1, start }) },
  })
}

function listAnswer(call: Call, output: OutputType, found: Listed): Answer {
  const { info, table } = call.served
  if (output.as?.kind === 'Table') {
    const objects = found.items.map((it) => call.views.of(it).object)
    const value = tableOf(objects, table, {
      version: output.as.version,
      metadata: metadataOf(found, false),
      includeObject: includeObjectOf(call.exchange),
      now: call.parts.clock.now(),
    })
    return jsonAnswer(200, output, JSON.stringify(value))
  }
  const metadata = JSON.stringify(metadataOf(found, info.custom))
  if (output.as)
    return jsonAnswer(200, output, partialListText(call, found, output.as.version, metadata))
  const kind = JSON.stringify(info.listKind)
  const apiVersion = JSON.stringify(apiVersionOf(info))
  const items = found.items.map((it) => call.views.itemText(it)).join(',')
  return jsonAnswer(
    200,
    output,
    `{"kind":${kind},"apiVersion":${apiVersion},"metadata":${metadata},"items":[${items}]}`,
  )
}

function partialListText(call: Call, found: Listed, version: string, metadata: string): string {
  const items = found.items.map((it) =>
    JSON.stringify(partialMetadata(call.views.of(it).object, `meta.k8s.io/${version}`)),
  )
  return `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${version}","metadata":${metadata},"items":[${items.join(',')}]}`
}

/** A list of custom resources always says `continue`. */
function metadataOf(found: Listed, custom: boolean): object {
  return {
    ...(found.continue !== '' || custom ? { continue: found.continue } : {}),
    ...(found.remaining === undefined ? {} : { remainingItemCount: found.remaining }),
    resourceVersion: String(found.revision),
  }
}
