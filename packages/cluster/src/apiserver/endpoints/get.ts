import type { Answer } from '../http/message.ts'
import { objectAnswer, outputOf, TRANSFORMS } from './answers.ts'
import { absent, type Call, keyOf } from './call.ts'
import { versionOfRead, waitFor } from './resource-version.ts'

/** GET of one object, or of a view of it (`status`). */
export async function get(call: Call): Promise<Answer> {
  const { exchange, parts, served } = call
  const output = outputOf(exchange, TRANSFORMS.object)
  const revision = versionOfRead(exchange.request.query.get('resourceVersion') ?? '')
  await waitFor(parts, revision, exchange.request.signal)
  const stored = await parts.storage.get(keyOf(call))
  if (!stored) throw absent(call)
  await call.views.prepare([stored])
  return objectAnswer(exchange, 200, output, call.views.of(stored), served.table, parts.clock.now())
}
