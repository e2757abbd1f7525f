import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { startCluster } from '../../src/testing/index.ts'
import { findKubectl, type Workplace, workplace } from './kubectl.ts'
import { normalise, withOwnersInOrder } from './normalise.ts'
import { formatOutcome, parseTranscript, type Step } from './transcript.ts'

/** Where a scenario's transcript lies. */
export const transcriptFile = (name: string): URL =>
  new URL(`scenarios/${name}.golden`, import.meta.url)

/**
 * Plays a transcript with a real kubectl against a cluster of its own, and compares every command's output with what a real control
 * plane answered when it was recorded. Without a kubectl it is skipped, but in CI it fails.
 */
export function scenario(name: string): void {
  const kubectl = findKubectl()
  const missing = 'there is no kubectl on the PATH, nor does KUBECTL name one'
  if (!kubectl && process.env['CI'] !== 'true') {
    test(name, { skip: missing })
    return
  }
  test(name, async (it) => {
    assert.ok(kubectl, missing)
    // Where the answers were recorded, nobody had installed a metrics server.
    await using cluster = await startCluster({ port: 0, metrics: false })
    using place = workplace(kubectl, cluster.kubeconfig())
    await enter(place, name)
    for (const step of parseTranscript(readFileSync(transcriptFile(name), 'utf8'))) {
      await it.test(step.script.split('\n')[0]!, async () => {
        const output = await play(place, step)
        assert.equal(withOwnersInOrder(output), withOwnersInOrder(step.output))
      })
    }
  })
}

/** Runs a step: what it printed, normalised. */
export async function play({ run }: Workplace, { script }: Step): Promise<string> {
  return normalise(formatOutcome(await run(script)))
}

/** A scenario works in a namespace of its name, when the accounts of that namespace are there. */
export async function enter({ run }: Workplace, name: string): Promise<void> {
  const { code, stderr } = await run(
    `kubectl create namespace ${name} && kubectl config set-context --current --namespace=${name} &&
     kubectl wait --for=create serviceaccount/default configmap/kube-root-ca.crt`,
  )
  if (code !== 0) throw new Error(`The namespace ${name} could not be made: ${stderr}`)
}
