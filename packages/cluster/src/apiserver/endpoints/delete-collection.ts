import { parseExact, stringifyExact } from 'kubewright/base'
import { apiVersionOf, isNotFound, type UnknownObject } from 'kubewright/machinery'
import { OFFERS } from '../codec/negotiate.ts'
import type { Answer } from '../http/message.ts'
import { jsonAnswer, notAnObject, outputOf } from './answers.ts'
import type { Call } from './call.ts'
import { deleteObject, warnOfDelete } from './delete.ts'
import { deleteOptions } from './delete-options.ts'
import { listed, metadataOf } from './list.ts'
import { listOptions } from './list-options.ts'
import { selectionOf } from './selection.ts'

/** DELETE of a collection: of all that the selectors match, each by its own rules; what went meanwhile is passed over. */
export async function deleteCollection(call: Call): Promise<Answer> {
  const { exchange, served } = call
  const output = outputOf(exchange, OFFERS.list)
  const options = listOptions(exchange.request.query)
  const selection = selectionOf(call)
  const deletion = await deleteOptions(exchange)
  warnOfDelete(call, deletion)
  const found = await listed(call, options, selection)
  const items: UnknownObject[] = []
  for (const stored of found.items) {
    const { namespace = '', name = '' } = stored.object.metadata
    try {
      // Admission is asked about each, but by no name.
      await deleteObject({ ...call, namespace, name }, deletion, '')
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    items.push(parseExact(call.views.itemText(stored)) as UnknownObject)
  }
  const metadata = metadataOf(found, served.info.custom)
  const { listKind } = served.info
  const answer = listOf(served.info, metadata, items)
  if (output.as?.kind === 'PartialObjectMetadata') throw notAnObject(exchange, listKind)
  return jsonAnswer(200, { ...output, as: undefined }, stringifyExact(answer))
}

/** Go holds a list of custom resources as a map, which it writes by key. */
function listOf(info: Call['served']['info'], metadata: object, items: readonly object[]): object {
  const [kind, apiVersion] = [info.listKind, apiVersionOf(info)]
  return info.custom ? { apiVersion, items, kind, metadata } : { kind, apiVersion, metadata, items }
}
