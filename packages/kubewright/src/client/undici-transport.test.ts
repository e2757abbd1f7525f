import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Agent } from 'undici'
import { undiciTransport } from './undici-transport.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

test('aborting ends a body that is being read, though its Request has been collected', async () => {
  // A watch: a first line, and then silence.
  const server = createServer((_, response) => void response.writeHead(200).write('first\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const agent = new Agent()
  const transport = undiciTransport(
    { identity: async () => ({ headers: {} }), refused: () => {} },
    async () => agent,
  )
  const stopping = new AbortController()
  const open = async (): Promise<ReadableStreamDefaultReader<Uint8Array>> => {
    const signal = AbortSignal.any([stopping.signal, new AbortController().signal])
    const response = await transport(
      new Request(`http://127.0.0.1:${port}/?watch=true`, { signal }),
    )
    return response.body!.getReader()
  }
  const reader = await open()
  assert.equal(Buffer.from((await reader.read()).value!).toString(), 'first\n')
  for (let turn = 0; turn < 5; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
    collect()
  }
  const next = reader.read()
  stopping.abort(new Error('enough'))
  await assert.rejects(next)
  await agent.destroy()
  server.close()
})
