import { apiVersionOf, isNotFound, type UnknownObject } from 'kubewright/machinery'
import type { Answer } from '../http/message.ts'
import { jsonAnswer, outputOf, TRANSFORMS } from './answers.ts'
import type { Call } from './call.ts'
import { deleteObject } from './delete.ts'
import { deleteOptions } from './delete-options.ts'
import { listed } from './list.ts'
import { listOptions } from './list-options.ts'
import { selectionOf } from './selection.ts'

/** DELETE of a collection: of all that the selectors match, each by its own rules; what went meanwhile is passed over. */
export async function deleteCollection(call: Call): Promise<Answer> {
  const { exchange, served } = call
  const output = outputOf(exchange, TRANSFORMS.list)
  const options = listOptions(exchange.request.query, false)
  const selection = selectionOf(call)
  const deletion = await deleteOptions(exchange)
  const found = await listed(call, options, selection)
  const items: UnknownObject[] = []
  for (const stored of found.items) {
    const { namespace = '', name = '' } = stored.object.metadata
    try {
      await deleteObject({ ...call, namespace, name }, deletion)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    items.push(JSON.parse(call.views.itemText(stored)) as UnknownObject)
  }
  const metadata = {
    ...(served.info.custom ? { continue: '' } : {}),
    resourceVersion: String(found.revision),
  }
  const { listKind } = served.info
  const answer = { kind: listKind, apiVersion: apiVersionOf(served.info), metadata, items }
  return jsonAnswer(200, { ...output, as: undefined }, JSON.stringify(answer))
}
