import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { createClient } from 'kubewright/client'
import { manager } from 'kubewright/manager'
import { createApiServer } from '../../../apiserver/index.ts'
import { scheduler } from '../scheduler.ts'
import { ANSWERS } from './answers.fixture.ts'
import { Player } from './play.fixture.ts'
import { SCENARIOS } from './scenarios.fixture.ts'

const server = createApiServer()
await server.ready
const client = createClient({ transport: server.fetch })
const running = await manager().add(scheduler()).start({ transport: server.fetch })
after(async () => {
  await running.stop()
  await client.close()
  await server.close()
})

const player = new Player(client)
await player.prepare()

for (const it of SCENARIOS) {
  test(`the scheduler does with ${it.name} as kube-scheduler v1.36.3 did`, async () => {
    assert.deepEqual(await player.play(it), ANSWERS[it.name])
  })
}
