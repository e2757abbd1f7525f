/**
 * Records the transcripts anew: plays them against a real control plane (kube-apiserver, controller manager, scheduler, and kwok
 * with one node of the name node-1, whose pods are quick) and writes what was answered. Review the difference before it is committed.
 * With --check nothing is written: what differs from the record is printed.
 *
 *     node packages/cluster/test/kubectl/record.ts --kubeconfig admin.kubeconfig [SCENARIO …]
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findKubectl, workplace } from './kubectl.ts'
import { enter, play, transcriptFile } from './scenario.ts'
import { formatTranscript, parseTranscript, type Step } from './transcript.ts'

const { values, positionals } = parseArgs({
  options: { kubeconfig: { type: 'string' }, check: { type: 'boolean' } },
  allowPositionals: true,
})
const kubectl = findKubectl()
if (!values.kubeconfig || !kubectl) {
  throw new Error('record needs --kubeconfig of a real control plane, and a kubectl on the PATH.')
}
const folder = fileURLToPath(new URL('scenarios', import.meta.url))
const all = globSync('*.golden', { cwd: folder }).map((it) => basename(it, '.golden'))
for (const name of positionals.length > 0 ? positionals : all.toSorted()) {
  using place = workplace(kubectl, readFileSync(values.kubeconfig, 'utf8'))
  await enter(place, name)
  const recorded: Step[] = []
  for (const step of parseTranscript(readFileSync(transcriptFile(name), 'utf8'))) {
    const output = await play(place, step)
    if (values.check && output !== step.output) {
      console.log(`${name}: $ ${step.script}\n--- recorded\n${step.output}\n--- now\n${output}\n`)
    }
    recorded.push({ ...step, output })
  }
  if (!values.check) writeFileSync(transcriptFile(name), formatTranscript(recorded))
  await place.run(`kubectl delete namespace ${name}`)
}
