import { parseArgs } from 'node:util'
import { readFile, writeFile } from 'node:fs/promises'
import { corpusSequences } from './corpus.ts'
import { CASES } from './cases/all.ts'
import { sequenceOf } from './generate/sequence.ts'
import { prepare } from './prepare.ts'
import { record } from './record.ts'
import { type Finding, judge, type Pair, places, smallest } from './run.ts'
import { diffText, literal } from './show.ts'
import { startOurs, startReal } from './servers.ts'
import type { Sequence } from './step.ts'

const USAGE = `node conformance/differential/main.ts [options]

Asks a real kube-apiserver and kubewright the same, and prints where their answers differ.

  --sequences N   generated sequences; default 1000
  --seed S        of the first; default 1
  --kinds A,B     only these plurals
  --cases         the table of cases instead of generated sequences
  --corpus DIR    the definitions and samples of a folder instead
  --replay FILE   the sequences of a JSON file instead (a list, or lines)
  --parallel N    sequences at a time; default 16
  --show N        how many kinds of difference to make small and print; default 20
  --no-shrink     print them as they came
  --record FILE   writes what the real server answers, where both agree, for recorded.test.ts
  --save FILE     writes the differing sequences to a file that --replay reads
`

interface Group {
  count: number
  readonly finding: Finding
}

const { values } = parseArgs({
  options: {
    sequences: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    kinds: { type: 'string', default: '' },
    cases: { type: 'boolean', default: false },
    corpus: { type: 'string', default: '' },
    replay: { type: 'string', default: '' },
    parallel: { type: 'string', default: '16' },
    show: { type: 'string', default: '20' },
    'no-shrink': { type: 'boolean', default: false },
    record: { type: 'string', default: '' },
    save: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
})

/** The sequences that the options ask for, made as they are needed. */
async function chosen(): Promise<{ readonly total: number; readonly at: (i: number) => Sequence }> {
  const listed = async (): Promise<readonly Sequence[] | undefined> => {
    if (values.replay) return readSequences(values.replay)
    if (values.corpus) return corpusSequences(values.corpus)
    return values.cases ? CASES : undefined
  }
  const list = await listed()
  if (list) return { total: list.length, at: (i) => list[i]! }
  const kinds = values.kinds === '' ? [] : values.kinds.split(',')
  const seed = Number(values.seed)
  return { total: Number(values.sequences), at: (i) => sequenceOf(seed + i, kinds) }
}

async function readSequences(file: string): Promise<readonly Sequence[]> {
  const text = await readFile(file, 'utf8')
  if (text.startsWith('[')) return JSON.parse(text) as Sequence[]
  return text
    .split('\n')
    .filter((it) => it !== '')
    .map((it) => JSON.parse(it) as Sequence)
}

/** Plays all of them, some at a time, and groups what differs by its signature. */
async function playAll(pair: Pair): Promise<Map<string, Group>> {
  const { total, at } = await chosen()
  const nextPlace = places(Date.now().toString(36))
  const groups = new Map<string, Group>()
  const unsteady = new Map<string, number>()
  const started = performance.now()
  let [next, done, differing] = [0, 0, 0]
  const report = (): void => {
    const rate = (done / (performance.now() - started)) * 1000
    console.error(
      `${done} of ${total} sequences, ${rate.toFixed(1)}/s, ${differing} differ in ${groups.size} ways, ${[...unsteady.values()].reduce((a, b) => a + b, 0)} unsteady`,
    )
  }
  const timer = setInterval(report, 10_000)
  const worker = async (): Promise<void> => {
    while (next < total) {
      const verdict = await judge(pair, at(next++), nextPlace)
      done++
      if (verdict.kind === 'same') continue
      const { signature } = verdict.finding.difference
      if (verdict.kind === 'unsteady') {
        unsteady.set(signature, (unsteady.get(signature) ?? 0) + 1)
        continue
      }
      differing++
      const known = groups.get(signature)
      if (known) known.count++
      else groups.set(signature, { count: 1, finding: verdict.finding })
    }
  }
  const parallel = values.corpus ? 1 : Number(values.parallel)
  await Promise.all(Array.from({ length: parallel }, worker))
  clearInterval(timer)
  report()
  for (const [signature, count] of unsteady) console.error(`unsteady ${count} × ${signature}`)
  await printed(pair, groups, nextPlace)
  return groups
}

async function printed(
  pair: Pair,
  groups: ReadonlyMap<string, Group>,
  nextPlace: ReturnType<typeof places>,
): Promise<void> {
  const sorted = [...groups].toSorted(([, a], [, b]) => b.count - a.count)
  for (const [signature, { count }] of sorted) console.log(`${count} × ${signature}`)
  const shown = sorted.slice(0, Number(values.show))
  const small = await Promise.all(
    shown.map(([, { finding }]) =>
      values['no-shrink'] ? finding : smallest(pair, finding, nextPlace),
    ),
  )
  for (const [i, [signature, { count }]] of shown.entries()) {
    const { sequence, difference } = small[i]!
    // What a watch is told of comes after it.
    const watches = sequence.steps[difference.step]?.ask.startsWith('WATCH')
    const steps = watches ? sequence.steps : sequence.steps.slice(0, difference.step + 1)
    const shown = literal({ ...sequence, steps: values['no-shrink'] ? steps.slice(-1) : steps })
    console.log(`\n=== ${count} × ${signature}\n${shown}\n${diffText(difference)}`)
  }
}

if (values.help) {
  console.log(USAGE)
  process.exit(0)
}
const real = await startReal()
try {
  const ours = await startOurs()
  try {
    await compareAll({ real, ours })
  } finally {
    await ours.close()
  }
} finally {
  await real.close()
}

async function compareAll(pair: Pair): Promise<void> {
  await prepare(pair)
  if (values.record) return recordAll(pair, values.record)
  const groups = await playAll(pair)
  const saved = [...groups.values()].map(({ finding }) => JSON.stringify(finding.sequence))
  if (values.save) await writeFile(values.save, saved.map((it) => `${it}\n`).join(''))
  process.exitCode = groups.size > 0 ? 1 : 0
}

/** One after the other, so that each has its number. */
async function recordAll(pair: Pair, file: string): Promise<void> {
  const { total, at } = await chosen()
  const lines: string[] = []
  for (let i = 0; i < total; i++) {
    const recording = await record(pair, at(i), values.cases ? i : 1000 + i)
    if (recording) lines.push(`${JSON.stringify(recording)}\n`)
  }
  await writeFile(file, lines.join(''))
  console.error(`${lines.length} of ${total} sequences recorded`)
}
