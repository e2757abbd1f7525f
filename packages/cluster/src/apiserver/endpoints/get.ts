import { OFFERS } from '../codec/negotiate.ts'
import type { Answer } from '../http/message.ts'
import { objectAnswer, outputOf } from './answers.ts'
import { absent, type Call, keyOf } from './call.ts'
import { versionOfRead, waitFor } from './resource-version.ts'

/** GET of one object, or of a view of it (`status`). */
export async function get(call: Call): Promise<Answer> {
  const { exchange, parts, served } = call
  const output = outputOf(exchange, OFFERS.object)
  const version = exchange.request.query.get('resourceVersion') ?? ''
  const revision = versionOfRead(version, served.info.storageKey)
  await waitFor(parts, revision, exchange.request.signal, version || '0')
  const stored = await parts.storage.get(keyOf(call))
  if (!stored) throw absent(call)
  await call.views.prepare([stored])
  return objectAnswer(
    exchange,
    200,
    output,
    call.views.shown(stored),
    served.table,
    parts.clock.now(),
  )
}
