import { setTimeout as sleep } from 'node:timers/promises'
import type { Case } from './case.ts'
import type { Kubectl } from './kubectl.ts'
import { shown, tableShown } from './plain.ts'

/** How long a case is asked again for what it waits for, ms. */
const PATIENCE = 90_000

const APPLY = ['apply', '--server-side', '--force-conflicts', '-f', '-'] as const

/** Ends an answer that is not what the case waits for. */
export const LATE = 'What was waited for did not come.'

/** Does what a case says and answers with what is seen, or with what went wrong. */
export async function play(it: Case, kubectl: Kubectl): Promise<string> {
  const command = `$ kubectl ${it.ask.join(' ')}`
  try {
    for (const object of it.given ?? []) await kubectl.must(APPLY, object)
    for (const args of it.after ?? []) await kubectl.must(args)
    return `${command}\n${await seen(it, kubectl)}`
  } catch (error) {
    return `${command}\n${tableShown((error as Error).message)}`
  }
}

async function seen(it: Case, kubectl: Kubectl): Promise<string> {
  const deadline = performance.now() + PATIENCE
  for (;;) {
    const { code, out, all } = await kubectl.run(it.ask, it.input)
    const text = linesOf(
      code === 0 && out.startsWith('{') ? shown(JSON.parse(out)) : tableShown(all.trim()),
      it,
    )
    if (isThere(text, it)) return text
    if (performance.now() > deadline) return `${text}\n${LATE}`
    await sleep(500)
  }
}

const isThere = (text: string, { until = [], unless = [] }: Case): boolean =>
  until.every((it) => it.test(text)) && !unless.some((it) => it.test(text))

const linesOf = (text: string, { lines }: Case): string =>
  lines ? [...new Set(text.split('\n').filter((it) => lines.test(it)))].join('\n') : text
