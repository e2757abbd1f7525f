/** Asks the scheduler of a cluster, which must be new and have nothing but an API server and a scheduler: `node record.fixture.ts KUBECONFIG`. */
import { createClient } from 'kubewright/client'
import { Player } from './play.fixture.ts'
import { SCENARIOS } from './scenarios.fixture.ts'

const client = createClient({ kubeconfig: process.argv[2]! })
const player = new Player(client)
await player.prepare()
const answers: Record<string, readonly string[]> = {}
for (const it of SCENARIOS) answers[it.name] = await player.play(it)
console.log(JSON.stringify(answers, null, 2))
await client.close()
