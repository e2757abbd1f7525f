import { DEFINITIONS } from './kinds/definitions.ts'
import type { Pair } from './run.ts'
import type { Wire } from './wire.ts'

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Makes the definitions that generated sequences use on both servers, and waits until they are served. */
export async function prepare({ real, ours }: Pair): Promise<void> {
  await Promise.all([real, ours].map((it) => prepareOne(it)))
}

/** The same for one server. Throws an Error with its answer when it refuses one. */
export async function prepareOne(wire: Wire): Promise<void> {
  for (const definition of DEFINITIONS) await define(wire, definition)
}

/** Makes one definition and waits until it is served. */
export async function define(wire: Wire, definition: Record<string, unknown>): Promise<void> {
  const answer = await wire.ask({
    method: 'POST',
    target: PATH,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(definition),
  })
  if (answer.status !== 201)
    throw new Error(`${wire.name} refused a definition with ${answer.status}: ${answer.text}`)
  const { metadata, spec } = JSON.parse(answer.text) as {
    metadata: { name: string }
    spec: {
      group: string
      names: { plural: string }
      versions: readonly { name: string; served: boolean }[]
    }
  }
  for (const version of spec.versions.filter((it) => it.served)) {
    const target = `/apis/${spec.group}/${version.name}/${spec.names.plural}`
    await untilServed(wire, target, metadata.name)
  }
}

async function untilServed(wire: Wire, target: string, name: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const { status } = await wire.ask({ method: 'GET', target, headers: {} })
    if (status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`${wire.name} never served ${name} at ${target}`)
}
